/// A key that a table of the configuration may have. The lists of them say what a table is: a key stands in one line with its
/// type and its place, and what is not in the list is an unknown key.
struct ConfigKey<Whole>: Sendable {
    let name: String
    /// The requests that have it, or the grants; `nil` for all.
    private(set) var owners: [String]?
    /// The method of a profile that has no use for it.
    private(set) var unfit: AuthenticationMethod?
    /// The key without which it means nothing.
    private(set) var needs: String?
    /// The keys that cannot stand beside it.
    private(set) var excludes: [String] = []
    /// The parts that a person has to see before they take them out of a profile of somebody else; `nil` for a harmless key.
    private(set) var risks: Entry.Reader<[String]>?
    let read: @Sendable (Entry, inout Whole) throws(UsageFault) -> Void

    /// - Parameters:
    ///   - type: how the value is read.
    ///   - place: puts it where it belongs.
    init<Value>(
        _ name: String, of owners: [String]? = nil, unfit: AuthenticationMethod? = nil, needs: String? = nil,
        not excludes: [String] = [], risks: Entry.Reader<[String]>? = nil, _ type: @escaping Entry.Reader<Value>,
        place: @escaping @Sendable (inout Whole, Value) -> Void
    ) {
        (self.name, self.owners, self.unfit, self.needs) = (name, owners, unfit, needs)
        (self.excludes, self.risks) = (excludes, risks)
        read = { (entry, whole) throws(UsageFault) in place(&whole, try type(entry)()) }
    }

    /// One whose value is judged by what was read before it.
    init(
        _ name: String, of owners: [String]? = nil, unfit: AuthenticationMethod? = nil,
        risks: Entry.Reader<[String]>? = nil,
        _ read: @escaping @Sendable (Entry) -> (inout Whole) throws(UsageFault) -> Void
    ) {
        (self.name, self.owners, self.unfit, self.risks) = (name, owners, unfit, risks)
        self.read = { (entry, whole) throws(UsageFault) in try read(entry)(&whole) }
    }
}

/// The keys of a profile, of the tables in it and of those at the top of config.toml, in the order in which they are read.
enum ProfileKeys {
    static let profile: [ConfigKey<Profile>] = [
        // No risk in a profile of somebody else.
        ConfigKey("url", Entry.url) { $0.url = $1 },
        ConfigKey("method", Entry.methods) { $0.methods = $1 },
        ConfigKey("verify", Entry.request) { $0.proof = .verify($1) },
        ConfigKey("mcp", Entry.plainPath) {
            $0.mcp = $1
            if $0.verify == nil { $0.proof = .verify(.initializingMCP(at: $1)) }
        },
        ConfigKey("graphql", Entry.graphQLPath) { $0.graphql = $1 },
        ConfigKey("logged-out", Entry.readLoggedOut),
        ConfigKey("forbidden", Entry.readForbidden),
        ConfigKey("refresh", unfit: .oauth, Entry.request) { $0.refresh = $1 },
        ConfigKey("logout", Entry.request) { $0.logout = $1 },
        ConfigKey("session", Entry.session) { $0.session = $1 },
        ConfigKey("login", unfit: .oauth, Entry.readLogin),
        ConfigKey("user", Entry.string) { $0.user = $1 },
        ConfigKey("signup", Entry.plainPath) { $0.signup = $1 },
        ConfigKey("anonymous", Entry.bool) { $0.mayReadAnonymously = $1 },
        ConfigKey("timeout", Entry.integer(in: 1...3600)) { $0.settings.timeout = $1 },
        ConfigKey("user-agent", Entry.userAgent) {
            $0.settings.takesUserAgent = $1 == "browser"
            $0.settings.userAgent = $1 == "browser" ? nil : $1
        },
        ConfigKey("keep-password", unfit: .oauth, Entry.bool) { $0.settings.keepPassword = $1 },
        ConfigKey("persist", Entry.choice as Entry.Reader<Persistence>) { $0.settings.persist = $1 },

        // Those that can run a program, read a file, name another server or weaken trust.
        ConfigKey("oauth", risks: Entry.risksOfOAuth, Entry.readOAuth),
        ConfigKey("serve", risks: Entry.risksOfServe, Entry.serve) { $0.serve = $1 },
        ConfigKey("allow-http", risks: Entry.itself, Entry.bool) { $0.settings.allowHTTP = $1 },
        ConfigKey("proxy", risks: Entry.itself, Entry.string) { $0.settings.proxy = $1 },
        ConfigKey("ca-file", risks: Entry.itself, Entry.file) { $0.settings.caFile = $1 },
        ConfigKey("certificate", risks: Entry.itself, Entry.file) { $0.settings.certificate = $1 },
        ConfigKey("key", risks: Entry.itself, Entry.file) { $0.settings.key = $1 },
        ConfigKey("parent-cookies", risks: Entry.itself, Entry.bool) { $0.settings.parentCookies = $1 },
        ConfigKey("store", risks: Entry.riskOfStore, Entry.store) { $0.settings.store = $1 },
        ConfigKey("password-command", unfit: .oauth, risks: Entry.itself, Entry.string) {
            $0.settings.passwordCommand = $1
        },
        ConfigKey("otp-command", unfit: .oauth, risks: Entry.itself, Entry.string) { $0.settings.otpCommand = $1 },
        ConfigKey("browser", risks: Entry.itself, Entry.string) { $0.settings.browser = $1 },
        ConfigKey("lend-to", risks: Entry.wholeList, Entry.strings) { $0.settings.lendTo = $1 },
    ]

