import LoginKit
import Secrets

/// The session in the words of curl's configuration file, see curl(1), -K.
struct CurlConfig {
    let run: LoginRun
    let session: Session
    let attachment: Service.Attachment
    /// Where curl reads the cookies from, which it then sends by the rules for cookies.
    let cookieFile: String?

    /// curl takes no longer line.
    private static let longestLine = 100 << 10

    func text() throws(LoginFault) -> Secret {
        var text = SecretBuilder(limit: 16 * Self.longestLine)
        do {
            try writePlace(to: &text)
            try writeCredential(to: &text)
            for field in attachment.request.headers { try text.option("header", field.line) }
            if let cookieFile { try text.option("cookie", Secret(cookieFile)) }
        } catch {
            throw Self.tooLong
        }
        try writeCertificate(to: &text)
        return text.finish()
    }

    /// Cookies in the Netscape format, each record of which libcurl itself has written.
    static func cookies(_ cookies: [Cookie]) throws(LoginFault) -> Secret {
        var text = SecretBuilder(limit: 16 * longestLine)
        do {
            try text.append("# Netscape HTTP Cookie File\n")
            for cookie in cookies {
                try text.append(cookie.record)
                try text.append("\n")
            }
        } catch {
            throw tooLong
        }
        return text.finish()
    }

    private static let tooLong = LoginFault.failure(.other("the session is too long for curl"))

    /// No URL: that is for the command to say. But a session of https does not go out in clear.
    private func writePlace(to text: inout SecretBuilder) throws(SecretBuilder.LimitExceeded) {
        let scheme = Secret("=\(run.endpoint.origin.scheme)")
        try text.option("proto", scheme)
        try text.option("proto-redir", scheme)
        if let file = run.profile.settings.caFile {
            try text.option("cacert", Secret(file))
            try text.option("proxy-cacert", Secret(file))
        }
        if let name = run.profile.settings.userAgent { try text.option("user-agent", Secret(name)) }
        try writeProxy(to: &text)
    }

    /// The way that authctl itself takes: curl obeys the proxy variables of its environment for http and for this machine, too.
    private func writeProxy(to text: inout SecretBuilder) throws(SecretBuilder.LimitExceeded) {
        let origin = run.endpoint.origin
        switch run.profile.settings.namedProxy ?? .environment {
        case .environment where origin.scheme == "https" && !origin.isLoopback: break
        case .none, .environment: try text.option("noproxy", Secret("*"))
        case .url(let url, _):
            try text.option("proxy", Secret(url))
            try text.option("noproxy", Secret(""))
        }
    }

    private func writeCredential(to text: inout SecretBuilder) throws(SecretBuilder.LimitExceeded) {
        switch attachment.method {
        case .digest: try text.append("digest\n")
        case .negotiate:
            // The ticket says who it is; without a user curl does not look for it.
            try text.append("negotiate\nuser = \":\"\n")
        case .basic: try text.append("basic\n")
        case .certificate, .cookie, .token, .oauth, .browser, .auto, nil: break
        }
        guard let pair = attachment.request.basic else { return }
        var user = SecretBuilder(limit: Self.longestLine)
        try user.append("\(pair.username):")
        try user.append(pair.password)
        try text.option("user", user.finish())
    }

    private func writeCertificate(to text: inout SecretBuilder) throws(LoginFault) {
        let settings = run.profile.settings
        guard let file = settings.certificate else { return }
        let passphrase =
            run.profile.traits.isProvedByCertificate ? session.passphrase : run.extraSecrets[.passphrase]
        let identity = try KeyFile.files(certificate: file, key: settings.key)
            .open(passphrase: passphrase, now: run.context.dependencies.clock.now())
        do {
            // A colon would end the name, and begin a passphrase.
            try text.option("cert", Secret(file.replacing("\\", with: "\\\\").replacing(":", with: "\\:")))
            if identity?.isPKCS12 == true { try text.option("cert-type", Secret("P12")) }
            if let key = settings.key { try text.option("key", Secret(key)) }
            if let passphrase { try text.option("pass", passphrase) }
        } catch {
            throw Self.tooLong
        }
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
    fileprivate mutating func option(_ name: String, _ value: Secret) throws(LimitExceeded) {
        try append("\(name) = \"")
        for index in 0..<value.count {
            let byte = value.withUnsafeBytes { $0[index] }
            switch byte {
            case UInt8(ascii: "\\"): try append("\\\\")
            case UInt8(ascii: "\""): try append("\\\"")
            case UInt8(ascii: "\n"): try append("\\n")
            case UInt8(ascii: "\r"): try append("\\r")
            case UInt8(ascii: "\t"): try append("\\t")
            default: try append(byte)
            }
        }
        try append("\"\n")
    }
}
