@testable import LoginKit
import Secrets

/// Values that the tests of the flow and of its loop are made of.
enum SomeLogin {
    static let origin = Origin(scheme: "https", host: "blog.example", port: 443)
    /// As it is known before the server was asked.
    static let space = ProtectionSpace(origin: origin, method: .auto)
    /// As the server names it.
    static let namedSpace = ProtectionSpace(origin: origin, realm: "Staff", method: .basic)
    static let ticketSpace = ProtectionSpace(origin: origin, method: .negotiate)
    static let subject = LoginFlow.Subject(profile: "blog", protectionSpace: space, fields: [.username, .password])

    static let session = Session.token(Token(value: Secret("canary-token"), refreshToken: nil, expires: nil))
    static let identity = Identity(username: "anna", serverName: "Anna")
    static let login = Login(identity: identity, session: session)
    static let credential = Credential(username: "bert", .password(Secret("canary-password")))
    static let namelessCredential = Credential(username: nil, .password(Secret("canary-password")))
    static let refusal = Refusal(status: 401, words: "no")
    static let unnamed = Refusal(status: 200, doubt: .unnamed(place: "/name"))
    static let doubted = Refusal(status: 403, doubt: .forbidden)
    static let unconfirmed = UnconfirmedLogin(response: .tookPassword, url: "https://blog.example/me")
    /// A wrong password is one of its readings.
    static let undecided = UnconfirmedLogin(response: .undecided, url: "https://blog.example/me")

    static let network = LoginFault.network(.connectionLost)
    static let busy = LoginFault.busy(BusyFault(status: 503, retryAfter: 7, words: nil))
    /// Longer than anybody is asked to wait.
    static let busyForLong = LoginFault.busy(BusyFault(status: 503, retryAfter: 3600, words: nil))
    static let forbidden = LoginFault.forbidden(Refusal(status: 403))

    /// Self-signed, and past its time.
    static let trust = ServerTrust(
        origin: origin, reasons: [.expired, .selfSigned], subject: "CN = blog", issuer: "CN = blog", notBefore: 0,
        notAfter: 1_582_934_400, fingerprint: fingerprint(7), key: "blog key")
    /// The same certificate with a fault that nobody may accept.
    static let hopelessTrust = ServerTrust(
        origin: origin, reasons: [.expired, .tooWeak], subject: "CN = blog", issuer: "CN = blog", notBefore: 0,
        notAfter: 1_582_934_400, fingerprint: fingerprint(7), key: "weak key")

    static func fingerprint(_ byte: UInt8) -> Fingerprint {
        guard let fingerprint = Fingerprint(bytes: [UInt8](repeating: byte, count: 32)) else { fatalError("not 32") }
        return fingerprint
    }

    /// Who `identity` was before the server named another.
    static let formerIdentity = Identity(username: "anna", serverName: "Anna of old")

    static func flow(
        _ policy: LoginFlow.Policy = LoginFlow.Policy(), proposing name: String? = nil,
        storing accounts: [Identity] = []
    ) -> LoginFlow {
        let subject = LoginFlow.Subject(
            profile: "blog", protectionSpace: space, fields: subject.fields, accounts: accounts)
        return LoginFlow(subject: subject, policy: policy, proposedUsername: name)
    }
}
