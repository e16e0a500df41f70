import Secrets

/// The login at a URL, as GET requests without credentials found it, with the source of each part.
struct Discovered: Equatable, Sendable {
    /// The resource that refuses anonymous clients; `nil` if everything lets them in.
    var guarded: GuardedPlace?
    /// `nil` where no way to log in was seen.
    var login: FoundLogin?
    /// Further findings, for a person who continues by hand.
    let seen: [Sighting]
    /// The names of the service: realms and page titles.
    let names: [String]
    /// The number of requests it took.
    let requests: Int
    /// The origins that were asked, the URL's own first.
    let origins: [Origin]
    /// The logout, where the service's description of itself says one for this login.
    var logout: FoundLogout?
    /// The form that was found, where nothing showed what it opens.
    var formAlone: FoundForm?
    /// Path and query of the endpoint, where the URL is that of an MCP server.
    var mcp: String?

    /// Paths and queries of what was found.
    var paths: [String] {
        let form: FoundForm? = if case .form(let form)? = login { form } else { formAlone }
        return [form?.page, form?.action, guarded?.target].compactMap(\.self)
    }

    /// Treats "the form is gone" as proof until a login finds better.
    func logging(inBy form: FoundForm) -> Discovered {
        var found = self
        found.guarded = GuardedPlace(target: form.page, refusal: .form(status: 200), namedBy: nil)
        (found.login, found.formAlone) = (.form(form), nil)
        return found
    }
}

/// A way to log in.
enum FoundLogin: Equatable, Sendable {
    /// By challenge (RFC 9110, section 11); the field as it came.
    case challenge([HTTPScheme], field: String)
    /// At an authorization server.
    case oauth(FoundServer)
    /// By a token that a person makes at the service, sent in this header; with what says so.
    case token(header: String?, field: String)
    /// By a form of a page.
    case form(FoundForm)
    /// In a browser: the URL leads to this origin, where the login is.
    case browser(at: Origin)
    /// A password for a token (RFC 6749, section 4.3), at this path, as the service's description of itself says.
    case passwordGrant(path: String, description: String)
}

/// An authorization server that the service leads to, and what it says it can do.
struct FoundServer: Equatable, Sendable {
    let issuer: String?
    let resource: String?
    let scope: String?
    let endpoints: [OAuthEndpoint: EndpointURL]
    /// The ways in which clients may authenticate when they revoke; `nil` if the server does not say.
    let revocationAuthentication: [String]?
    /// Where the service names the server, and what led there; empty where its own origin was tried.
    let evidence: [String]
    /// Further servers to which its metadata leads.
    var elsewhere: [Origin] = []
}

/// A form that takes a password.
struct FoundForm: Equatable, Sendable {
    /// Path and query of its page, or of what leads there where its own URL is one session's alone.
    var page: String
    /// Path and query to which it posts.
    let action: String
    /// `nil` where it asks for a password alone.
    let usernameField: String?
    let passwordField: String
    /// The names to choose from, where it has a list of them; the first twenty.
    var usernames: [String] = []
    /// The other empty fields that a person may fill in, five at most.
    var otherFields: [LabelledField] = []
    /// Whether a browser sends it without a script: it says where it leads, or has a button.
    let isSubmittable: Bool
}

/// A field of a form, as the page shows it.
struct LabelledField: Equatable, Sendable {
    /// The field's name in the form.
    let name: String
    /// The label that the page shows for it; the name if there is none.
    let label: String
}

/// A finding that by itself is not a way to log in.
enum Sighting: Equatable, Sendable {
    /// An anonymous client is refused, and told nothing of a login.
    case refused(target: String, status: Int)
    /// A challenge that authctl does not know.
    case unknownChallenge(target: String, scheme: String)
    /// A form with several password fields: it sets one, or signs up.
    case severalPasswords(page: String)
    /// A page of scripts: what they make of it is not seen.
    case scripts(page: String)
    /// A form that is sent as for files, which profiles have no word for.
    case multipartForm(page: String)
    /// A form that does not say where it leads, on a page of scripts: they may send it in a way of their own.
    case scriptedForm(page: String)
    /// A page that is longer than what is read of one.
    case tooLarge(page: String)
    /// The page that was next when the search ran out of time.
    case unasked(page: String, after: Int64)
    /// An API description whose operations all let anonymous clients in, or cannot be asked without parameters.
    case openDescription(String)
}

