import Glibc
import Secrets

/// A login that a person copies in a browser.
package struct CopiedLogin {
    private let context: LoginContext
    private let profile: Profile

    package init(_ context: LoginContext, _ profile: Profile) { (self.context, self.profile) = (context, profile) }

    /// Reads what a person has copied: from the terminal, unseen, or from standard input.
    package func read() throws(LoginFault) -> Secret {
        guard context.dependencies.isTerminal(STDIN_FILENO) else { return try readStandardInput() }
        guard context.person.mayBeAsked else { throw Self.fault("nobody may be asked; pipe the text in") }
        let origin = try context.connections.endpoint(profile).origin
        return try context.person.dialogue.askPasted(
            "In the browser's developer tools, copy a request to \(origin) as cURL, and paste it here; it is not shown."
        )
    }

    private func readStandardInput() throws(LoginFault) -> Secret {
        let wait = InputWait(descriptor: STDIN_FILENO, deadline: .now + .seconds(PasswordCommand.patience))
        do {
            return try SecretFile.all(of: STDIN_FILENO, limit: PastedLines.limit, waiting: wait)
        } catch {
            throw Self.fault(error == .tooLong ? CopyFault.tooLong.words : error.words)
        }
    }

    /// The session in a text that a person has copied in their browser.
    /// - Throws: `usage` where there is none of the profile's, `untrusted` where it is of another origin.
    func credential(in text: Secret, username: String?) throws(LoginFault) -> Credential {
        context.topic.isCopied = true
        guard !profile.sessionRule.isCredential else {
            throw Self.fault("the session of \(profile.name) is its credential; log in with that")
        }
        let origin = try context.connections.endpoint(profile).origin
        let request = try read(text)
        if let url = request.url {
            let found = try URLParser.parsed(url).origin
            guard found == origin else { throw .untrusted(.otherOrigin(target: found.description)) }
        }
        for (name, value) in request.headers where ["host", "authority"].contains(name.lowercased()) {
            let host = value.unprotectedText.lowercased()
            guard [origin.authority, "\(origin.host):\(origin.port)"].contains(host) else {
                throw .untrusted(.otherOrigin(target: host))
            }
        }
        do throws(CopyFault) {
            let session = try request.session(by: profile.sessionRule, expires: JSONWebToken.end) {
                CookieRecord.cookie($0, $1, for: origin)
            }
            guard CookieJar.holds(session.cookies) else { throw .tooManyCookies }
            let userAgent = profile.settings.takesUserAgent ? request.value(of: "user-agent") : nil
            return Credential(
                username: username,
                .copied(
                    CopiedSession(session, bindsToDevice: DeviceBinding.isTold(by: request.headers.map(\.name)))),
                extraSecrets: userAgent.map { [.userAgent: $0] } ?? [:])
        } catch {
            throw Self.fault(error.words)
        }
    }

    private func read(_ text: Secret) throws(LoginFault) -> CopiedRequest {
        let endpoint = try context.connections.endpoint(profile), now = context.dependencies.clock.now()
        // With what a path may hold beside its text nobody can tell which cookie it is sent with.
        let path = profile.verify?.literalPath(base: endpoint.base, origin: endpoint.origin)
        do {
            return try CopiedRequest(text) { (text) throws(CopyFault) in
                try CookieLine.cookies(in: text, for: endpoint.origin, path: path, now: now).map(CookieRecord.cookie)
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
        let isSecure = origin.scheme == "https" || CookieLine.isAlwaysSecure(name)
        return cookie(name, value, expires: nil, domain: origin.bareHost, isSecure: isSecure)
    }

    /// A cookie as its line has it.
    static func cookie(_ line: CookieLine) -> Cookie {
        cookie(
            line.name, line.value, expires: line.expires, domain: (line.includesSubdomains ? "." : "") + line.host,
            path: line.path, isSecure: line.isSecure, isHTTPOnly: line.isHTTPOnly)
    }
}

extension RequestRule {
    /// The path that is sent, if nothing has to be filled in.
    fileprivate func literalPath(base: String, origin: Origin) -> String? {
        guard urlSlots.isEmpty, let request = try? request(base: base, SlotValues()) else { return nil }
        return String(request.url.dropFirst(origin.description.count).prefix { $0 != "?" })
    }
}

extension CopyFault {
    /// The fault, with what to copy instead.
    fileprivate var words: String {
        switch self {
        case .tooLong:
            "the text is longer than \(PastedLines.limit) bytes, or has more than \(ShellWords.most) lines; copy one request"
        case .tooManyWords: "the command has more than \(ShellWords.most) words; copy one request"
        case .unfinished: "the text breaks off; copy the whole command"
        case .shellSyntax: "the text has more than one command, or what a shell would fill in; nothing of it was run"
        case .blanksForTabs:
            "the cookies.txt has blanks between its fields, where tabs belong; export it once more, or copy the file itself"
        case .tooManyCookies:
            "the text has more cookies than one request can hold (\(CookieJar.most) of \(CookieJar.longest) "
                + "bytes); copy a request that is sent after a login in a private window"
        case .unsent(.expired):
            "the cookies in the text have expired; log in again in the browser, and export them after that"
        case .unsent(.otherHost(let host)): "the cookies.txt has no cookie of \(host) itself"
        case .unsent(.otherPath):
            "no cookie in the text is sent to the profile's verify request: their paths are others"
        case .unsent(.onlyHTTPS): "the cookies in the text are for https, and the profile's url is http"
        case .otherForm(let name):
            "the text was copied as \(name); choose 'Copy as cURL' in the browser's developer tools"
        case .unknownForm:
            "the text is no curl command, Cookie line or cookies.txt; choose 'Copy as cURL' in the browser's developer tools"
        case .noURL: "the curl command has no URL with https:// or http://, or several; copy one request"
        case .noSession(let wanted):
            wanted.isEmpty
                ? "the profile sends no session that could be copied"
                : "the text has no \(wanted.joined(separator: " or ")) header with the session; copy a request that the "
                    + "page has sent while you were logged in"
        }
    }
}
