import Secrets

/// A stored login as the bytes that a store keeps: JSON, versioned, every secret in base64.
enum StoredLoginCodec {
    static let version = 1

    /// The bytes are not a stored login of a version that this program knows.
    struct Malformed: Error, Equatable {
        /// Whether a newer authctl wrote it.
        var isNewer = false

        /// The same as a fault of the store that has it.
        func fault(in store: StoreName) -> StoreFault {
            isNewer
                ? .newerVersion(path: "\(store)")
                : .damaged(path: "\(store)", problem: "its entry for this account is not a stored login")
        }
    }

    private struct Versioned: Decodable {
        let version: Int

        init(from decoder: any Decoder) throws {
            version = try decoder.container(keyedBy: FormKey.self).decode(Int.self, forKey: "version")
        }
    }

    /// - Parameter account: its details, for other machines that share the login.
    /// - Throws: `Malformed` never for a value of our own types; JSON's encoder may throw by its signature.
    static func encode(_ login: StoredLogin, of account: AccountRecord? = nil) throws(Malformed) -> Secret {
        let document = Document(
            version: version, account: account, session: login.session.map(SessionForm.init),
            credential: login.credential.map(CredentialForm.init),
            extraSecrets: login.extraSecrets.isEmpty ? nil : ExtraSecretsForm(login.extraSecrets))
        do {
            return try SecretJSON.encode(document)
        } catch {
            throw Malformed()
        }
    }

    /// - Parameter kind: how the login works, which tells what its secret is: that is not written down.
    /// - Throws: `Malformed` for anything but a document of this version.
    static func decode(_ bytes: Secret, of kind: LoginKind = .challenge([])) throws(Malformed) -> StoredLogin {
        try decodeShared(bytes, of: kind).login
    }

    /// Also returns the account's details that another machine has stored beside it.
    static func decodeShared(
        _ bytes: Secret, of kind: LoginKind
    ) throws(Malformed) -> (login: StoredLogin, account: AccountRecord?) {
        guard let document = SecretJSON.decode(Document.self, from: bytes), document.version == version else {
            let found = SecretJSON.decode(Versioned.self, from: bytes)?.version
            throw Malformed(isNewer: found.map { $0 > version } ?? false)
        }
        let login = StoredLogin(
            session: try document.session?.session(of: kind), credential: try document.credential?.credential(of: kind),
            extraSecrets: try document.extraSecrets?.extraSecrets() ?? [:])
        return (login, document.account)
    }

    struct Document: Codable {
        let version: Int
        /// Absent unless machines share the login.
        let account: AccountRecord?
        let session: SessionForm?
        let credential: CredentialForm?
        /// Absent where there is nothing of the kind, as in every login of an older release.
        let extraSecrets: ExtraSecretsForm?

        enum CodingKeys: String, CodingKey {
            case version, account, session, credential
            case extraSecrets = "further"
        }
    }

    struct ExtraSecretsForm: Codable {
        let passphrase: String?
        /// By label.
        let secrets: [String: String]
        /// By the name that `take` gave it.
        let taken: [String: String]?

        init(_ extraSecrets: [CredentialField: Secret]) {
            passphrase = extraSecrets[.passphrase].map(Base64.encode)
            var secrets: [String: String] = [:], taken: [String: String] = [:]
            for (field, secret) in extraSecrets {
                if case .secret(let label) = field { secrets[label] = Base64.encode(secret) }
                if case .taken(let name) = field { taken[name] = Base64.encode(secret) }
            }
            self.secrets = secrets
            self.taken = taken.isEmpty ? nil : taken
        }

        func extraSecrets() throws(Malformed) -> [CredentialField: Secret] {
            var extraSecrets: [CredentialField: Secret] = [:]
            for (label, text) in secrets { extraSecrets[.secret(label)] = try StoredLoginCodec.secret(text) }
            for (name, text) in taken ?? [:] { extraSecrets[.taken(name)] = try StoredLoginCodec.secret(text) }
            if let passphrase { extraSecrets[.passphrase] = try StoredLoginCodec.secret(passphrase) }
            return extraSecrets
        }
    }