    /// At the top of config.toml, for all profiles.
    static let top: [ConfigKey<Configuration.Defaults>] = [
        ConfigKey("default", Entry.string) { $0.profile = $1 },
        ConfigKey("store", Entry.store) { $0.store = $1 },
        ConfigKey("persist", Entry.choice as Entry.Reader<Persistence>) { $0.persist = $1 },
        ConfigKey("proxy", Entry.string) { $0.proxy = $1 },
        ConfigKey("passphrase-cache", Entry.integer(in: 1...604_800)) { $0.passphraseCache = $1 },
        ConfigKey("browser", Entry.string) { $0.browser = $1 },
        ConfigKey("qr", Entry.bool) { $0.showsQR = $1 },
        ConfigKey("client-metadata", Entry.url) { $0.clientMetadata = $1 },
        ConfigKey("profiles", Entry.inner) { _, _ in },
        ConfigKey("shared-key-file", Entry.absoluteFile) { $0.sharedKeyFile = $1 },
        ConfigKey("shared-profile", Entry.string) { $0.sharedProfile = $1 },
        ConfigKey("shared-cache", Entry.integer(in: 0...30)) { $0.sharedCache = $1 },
    ]

    /// A request, and what is said of its response.
    static let request: [ConfigKey<RequestRule>] = [
        ConfigKey("logged-in", of: ["login", "refresh", "logout"], Entry.refuseLoggedIn),
        ConfigKey("get", Entry.path) { ($0.method, $0.path) = ("GET", $1) },
        ConfigKey("post", Entry.path) { ($0.method, $0.path) = ("POST", $1) },
        ConfigKey("send", Entry.methodAndPath) { ($0.method, $0.path) = $1 },
        ConfigKey("follow", of: ["login"], Entry.bool) { $0.followsRedirects = $1 },
        ConfigKey("follow", of: ["logout"], Entry.path) { ($0.path, $0.followsLink) = ($1, true) },
        ConfigKey("follow", of: ["verify", "refresh"], Entry.refuseFollow),
        ConfigKey("refused", Entry.conditions) { $0.response.refused = $1 },
        ConfigKey("logged-out", Entry.conditions) { $0.response.loggedOut = $1 },
        ConfigKey("logged-in", of: ["verify"], Entry.loggedIn) { $0.response.loggedIn = $1 },
        ConfigKey("forbidden", Entry.conditions) { $0.response.forbidden = $1 },
        ConfigKey("second-factor", of: ["login"], Entry.conditions) { $0.response.secondFactor = $1 },
        ConfigKey("pending", of: ["login"], Entry.conditions) { $0.response.pending = $1 },
        ConfigKey("interval", of: ["login"], Entry.integer(in: 1...60)) { $0.response.interval = $1 },
        ConfigKey("message", Entry.cutPlace) { $0.response.message = $1 },
        ConfigKey("username", Entry.cutPlace) { $0.response.username = $1 },
        ConfigKey("token", Entry.place) { $0.response.token = $1 },
        ConfigKey("refresh-token", Entry.place) { $0.response.refreshToken = $1 },
        ConfigKey("expires", Entry.place) { $0.response.expiry = .at($1) },
        ConfigKey("expires-in", not: ["expires"], Entry.place) { $0.response.expiry = .inSeconds($1) },
        ConfigKey("expires-in-ms", not: ["expires", "expires-in"], Entry.place) {
            $0.response.expiry = .inMilliseconds($1)
        },
        ConfigKey("take", of: ["login", "refresh"], Entry.taken) { $0.response.taken = $1 },
        ConfigKey("query", Entry.parameters) { $0.query = $1 },
        ConfigKey("header", Entry.headers) { $0.headers = $1 },
        ConfigKey("form", Entry.parameters) { $0.content = .form($1) },
        ConfigKey("json", not: ["form"], Entry.json) { $0.content = .json($1) },
        ConfigKey("body", not: ["form", "json"], Entry.string) { $0.content = .body($1) },
        ConfigKey("open", of: ["login"], Entry.openedPage) { $0.opens = $1 },
        ConfigKey("origins", of: ["login"], needs: "open", Entry.strings) { $0.opens?.origins = $1 },
        ConfigKey("page", Entry.plainPath) { $0.page = $1 },
    ]

