import LoginKit
import Secrets

/// The session in the words of curl's configuration file, see curl(1), -K.
struct CurlConfig {
    let run: LoginRun
    let session: Session
    let attachment: Service.Attachment
    /// Where curl reads the cookies from, which it then sends by the rules for cookies; `nil` to send them as a header.
    let cookieFile: String?

    /// curl takes no longer line.
    private static let longestLine = 100 << 10

    func text() throws(LoginFault) -> Secret {
        var text = SecretBuilder(limit: 16 * Self.longestLine)
        writePlace(to: &text)
        try writeCredential(to: &text)
        for field in attachment.request.headers { text.option("header", field.line) }
        if let cookieFile {
            text.option("cookie", Secret(cookieFile))
        } else if !attachment.request.cookies.isEmpty {
            // curl does not send it to another host after a redirect.
            text.option("header", Secret("Cookie: ", followedBy: attachment.request.cookies.headerValue))
        }
        try writeCertificate(to: &text)
        guard let text = text.finish() else { throw Self.tooLong }
        return text
    }

    private static let tooLong = LoginFault.failure("the session is too long for curl")

    /// No URL: that is for the command to say. But a session of https does not go out in clear.
    private func writePlace(to text: inout SecretBuilder) {
        let scheme = Secret("=\(run.endpoint.origin.scheme)")
        text.option("proto", scheme)
        text.option("proto-redir", scheme)
        if let file = run.profile.settings.caFile {
            text.option("cacert", Secret(file))
            text.option("proxy-cacert", Secret(file))
        }
        if let name = run.profile.settings.userAgent { text.option("user-agent", Secret(name)) }
        writeProxy(to: &text)
    }

    /// The way that authctl itself takes: curl obeys the proxy variables of its environment for http and for this machine, too.
    private func writeProxy(to text: inout SecretBuilder) {
        let origin = run.endpoint.origin
        switch run.profile.settings.namedProxy ?? .environment {
        case .environment where origin.scheme == "https" && !origin.isLoopback: break
        case .none, .environment: text.option("noproxy", Secret("*"))
        case .url(let url, _):
            text.option("proxy", Secret(url))
            text.option("noproxy", Secret(""))
        }
    }

    private func writeCredential(to text: inout SecretBuilder) throws(LoginFault) {
        switch attachment.method {
        case .digest: text.append("digest\n")
        case .negotiate:
            // The ticket says who it is; without a user curl does not look for it.
            text.append("negotiate\nuser = \":\"\n")
        case .basic: text.append("basic\n")
        // In the certificate, the cookies or the headers. What a method computes for each request is in none of them: it throws
        // `hasNoHeader`, or curl would send its requests without a credential.
        case .certificate, .cookie, .token, .oauth, .browser, .auto, nil: break
        }
        guard let pair = attachment.request.basic else { return }
        let user = Secret("\(pair.username):", followedBy: pair.password)
        guard user.count <= Self.longestLine else { throw Self.tooLong }
        text.option("user", user)
    }

    private func writeCertificate(to text: inout SecretBuilder) throws(LoginFault) {
        let settings = run.profile.settings
        guard let file = settings.certificate else { return }
        let passphrase =
            run.profile.traits.isProvedByCertificate ? session.passphrase : run.extraSecrets[.passphrase]
        let isPKCS12 = try KeyFile.isPKCS12(
            certificate: file, key: settings.key, passphrase: passphrase, now: run.context.dependencies.clock.now())
        // A colon would end the name, and begin a passphrase.
        text.option("cert", Secret(file.replacing("\\", with: "\\\\").replacing(":", with: "\\:")))
        if isPKCS12 { text.option("cert-type", Secret("P12")) }
        if let key = settings.key { text.option("key", Secret(key)) }
        if let passphrase { text.option("pass", passphrase) }
    }
}

extension HTTPRequestField {
    /// As curl's -H takes it: `Name: value`, and `Name;` for an empty one.
    fileprivate var line: Secret {
        if value.isEmpty { return Secret("\(name);") }
        return Secret("\(name): ", followedBy: value)
    }
}

extension SecretBuilder {
    /// `name = "value"`, with the escapes that curl knows between quotes.
    fileprivate mutating func option(_ name: String, _ value: Secret) {
        append("\(name) = \"")
        for index in 0..<value.count {
            let byte = value.withUnsafeBytes { $0[index] }
            switch byte {
            case UInt8(ascii: "\\"): append("\\\\")
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\n"): append("\\n")
            case UInt8(ascii: "\r"): append("\\r")
            case UInt8(ascii: "\t"): append("\\t")
            default: append(byte)
            }
        }
        append("\"\n")
    }
}