    enum SessionForm: Codable {
        case basic(CredentialForm)
        case token(TokenForm)
        case cookies([CookieForm])

        init(_ session: Session) {
            switch session {
            case .credential(let credential): self = .basic(CredentialForm(credential))
            case .token(let token): self = .token(TokenForm(token))
            case .cookies(let cookies): self = .cookies(cookies.map(CookieForm.init))
            }
        }

        func session(of kind: LoginKind) throws(Malformed) -> Session {
            switch self {
            case .basic(let form): return .credential(try form.credential(of: kind))
            case .token(let form): return .token(try form.token())
            case .cookies(let forms):
                return .cookies(try forms.map { (form) throws(Malformed) in try form.cookie() })
            }
        }
    }

    struct CredentialForm: Codable {
        let username: String?
        let secret: String?

        init(_ credential: Credential) {
            username = credential.username
            secret = credential.secret.map(Base64.encode)
        }

        func credential(of kind: LoginKind) throws(Malformed) -> Credential {
            let secret = try secret.map { (text) throws(Malformed) in try StoredLoginCodec.secret(text) }
            return Credential(username: username, secret.map(kind.traits.credential) ?? kind.traits.withoutSecret)
        }
    }

    struct TokenForm: Codable {
        let value: String
        let refreshToken: String?
        let expires: Int64?
        /// Absent but for what an authorization server issued.
        let grant: GrantForm?
        /// Absent unless cookies are sent beside it.
        let cookies: [CookieForm]?

        init(_ token: Token) {
            value = Base64.encode(token.value)
            refreshToken = token.refreshToken.map(Base64.encode)
            expires = token.expires
            grant = token.terms.map(GrantForm.init)
            cookies = token.cookies.isEmpty ? nil : token.cookies.map(CookieForm.init)
        }

        func token() throws(Malformed) -> Token {
            let refresh = try refreshToken.map { (text) throws(Malformed) in try StoredLoginCodec.secret(text) }
            return Token(
                value: try StoredLoginCodec.secret(value), refreshToken: refresh, expires: expires,
                terms: try grant.map { (form) throws(Malformed) in try form.terms() }
            ).with(try (cookies ?? []).map { (form) throws(Malformed) in try form.cookie() })
        }
    }

    struct CookieForm: Codable {
        let name: String
        let value: String
        let record: String
        let expires: Int64?

        init(_ cookie: Cookie) {
            name = cookie.name
            value = Base64.encode(cookie.value)
            record = Base64.encode(cookie.record)
            expires = cookie.expires
        }

        func cookie() throws(Malformed) -> Cookie {
            Cookie(
                name: name, value: try StoredLoginCodec.secret(value), record: try StoredLoginCodec.secret(record),
                expires: expires)
        }
    }

    static func secret(_ text: String) throws(Malformed) -> Secret {
        guard let secret = Base64.decode(text) else { throw Malformed() }
        return secret
    }
}

// With one type of keys for all forms; see `FormKey`.

extension StoredLoginCodec.Document {
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FormKey.self)
        version = try members.decode(Int.self, forKey: "version")
        account = try members.decodeIfPresent(AccountRecord.self, forKey: "account")
        session = try members.decodeIfPresent(StoredLoginCodec.SessionForm.self, forKey: "session")
        credential = try members.decodeIfPresent(StoredLoginCodec.CredentialForm.self, forKey: "credential")
        extraSecrets = try members.decodeIfPresent(StoredLoginCodec.ExtraSecretsForm.self, forKey: "further")
    }
}