    /// `login` of the method `browser`.
    static let window: [ConfigKey<Profile>] = [
        ConfigKey("page", Entry.plainPath) { $0.windowPage = $1 },
        ConfigKey("take-header", Entry.takenHeader) { $0.takesHeader = $1 },
    ]

    static let session: [ConfigKey<SessionRule>] = [
        ConfigKey("cookies", Entry.bool) { $0.cookies = $1 },
        ConfigKey("header", Entry.filledHeaders) { $0.headers = $1 },
        ConfigKey("write-header", Entry.filledHeaders) { $0.writeHeaders = $1 },
        ConfigKey("basic", Entry.basic) { $0.basic = $1 },
        ConfigKey("form", Entry.parameters) { $0.form = $1 },
        ConfigKey("json", Entry.members) { $0.json = $1 },
        ConfigKey("csrf", Entry.csrf) { $0.csrf = $1 },
    ]

    static let csrf: [ConfigKey<CSRFRule>] = [
        ConfigKey("value", Entry.cutPlace) { $0.value = $1 },
        ConfigKey("stale", Entry.conditions) { $0.source = .told(by: $1) },
        ConfigKey("get", Entry.plainPath) { $0.source = .fetched(path: $1) },
        ConfigKey("header", needs: "get", Entry.plainHeaders) {
            if case .fetched(let path, _) = $0.source { $0.source = .fetched(path: path, headers: $1) }
        },
    ]

    static let serve: [ConfigKey<ServeSettings>] = [
        ConfigKey("allow", Entry.serveRules) { $0.rules.allow = $1 },
        ConfigKey("ask", Entry.serveRules) { $0.rules.ask = $1 },
        ConfigKey("deny", Entry.serveRules) { $0.rules.deny = $1 },
        ConfigKey("log", Entry.bool) { $0.hasLog = $1 },
        ConfigKey("overrides", Entry.bool) { $0.searchesBodies = $1 },
        ConfigKey("placeholder", Entry.placeholders) { $0.placeholders = $1 },
    ]

    static let oauth: [ConfigKey<OAuthProfile>] =
        [
            ConfigKey("issuer", Entry.url) { $0.issuer = $1 },
            ConfigKey("client-id", Entry.line) { $0.clientID = $1 },
            ConfigKey("client-secret", Entry.clientSecret) { $0.clientSecret = $1 },
            ConfigKey("grant", Entry.readGrant),
            ConfigKey("client-auth", Entry.readClientAuthentication),
            ConfigKey("scope", Entry.line) { $0.scope = $1 },
            ConfigKey("resource", Entry.url) { $0.resource = $1 },
            ConfigKey("parameters", Entry.oauthParameters) { $0.parameters = $1 },
            ConfigKey("key-file", of: machines, Entry.file) { $0.machine?.keyFile = $1 },
            ConfigKey("kid", of: machines, Entry.line) { $0.machine?.keyID = $1 },
            ConfigKey("audience-of-assertion", of: machines, Entry.choice as Entry.Reader<MachineGrant.Audience>) {
                $0.machine?.audienceOfAssertions = $1
            },
            ConfigKey("claims", of: machines, Entry.claims) { $0.machine?.claims = $1 },
            ConfigKey("identity", of: machines, Entry.identity) { $0.machine?.identity = $1 },
            ConfigKey("subject-token-type", of: exchange, Entry.line) { $0.machine?.subjectTokenType = $1 },
            ConfigKey("requested-token-type", of: exchange, Entry.line) { $0.machine?.requestedTokenType = $1 },
            ConfigKey("audience", of: exchange, Entry.line) { $0.machine?.audience = $1 },
            ConfigKey("flow", of: people, Entry.readFlow),
            ConfigKey("redirect", of: people, Entry.redirect) { $0.redirect = $1 },
        ]
        + OAuthEndpoint.ofProfiles.map { endpoint in
            let isForPeople = endpoint == .authorization || endpoint == .deviceAuthorization
            return ConfigKey("\(endpoint.rawValue)-endpoint", of: isForPeople ? people : nil, Entry.endpoint) {
                $0.endpoints[endpoint] = $1
            }
        }

    private static let people = ["code", "device"], machines = MachineGrant.Kind.allCases.map(\.rawValue)
    static let exchange = [MachineGrant.Kind.tokenExchange.rawValue]

    static let identity: [ConfigKey<MachineIdentity>] = [
        ConfigKey("github-actions", Entry.line) { $0.source = .githubActions(audience: $1) },
        ConfigKey("env", Entry.line) { $0.source = .variable($1) },
        ConfigKey("file", Entry.file) { $0.source = .file($1) },
        ConfigKey("command", Entry.words) { $0.source = .command($1) },
        ConfigKey("profile", Entry.line) { $0.source = .profile($1) },
        ConfigKey("opaque", Entry.bool) { $0.isOpaque = $1 },
    ]
}
