import Glibc
import LoginCore
package import Secrets

extension LoginContext {
    /// Reads what a person has copied: from the terminal, unseen, or from standard input.
    package func copiedText(for profile: Profile) throws(LoginFault) -> Secret {
        guard dependencies.isTerminal(STDIN_FILENO) else { return try readStandardInput() }
        guard mayAsk else { throw Self.fault("nobody may be asked; pipe the text in") }
        let origin = try endpoint(profile).origin
        return try dependencies.dialogue(dialogueSettings(LoginRequest())).askPasted(
            "In the browser's developer tools, copy a request to \(origin) as cURL, and paste it here; it is not shown."
        )
    }

    private func readStandardInput() throws(LoginFault) -> Secret {
        var text = SecretBuilder(limit: PastedText.limit)
        let wait = InputWait(descriptor: STDIN_FILENO, deadline: .now + .seconds(PasswordCommand.patience))
        do throws(SecretFile.Problem) {
            try SecretFile.eachByte(of: STDIN_FILENO, waiting: wait) { (byte) throws(SecretFile.Problem) in
                do throws(SecretBuilder.LimitExceeded) { try text.append(byte) } catch { throw .tooLong }
                return true
            }
        } catch {
            throw Self.fault(error == .tooLong ? CopyFault.tooLong.words : error.words)
        }
        return text.finish()
    }

    /// The session in a text that a person has copied in their browser.
    /// - Throws: `usage` where there is none of the profile's, `untrusted` where it is of another origin.
    func credential(
        copiedIn text: Secret, for profile: Profile, username: String?
    ) throws(LoginFault) -> Credential {
        topic.isCopied = true
        guard !profile.sessionRule.isCredential else {
            throw Self.fault("the session of \(profile.name) is its credential; log in with that")
        }
        let origin = try endpoint(profile).origin
        let request = try read(text, on: origin)
        if let url = request.url {
            let found = try parse(url).origin
            guard found == origin else { throw .untrusted(.otherOrigin(target: found.description)) }
        }
        do throws(CopyFault) {
            let session = try request.session(
                by: profile.sessionRule, expires: JSONWebToken.end
            ) {
                request.records[$0] ?? CookieRecord.cookie($0, $1, for: origin)
            }
            let userAgent = profile.settings.takesUserAgent ? request.value(of: "user-agent") : nil
            return Credential(
                username: username, .copied(CopiedSession(session)),
                extraSecrets: userAgent.map { [.userAgent: $0] } ?? [:])
        } catch {
            throw Self.fault(error.words)
        }
    }

    private func read(_ text: Secret, on origin: Origin) throws(LoginFault) -> CopiedRequest {
        do throws(CopyFault) {
            switch try PastedText.form(of: text) {
            case .posix: return try CopiedRequest(curl: ShellWords.posix(text))
            case .windows: return try CopiedRequest(curl: ShellWords.windows(text))
            case .cookieLine: return CopiedRequest(cookieLine: text)
            case .cookieFile: return CopiedRequest(cookies: CookieRecord.cookies(inFile: text, for: origin))
            }
        } catch {
            throw Self.fault(error.words)
        }
    }

    private static func fault(_ problem: String) -> LoginFault {
        .usage(.badValue(option: "--paste", problem: problem))
    }
}

extension CookieRecord {
    /// A cookie of this host alone, as a browser's `Cookie` line tells no more of it.
    static func cookie(_ name: String, _ value: Secret, for origin: Origin) -> Cookie {
        let before = [origin.host, "FALSE", "/", origin.scheme == "https" ? "TRUE" : "FALSE", "0", name]
        return cookie(name, value, expires: nil, line: before + [""])
    }

    /// The cookies of a cookies.txt that are this host's alone. Those of a parent domain open other hosts, too, and are left out.
    static func cookies(inFile text: Secret, for origin: Origin) -> [Cookie] {
        text.withUnsafeBytes { bytes in
            bytes.split(separator: UInt8(ascii: "\n")).compactMap { line -> Cookie? in
                let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
                guard line.first != UInt8(ascii: "#") || line.starts(with: "#HttpOnly_".utf8),
                    let cookie = cookie(UnsafeRawBufferPointer(rebasing: line)),
                    host(of: line) == origin.host.lowercased(), cookie.value.isHeaderSafe
                else { return nil }
                return cookie
            }
        }
    }

    private static func host(of line: Slice<UnsafeRawBufferPointer>) -> String {
        let domain = String(decoding: line.prefix { $0 != UInt8(ascii: "\t") }, as: UTF8.self).lowercased()
        let host = domain.hasPrefix("#httponly_") ? String(domain.dropFirst(10)) : domain
        return host.hasPrefix(".") ? String(host.dropFirst()) : host
    }
}

extension CopyFault {
    /// The fault, with what to copy instead.
    fileprivate var words: String {
        switch self {
        case .tooLong: "the text is longer than \(PastedText.limit) bytes; copy one request"
        case .tooManyWords: "the command has more than \(ShellWords.most) words; copy one request"
        case .unfinished: "the text breaks off; copy the whole command"
        case .shellSyntax: "the text has more than one command, or what a shell would fill in; nothing of it was run"
        case .otherForm(let name):
            "the text was copied as \(name); choose 'Copy as cURL' in the browser's developer tools"
        case .unknownForm:
            "the text is no curl command, Cookie line or cookies.txt; choose 'Copy as cURL' in the browser's developer tools"
        case .noURL: "the curl command has no URL, or several; copy one request"
        case .noSession(let wanted):
            wanted.isEmpty
                ? "the profile sends no session that could be copied"
                : "the text has no \(wanted.joined(separator: " or ")) header with the session; copy a request that the "
                    + "page has sent while you were logged in"
        }
    }
}