extension StoredLoginCodec.SessionForm {
    /// One member, which says the kind.
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FormKey.self)
        // To ask for all keys would build a type at every start.
        let kinds = (["basic", "token", "cookies"] as [FormKey]).filter { members.contains($0) }
        guard kinds.count == 1 else { throw StoredLoginCodec.Malformed() }
        let inner = try members.nestedContainer(keyedBy: FormKey.self, forKey: kinds[0])
        switch kinds[0].stringValue {
        case "basic": self = .basic(try inner.decode(StoredLoginCodec.CredentialForm.self, forKey: "_0"))
        case "token": self = .token(try inner.decode(StoredLoginCodec.TokenForm.self, forKey: "_0"))
        default: self = .cookies(try inner.decode([StoredLoginCodec.CookieForm].self, forKey: "_0"))
        }
    }
}

extension StoredLoginCodec.CredentialForm {
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FormKey.self)
        username = try members.decodeIfPresent(String.self, forKey: "username")
        secret = try members.decodeIfPresent(String.self, forKey: "secret")
    }
}

extension StoredLoginCodec.TokenForm {
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FormKey.self)
        value = try members.decode(String.self, forKey: "value")
        refreshToken = try members.decodeIfPresent(String.self, forKey: "refreshToken")
        expires = try members.decodeIfPresent(Int64.self, forKey: "expires")
        grant = try members.decodeIfPresent(GrantForm.self, forKey: "grant")
        cookies = try members.decodeIfPresent([StoredLoginCodec.CookieForm].self, forKey: "cookies")
    }
}

/// The stored form of a grant beside its tokens: all of it as one secret.
struct GrantForm: Codable {
    private let issuer: String?
    private let tokenEndpoint: String
    private let revocation: RevocationForm?
    private let client: ClientForm
    private let scope: String?
    private let resource: String?
    private let name: String?
    /// Older releases do not write it.
    private let subject: String?

    private struct RevocationForm: Codable {
        let endpoint: String
        let authentication: String
    }

    private struct ClientForm: Codable {
        let id: String
        let secret: String?
        let authentication: String
        let registration: RegistrationForm?
    }

    private struct RegistrationForm: Codable {
        let url: String?
        let token: String?
    }

    init(_ terms: Grant.Terms) {
        issuer = terms.issuer
        tokenEndpoint = terms.tokenEndpoint
        revocation = terms.revocation.map {
            RevocationForm(endpoint: $0.endpoint, authentication: $0.authentication.rawValue)
        }
        let client = terms.client
        self.client = ClientForm(
            id: client.id, secret: client.secret.map(Base64.encode), authentication: client.authentication.rawValue,
            registration: client.registration.map {
                RegistrationForm(url: $0.url, token: $0.token.map(Base64.encode))
            })
        scope = terms.scope
        resource = terms.resource
        name = terms.name
        subject = terms.subject
    }

    /// - Throws: `Malformed` for what no release has written.
    func terms() throws(StoredLoginCodec.Malformed) -> Grant.Terms {
        let secret = try client.secret.map(StoredLoginCodec.secret)
        let token = try client.registration?.token.map(StoredLoginCodec.secret)
        let kept = OAuthClient(
            id: client.id, secret: secret, authentication: try Self.authentication(client.authentication),
            registration: client.registration.map { OAuthClient.Registration(url: $0.url, token: token) })
        var place: Grant.Revocation?
        if let revocation {
            place = Grant.Revocation(
                endpoint: revocation.endpoint, authentication: try Self.authentication(revocation.authentication))
        }
        return Grant.Terms(
            issuer: issuer, tokenEndpoint: tokenEndpoint, revocation: place, client: kept, scope: scope,
            resource: resource, name: name, subject: subject)
    }

    private static func authentication(
        _ name: String
    ) throws(StoredLoginCodec.Malformed) -> ClientAuthentication {
        guard let method = ClientAuthentication(rawValue: name) else { throw StoredLoginCodec.Malformed() }
        return method
    }
}
