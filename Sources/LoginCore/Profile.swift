/// One named way to log in to one service, as a person wrote it down.
///
/// Decoded and checked by whoever reads the file; here it is only values.
public struct Profile: Equatable, Sendable {
    public var name: String
    /// The origin with a base path if there is one, exactly as written.
    public var url: String
    /// What is accepted, strongest first.
    public var methods: [AuthenticationMethod]
    public var verify: RequestRule
    public var login: RequestRule?
    public var refresh: RequestRule?
    public var logout: RequestRule?
    public var session: SessionRule?
    /// The user name to offer.
    public var user: String?
    public var settings: Settings

    /// What the options of the same names also say.
    public struct Settings: Equatable, Sendable {
        public var allowHTTP = false
        public var proxy: String?
        /// The file of the authorities that replace the system's.
        public var caFile: String?
        /// The file of the client certificate: PEM or PKCS#12.
        public var certificate: String?
        /// The file of its key, where that is another one.
        public var key: String?
        /// Seconds for one request.
        public var timeout: Int?
        public var store: String?
        public var persist: Persistence?
        public var keepPassword = false
        public var passwordCommand: String?

        public init() {}
    }

    public init(name: String, url: String, methods: [AuthenticationMethod] = [.auto], verify: RequestRule) {
        self.name = name
        self.url = url
        self.methods = methods
        self.verify = verify
        self.settings = Settings()
    }
}

extension Profile {
    /// Whether the credential is sent by the HTTP authentication framework (RFC 9110, section 11), not by a request
    /// of the profile's own.
    public var answersChallenges: Bool {
        !methods.contains(.cookie) && !methods.contains(.token)
    }

    /// Whether a ticket may take the place of a password.
    public var mayUseTicket: Bool {
        answersChallenges && (methods.contains(.negotiate) || methods.contains(.auto))
    }

    /// Whether the client certificate alone is the proof.
    public var provesByCertificate: Bool { methods == [.certificate] }

    /// Whether a person pastes the token itself.
    public var takesPastedToken: Bool {
        methods.contains(.token) && login == nil
    }

    /// What stays after a login, as written or as the method has it.
    public var sessionRule: SessionRule {
        if let session { return session }
        if methods.contains(.cookie) { return SessionRule(cookies: true) }
        if methods.contains(.token) { return .bearer }
        return SessionRule()
    }

    /// What a login asks for: only what its templates use.
    public var fields: [CredentialField] { primaryFields + labels.map { .secret($0) } }

    /// Whether a login needs what is asked for once.
    public var asksForMore: Bool { fields != primaryFields }

    /// What has to be given at each login.
    private var primaryFields: [CredentialField] {
        if takesPastedToken {
            return sessionRule.slots.contains(.username) ? [.username, .token] : [.token]
        }
        if methods == [.negotiate] || provesByCertificate { return [] }
        guard let login, !answersChallenges else { return [.username, .password] }
        let slots = login.slots
        return (slots.contains(.username) ? [.username] : []) + (slots.contains(.password) ? [.password] : [])
    }

    /// Those of `{secret:LABEL}` in any request, once each.
    private var labels: [String] {
        let slots = [login, verify, refresh, logout].compactMap { $0 }.flatMap(\.slots)
        return Set(slots.compactMap { if case .secret(let label) = $0 { label } else { nil } }).sorted()
    }
}

/// How the session goes along with a request.
public struct SessionRule: Equatable, Sendable {
    public var headers: [HeaderRule] = []
    /// Headers for requests that write: every verb but GET, HEAD, OPTIONS, PROPFIND and REPORT.
    public var writeHeaders: [HeaderRule] = []
    public var cookies = false
    public var basic: BasicRule?

    /// The names of the headers that it sets by itself, in lower case.
    public var ownHeaders: Set<String> {
        Set((headers + writeHeaders).map { $0.name.lowercased() } + ["authorization", "proxy-authorization", "cookie"])
    }

    /// The pair of RFC 7617, made from a token.
    public struct BasicRule: Equatable, Sendable {
        public var username: Template
        public var password: Template

        public init(username: Template, password: Template) {
            self.username = username
            self.password = password
        }
    }

    public init(cookies: Bool = false) {
        self.cookies = cookies
    }

    /// `Authorization: Bearer {token}` (RFC 6750, section 2.1).
    public static let bearer: SessionRule = {
        var rule = SessionRule()
        let value = Template(parts: [.text("Bearer "), .slot(.token)])
        rule.headers = [HeaderRule(name: "Authorization", value: value)]
        return rule
    }()

    /// Whether the credential itself is what is sent.
    public var isCredential: Bool { self == SessionRule() }

    public var slots: Set<Template.Slot> {
        var slots = Set((headers + writeHeaders).flatMap(\.value.slots))
        if let basic { slots.formUnion(basic.username.slots + basic.password.slots) }
        return slots
    }
}

/// One `Name: value`, as for curl's `-H`.
public struct HeaderRule: Equatable, Sendable {
    public var name: String
    public var value: Template

    public init(name: String, value: Template) {
        self.name = name
        self.value = value
    }
}