extension LoginPage {
    /// The form that takes a password, if it is clear which: one form with one password field, be it there twice.
    /// - Throws: `untrusted` where it leads to another origin or into the URL.
    func loginForm() throws(LoginFault) -> FoundForm? {
        let candidates = forms.filter { $0.passwordFields.count == 1 }
        guard let chosen = candidates.first, candidates.allSatisfy(chosen.isRepeated), !chosen.isMultipart,
            chosen.defaultButton?.isDisabled != true
        else { return nil }
        let form: PageForm
        do {
            // As it is found again at each login: a form that signs up may have these fields, too.
            form = try self.form(
                with: chosen.fields.map(\.name), leadingTo: chosen.action?.target.withoutQuery ?? "")
        } catch .failure(.noSuchForm) {
            return nil
        }
        guard let action = form.action, let password = form.passwordFields.first else { return nil }
        let username = form.usernameField(before: password)
        var found = FoundForm(
            page: target.withoutSession, action: action.target.withoutSession, usernameField: username?.name,
            passwordField: password,
            isSubmittable: form.namesAction || !form.submitButtons.isEmpty && !form.hasSubmitHandler)
        found.usernames = username?.options ?? []
        found.otherFields = form.otherFields(than: username)
        return found
    }

    /// Whether there is a form that takes a password in a way that profiles have no word for.
    var takesFiles: Bool { forms.contains { $0.isMultipart && !$0.passwordFields.isEmpty } }

    /// Whether there is a form that sets a password.
    var setsPassword: Bool { forms.contains { $0.passwordFields.count > 1 } }
}

extension PageForm {
    fileprivate var passwordFields: [String] { fields.filter { $0.type == "password" }.map(\.name) }

    /// The last field before the password that a name is typed into, or a list of them.
    fileprivate func usernameField(before password: String) -> PageField? {
        let before = fields.prefix { $0.name != password }
        return before.last { Self.nameTypes.contains($0.type) } ?? before.last { $0.isListOfNames }
    }

    /// Returns the other empty fields that a person may fill in, five at most.
    fileprivate func otherFields(than username: PageField?) -> [LabelledField] {
        let typed = fields.filter { field in
            (Self.nameTypes + ["url", "number"]).contains(field.type) && field.value?.isEmpty ?? true
                && field.name != username?.name && !field.isOneTimeCode
        }
        return typed.prefix(5).map { LabelledField(name: $0.name, label: $0.label.isEmpty ? $0.name : $0.label) }
    }

    private static let nameTypes = ["text", "email", "tel"]
}

extension PageField {
    /// A list of languages or places may stand before a password, too.
    fileprivate var isListOfNames: Bool {
        let lower = name.lowercased()
        return type == "select" && !options.isEmpty
            && (lower == "name" || Self.wordsOfNames.contains { lower.contains($0) })
    }

    private static let wordsOfNames = [
        "user", "login", "account", "member", "benutzer", "konto", "utilisateur", "usuario",
    ]
}

extension String {
    /// Whether a URL looks like a login page on another origin that will come back to `origin`: by the parameters of OpenID Connect, SAML,
    /// CAS or WS-Federation, or by the words of a login together with the name of the origin. A service that has moved leads on without them.
    func asksForLogin(for origin: Origin) -> Bool {
        let lower = lowercased()
        guard let query = lower.firstIndex(of: "?").map({ lower[$0...] }) else { return lower.speaksOfLogin }
        let names = ["samlrequest=", "client_id=", "redirect_uri=", "wtrealm=", "relaystate=", "service=http"]
        return names.contains { query.contains("?\($0)") || query.contains("&\($0)") }
            || lower.speaksOfLogin && query.contains(origin.host.lowercased())
    }
}

/// The response of one URL, at the end of its redirects.
struct DiscoveryVisit {
    /// Path and query; with the slash at its end that the service wants there.
    var asked: String
    var end: EndpointURL
    /// The first on the way, with the path that it led to.
    var redirect: (status: Int, path: String)?
    /// The last on the way before a URL with a value of one session's alone: it leads each client to one of its own.
    var source: String?
    /// The other origin that it leads to for a login.
    var elsewhere: Origin?
    var response = HTTPResponse(status: 0)
    /// Whether that is the response to `initialize`.
    var isInitialize = false

    /// The challenges for anonymous clients.
    var challenges: [AuthenticateChallenge] { AuthenticateChallenge.parse(challengeFields) }
    var challengeFields: [String] { response.values(of: "WWW-Authenticate") }

    /// Whether it lets anonymous clients in.
    var isOpen: Bool { (200..<300).contains(response.status) }

    /// Path and query of the endpoint, if this is an MCP server: the path ends in `mcp`, and the refusal wants a Bearer token, as MCP
    /// has it for services with authorization, or is JSON-RPC.
    var mcp: String? {
        guard response.isRefusal, end.target.isMCPPath else { return nil }
        return isInitialize || challenges.wantsToken || OAuthBody(response).text("jsonrpc") == "2.0" ? end.target : nil
    }
}
