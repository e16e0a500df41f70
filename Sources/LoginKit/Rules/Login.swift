import Secrets

/// A login that the verify endpoint has confirmed: what is kept.
package struct Login: Equatable, Sendable {
    /// The identity that verify confirmed.
    var identity: Identity
    /// The session for all later requests.
    var session: Session
    /// The credential for a new session; kept only if the profile says `keep-password`.
    var credential: Credential?
    /// Secrets that later requests need beside the session, kept with it.
    var extraSecrets: [CredentialField: Secret] = [:]
    /// The response of verify without a login; `nil` if it was not asked or is of no use.
    var anonymousResponse: AnonymousResponse?
    /// The verify request that has accepted a new login.
    var accepted: AcceptedVerify?
    /// Where it was verified, if that was by HTTP authentication just now.
    var space: VerifiedSpace?
    /// Whether it is a browser's session that the service binds to the browser's device.
    var bindsToDevice = false
}

/// The last new login that a verify request has accepted. Nothing of it is secret.
struct AcceptedVerify: Equatable, Sendable {
    /// The fingerprint of the request: another one has accepted nothing yet.
    let request: String
    /// The response to anonymous clients at that time; `nil` if it was of no use.
    let anonymous: AnonymousResponse?
}

// With the kind of key that the rest of the file has: the runtime makes a container for each other one, at every start.
extension AcceptedVerify: Codable {
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FormKey.self)
        request = try members.decode(String.self, forKey: "request")
        anonymous = try members.decodeIfPresent(AnonymousResponse.self, forKey: "anonymous")
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: FormKey.self)
        try members.encode(request, forKey: "request")
        try members.encodeIfPresent(anonymous, forKey: "anonymous")
    }
}

extension [CredentialField: Secret] {
    /// The secrets that a person was asked for, without those that a login returned.
    var asked: Self { filter { !$0.key.isTaken } }

    /// The values of these names that a login returned.
    func taken(_ names: Set<String>) -> Self {
        filter { if case .taken(let name) = $0.key { names.contains(name) } else { false } }
    }
}

extension CredentialField {
    /// The name of the browser that a login was made in, where the service wants it from whoever has the session. No profile has a
    /// value with a blank in its name.
    package static let userAgent = CredentialField.taken("user agent")

    /// The passphrase of a machine's encrypted key. No profile can have it sent: a label in one is never empty.
    static let keyPassphrase = CredentialField.secret("")

    var isTaken: Bool { if case .taken = self { true } else { false } }
}

extension Cookie {
    /// Whether no script of the service's pages can read it (RFC 6265, section 4.1.2.6), which a record in the Netscape
    /// format begins with.
    package var isHTTPOnly: Bool {
        record.withUnsafeBytes { $0.starts(with: "#HttpOnly_".utf8) }
    }
}

extension [Cookie] {
    /// Those that carry the session. Where some are HttpOnly it is one of them: the others are for scripts, such as a token
    /// against forged requests, and often outlive the session by months.
    var carryingSession: [Cookie] {
        let hidden = filter(\.isHTTPOnly)
        return hidden.isEmpty ? self : hidden
    }

    /// They end one by one: known only where all say when, and then the last end counts.
    var end: Int64? {
        let ends = carryingSession.compactMap(\.expires)
        return ends.count == carryingSession.count ? ends.max() : nil
    }

    /// Whether each has the value that it has in `others`.
    func haveValues(of others: [Cookie]) -> Bool {
        allSatisfy { cookie in others.contains { $0.name == cookie.name && $0.value == cookie.value } }
    }
}

extension Session {
    /// The cookies that it consists of, or that go with its token.
    var cookies: [Cookie] {
        get {
            switch self {
            case .cookies(let cookies): cookies
            case .token(let token): token.cookies
            case .credential: []
            }
        }
        set {
            switch self {
            case .cookies: self = .cookies(newValue)
            case .token(let token): self = .token(token.with(newValue))
            case .credential: break
            }
        }
    }

    /// Whether it is carried by cookies that were there before the login: then whoever knew those is logged in now
    /// (session fixation).
    func isCarried(by earlier: [Cookie]) -> Bool {
        guard case .cookies(let cookies) = self else { return false }
        let carrying = cookies.carryingSession
        return !carrying.isEmpty && carrying.haveValues(of: earlier)
    }
}

/// The protection space that a login was verified in, as far as later requests have to know it (RFC 9110, section 11.5). Nothing of
/// it is secret.
struct VerifiedSpace: Equatable, Sendable, Codable {
    /// The server's own word for it; `nil` if it named none.
    let realm: String?
    /// The path that verified the login, up to its last slash.
    let folder: String

    /// In bytes: a longer realm is as good as none.
    private static let longestRealm = 4 << 10

    /// - Parameter path: of the request that verified the login, from its first slash on, without a query.
    init(realm: String?, path: String) {
        self.realm = realm.flatMap { $0.utf8.count <= Self.longestRealm ? $0 : nil }
        folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
    }

    /// Reads what `encode` wrote.
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FormKey.self)
        realm = try members.decodeIfPresent(String.self, forKey: "realm")
        folder = try members.decode(String.self, forKey: "folder")
    }

    /// Whether a password may be sent to this path before the server has asked for it: at or below the folder (RFC 7617,
    /// section 2.2).
    func covers(path: String) -> Bool {
        path.utf8.starts(with: folder.utf8)
    }

    /// Whether a challenge is of this space for certain: both name the same realm.
    func isNamed(by challenge: AuthenticateChallenge) -> Bool {
        guard let realm, let named = challenge.realm, challenge.tellsRealm else { return false }
        return named.isSame(as: realm)
    }

    /// The realm that these challenges name, if it is another one for certain. Where either side names none, or one of them
    /// cannot be told, nothing tells the two apart.
    func otherRealm(in offered: [AuthenticateChallenge]) -> String? {
        guard realm != nil, !offered.contains(where: { !$0.tellsRealm || isNamed(by: $0) }) else { return nil }
        return offered.compactMap(\.realm).first
    }
}

extension AuthenticateChallenge {
    /// Whether its realm, if it names one, can be compared: once, with an end, and in UTF-8. What is not became U+FFFD on its way
    /// here, as which all realms are alike.
    fileprivate var tellsRealm: Bool {
        !malformed.union(repeated).contains("realm") && realm?.unicodeScalars.contains("\u{FFFD}") != true
    }
}

/// The proof that a login works.
enum Proof: Equatable, Sendable {
    /// The endpoint that answers whether a session is good and, if it can, whose it is. Its rules hold for requests of a
    /// person's own, too.
    case verify(RequestRule)
    /// The service has no such endpoint: the answer to the login request is the proof, by a 2xx with the token or a cookie in it.
    /// The rules are for requests of a person's own alone.
    case loginResponse(ResponseRule)

    /// By which the answer to a request with a session is read.
    var rules: ResponseRule {
        switch self {
        case .verify(let request): request.response
        case .loginResponse(let rules): rules
        }
    }
}

extension Profile {
    /// The verify endpoint, if the service has one.
    package var verify: RequestRule? { if case .verify(let request) = proof { request } else { nil } }

    /// The request that has to send an anonymous client away before anybody is asked for a credential. Login forms
    /// are never submitted empty.
    var guarded: (rule: RequestRule, step: Step)? {
        switch proof {
        case .verify(let request): return (request, .verify)
        case .loginResponse:
            return traits.authenticatesRequests ? login.map { ($0, .login) } : nil
        }
    }
}
