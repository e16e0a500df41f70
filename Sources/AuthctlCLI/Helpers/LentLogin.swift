import LoginCore
import Secrets

/// A login as another program sends it by itself.
struct LentLogin: Equatable, Sendable {
    /// The credential that the other program sends.
    enum Proof: Equatable, Sendable {
        /// The pair of HTTP Basic (RFC 7617).
        case pair(username: Secret, password: Secret)
        /// The value of `Authorization`: a scheme, such as `Bearer`, and its credential.
        case token(scheme: String, value: Secret)
    }

    /// The proof of the login, in the form that the profile sends.
    let proof: Proof
    /// Seconds of Unix time, as far as the end is known.
    let expires: Int64?

    /// - Parameter values: of the session, and what its login issued for later requests.
    /// - Returns: `nil` for a session that is sent in another way.
    init?(_ session: Session, _ rule: SessionRule, _ values: SlotValues) throws(FillFault) {
        if let pair = try rule.basicPair(session, values) {
            proof = .pair(username: pair.username, password: pair.password)
        } else if let (scheme, value) = try rule.authorization(session, values) {
            proof = .token(scheme: scheme, value: value)
        } else {
            return nil
        }
        expires = session.expires
    }

    /// The proof of the login, without the user name.
    var secret: Secret {
        switch proof {
        case .pair(_, let password): password
        case .token(_, let value): value
        }
    }

    /// In bytes, with its end: longer lines are more than another reader of the protocol has to take (git-credential(1),
    /// "INPUT/OUTPUT FORMAT").
    static let longestGitLine = 65_535

    /// The lines of an answer to git, the last without its end.
    /// - Throws: where a value would end its line, or makes it too long.
    func gitAnswer() throws(GitResponseFault) -> Secret {
        var lines: [(name: String, value: Secret)]
        switch proof {
        case .pair(let username, let password): lines = [("username", username), ("password", password)]
        case .token(let scheme, let value):
            lines = [("capability[]", Secret("authtype")), ("authtype", Secret(scheme)), ("credential", value)]
        }
        if let expires { lines.append(("password_expiry_utc", Secret(String(expires)))) }
        for line in lines {
            guard line.value.isOneLine else { throw .lineEnd }
            guard line.name.utf8.count + line.value.count + 2 <= Self.longestGitLine else {
                throw .tooLong(limit: Self.longestGitLine)
            }
        }
        var text = SecretBuilder(limit: RequestRule.bodyLimit)
        do throws(SecretBuilder.LimitExceeded) {
            for (index, line) in lines.enumerated() {
                try text.append(index > 0 ? "\n\(line.name)=" : "\(line.name)=")
                try text.append(line.value)
            }
        } catch {
            throw .tooLong(limit: error.limit)
        }
        return text.finish()
    }
}

/// A reason why git cannot be told a login.
enum GitResponseFault: Error, Equatable, Sendable {
    /// Something in it would end its line.
    case lineEnd
    /// In bytes.
    case tooLong(limit: Int)
}

extension Secret {
    /// Whether no reader of the protocol sees an end in it.
    fileprivate var isOneLine: Bool {
        withUnsafeBytes { $0.allSatisfy { $0 != 0 && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") } }
    }
}
