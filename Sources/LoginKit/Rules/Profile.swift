/// One named way to log in to one service, as a person wrote it down.
///
/// Decoded and checked by whoever reads the file; here it is only values.
public struct Profile: Equatable, Sendable {
    /// The name that commands use.
    public var name: String
    /// The origin with a base path if there is one, exactly as written.
    public var url: String
    /// The accepted methods, strongest first, as the profile says them; `kind` follows from them.
    package var methods: [AuthenticationMethod] = [.auto]
    /// The proof of a login; of the login's own answer only beside a `login`.
    var proof: Proof
    /// The requests that turn a user name and a password into a session, in this order; none where what a person gives is the
    /// session already.
    package var loginSteps: [RequestRule] = []
    /// Path and query of the page at which a login in a browser begins; `nil` for the URL of verify.
    var windowPage: String?
    /// The header that a login in a browser takes the session from, as the service's pages send it.
    var takesHeader: String?
    /// Refreshes a token; `nil` if the service has no such request, or the profile does not say it.
    package var refresh: RequestRule?
    /// Ends the session at the server; `nil` if logging out only forgets it here.
    package var logout: RequestRule?
    /// As the profile says it; `nil` for what is usual with its methods: `sessionRule`.
    var session: SessionRule?
    /// The grant of its logins, if an authorization server issues them.
    package var oauth: OAuthProfile?
    /// The user name to offer.
    var user: String?
    /// Path and query of a page where a person can register, appended to `url`.
    var signup: String?
    /// The path and query of its server of the Model Context Protocol, appended to `url`.
    package var mcp: String?
    /// The path at which it takes GraphQL documents, appended to `url`.
    package var graphql: String?
    /// Whether a request that only reads may go out without a session where no login was ever kept.
    var mayReadAnonymously = true
    /// Its settings for `exec --serve`, which lends its logins.
    package var serve = ServeSettings()
    /// Settings for its requests and for storing its logins.
    package var settings = Settings()

    /// The settings that options of the same names override.
    package struct Settings: Equatable, Sendable {
        /// Whether secrets may go over plain http to this origin. A loopback address needs no permission.
        package var allowHTTP = false
        /// As `--proxy` takes it: a URL, `none`, or `environment` for the usual variables, which is the default.
        var proxy: String?
        /// The source of `proxy`.
        var proxySource = ProxySource.file
        /// The file of the authorities that replace the system's.
        package var caFile: String?
        /// The file of the client certificate: PEM or PKCS#12.
        package var certificate: String?
        /// The file of its key, where that is another one.
        package var key: String?
        /// Seconds for one request.
        package var timeout: Int?
        /// The value of `User-Agent` (RFC 9110, section 10.1.5), for services that bind a session to it; `nil` for authctl's own.
        package var userAgent: String?
        /// Whether the browser that a login was made in gives its name, which is kept beside the session.
        var takesUserAgent = false
        /// Whether cookies of domains above the host may be taken from a browser.
        var parentCookies = false
        /// The name of the store for its logins, as `StoreName` reads it; `nil` for `auto`.
        package var store: String?
        /// The lifetime of a stored login; `nil` for the default.
        package var persist: Persistence?
        /// Whether the password stays beside the token or the cookies that it earned.
        var keepPassword = false
        /// The program that prints the password, to be split into words; no shell reads it.
        var passwordCommand: String?
        /// The program that prints the code of a second factor, likewise.
        var otpCommand: String?
        /// The program that opens the URL of a login in a browser, likewise.
        var browser: String?
        /// The issuers of the authorization servers to which another profile may show the token, as its `identity`.
        var lendTo: [String] = []

        /// The defaults.
        package init() {}
    }
}

extension Profile {
    /// Without what is optional: the credential is sent with every request, by a scheme that the server offers.
    init(name: String, url: String, methods: [AuthenticationMethod] = [.auto], verify: RequestRule) {
        self.init(name: name, url: url, methods: methods, proof: .verify(verify))
    }

    /// The only request of a login, or the first of its steps.
    package var login: RequestRule? {
        get { loginSteps.first }
        set { loginSteps = newValue.map { [$0] } ?? [] }
    }

    /// The rule for reading a login's session: that of the steps, the last one first.
    var loginResponse: ResponseRule? {
        guard let last = loginSteps.last?.response else { return nil }
        return loginSteps.dropLast().reversed().reduce(last) { $0.completed(by: $1.response) }
    }

    /// Whether a person approves a login at a page that a response of it names.
    var opensPage: Bool { loginSteps.contains { $0.opens != nil } }

    /// Whether a code is asked for together with the password: nothing that the server says tells whether it wants one.
    var asksCodeAtOnce: Bool {
        loginSteps.count == 1 && loginSteps[0].response.secondFactor == nil && loginSteps[0].slots.contains(.code)
    }

    /// Whether a form takes the password, which a page may then show again.
    var hasLoginForm: Bool {
        loginSteps.contains { step in if case .form = step.content { step.slots.contains(.password) } else { false } }
    }

    /// The whole URL of the page where a person can register.
    var signupURL: String? {
        signup.map { (url.hasSuffix("/") ? String(url.dropLast()) : url) + $0 }
    }

    /// The session that a login leaves, as written or by the method's default.
    package var sessionRule: SessionRule {
        guard let session else { return traits.session }
        guard session.isCredential else { return session }
        // What is sent with some requests only says nothing of what the session is.
        var rule = session
        (rule.headers, rule.cookies) = (traits.session.headers, traits.session.cookies)
        return rule
    }

    /// The names of the headers that a session sets by itself, in lower case; `…` stands for what is filled in. What is for a
    /// proxy is nobody's to set.
    package var sessionHeaders: Set<String> {
        let rule = sessionRule
        var names = Set((rule.headers + rule.writeHeaders).map(\.shownName) + ["proxy-authorization"])
        if rule.basic != nil { names.insert("authorization") }
        if traits.answersChallenges { names.insert(rule.isCredential ? "authorization" : "cookie") }
        if rule.cookies || traits.session.cookies { names.insert("cookie") }
        return names
    }

    /// The fields that a login asks for: those that its templates use.
    package var fields: [CredentialField] {
        traits.fields(self) + (asksCodeAtOnce ? [.code] : []) + labels.map { .secret($0) }
    }

    /// Whether a login needs what is asked for once.
    var asksForMore: Bool { !labels.isEmpty }

    /// The names of what a login hands out that is needed once it is over.
    var takenForLater: Set<String> {
        let slots = [verify, refresh, logout].compactMap { $0 }.flatMap(\.slots) + sessionRule.slots
        return Set(slots.compactMap { if case .taken(let name) = $0 { name } else { nil } })
    }

    /// Where the login takes the value of this name from.
    func place(ofTaken name: String) -> String? {
        (loginSteps + [refresh].compactMap { $0 }).flatMap(\.response.taken).first { $0.name == name }?.place
            .description
    }

    /// The labels of `{secret:LABEL}` in any request and in the session, once each.
    private var labels: [String] {
        let slots = (loginSteps + [verify, refresh, logout].compactMap { $0 }).flatMap(\.slots) + sessionRule.slots
        var labels = Set(slots.compactMap { if case .secret(let label) = $0 { label } else { nil } })
        if case .asked(let label) = oauth?.clientSecret { labels.insert(label) }
        return labels.sorted()
    }
}
