import Secrets

/// A stored login as the bytes that a store keeps: JSON, versioned, every secret in base64.
///
/// Read member by member from the JSON value: each type of its own that is `Decodable` costs a search among all conformances of the
/// program.
enum StoredLoginCodec {
    static let version = 1

    private struct Document: Encodable {
        let version: Int
        /// Absent unless machines share the login.
        let account: AccountRecord?
        let session: JSONValue?
        let credential: JSONValue?
        /// Absent where there is nothing of the kind, as in every login of an older release.
        let further: JSONValue?
    }

    /// - Parameter account: its details, for other machines that share the login.
    /// - Throws: never for a value of our own types; JSON's encoder may throw by its signature.
    static func encode(_ login: StoredLogin, of account: AccountRecord? = nil) throws(StoreFault) -> Secret {
        let document = Document(
            version: version, account: account, session: login.session.map(form),
            credential: login.credential.map(form),
            further: login.extraSecrets.isEmpty ? nil : form(login.extraSecrets))
        guard let bytes = SecretJSON.encode(document) else {
            throw .damaged(path: AccountRegistry.fileName, problem: "the login cannot be written as JSON")
        }
        return bytes
    }

    /// - Parameters:
    ///   - kind: how the login works, which tells what its secret is: that is not written down.
    ///   - store: has the bytes; it is named in a fault.
    /// - Returns: the login, and the account's details that another machine has stored beside it.
    /// - Throws: `damaged` or `newerVersion` for anything but a document of this version.
    static func decode(
        _ bytes: Secret, of kind: LoginKind = .challenge([]), in store: StoreName
    ) throws(StoreFault) -> (login: StoredLogin, account: AccountRecord?) {
        do {
            let members = try FormMembers(bytes.withUnsafeBytes { try JSONReader.read($0, mostValues: $0.count) })
            let found = try members.some(members.integer("version"))
            if found > version { throw StoreFault.newerVersion(path: "\(store)") }
            guard found == version else { throw JSONForm.Misfit() }
            let login = StoredLogin(
                session: try members["session"].map { try session($0, kind) },
                credential: try members["credential"].map { try credential($0, kind) },
                extraSecrets: try members["further"].map(extraSecrets) ?? [:])
            let account = try members["account"].map { try AccountRecord(from: JSONForm(value: $0)) }
            if account?.isNewer == true { throw DecodingError.unknownValue }
            return (login, account)
        } catch let fault as StoreFault {
            throw fault
        } catch is DecodingError {
            throw .newerVersion(path: "\(store)")
        } catch {
            // Its words may repeat a part of the secret.
            throw .damaged(path: "\(store)", problem: "its entry for this account is not a stored login")
        }
    }
}

extension StoredLoginCodec {
    /// One member, which says the kind.
    private static func form(_ session: Session) -> JSONValue {
        let (kind, value) =
            switch session {
            case .credential(let credential): ("basic", form(credential))
            case .token(let token): ("token", form(token))
            case .cookies(let cookies): ("cookies", form(cookies))
            }
        return .object([kind: .object(["_0": value])])
    }

    private static func session(_ value: JSONValue, _ kind: LoginKind) throws -> Session {
        let members = try FormMembers(value)
        let kinds = ["basic", "token", "cookies"].filter { members.names.contains($0) }
        if kinds.isEmpty, !members.names.isEmpty { throw DecodingError.unknownValue }
        guard kinds.count == 1 else { throw JSONForm.Misfit() }
        let inner = try members.some(FormMembers(members.some(members[kinds[0]]))["_0"])
        return switch kinds[0] {
        case "basic": .credential(try credential(inner, kind))
        case "token": .token(try token(inner))
        default: .cookies(try cookies(inner))
        }
    }

    private static func form(_ credential: Credential) -> JSONValue {
        .members(["username": credential.username.map(JSONValue.string), "secret": credential.secret.map(form)])
    }

    private static func credential(_ value: JSONValue, _ kind: LoginKind) throws -> Credential {
        let members = try FormMembers(value), secret = try members.secret("secret")
        return Credential(
            username: try members.text("username"), secret.map(kind.traits.credential) ?? kind.traits.withoutSecret)
    }

    /// The grant is absent but for what an authorization server issued, and cookies are unless they are sent beside it.
    private static func form(_ token: Token) -> JSONValue {
        .members([
            "value": form(token.value), "refreshToken": token.refreshToken.map(form),
            "expires": token.expires.map(JSONValue.integer), "grant": token.terms.map(form),
            "cookies": token.cookies.isEmpty ? nil : form(token.cookies),
        ])
    }

    private static func token(_ value: JSONValue) throws -> Token {
        let members = try FormMembers(value)
        return Token(
            value: try members.some(members.secret("value")), refreshToken: try members.secret("refreshToken"),
            expires: try members.integer("expires"), terms: try members["grant"].map(terms)
        ).with(try members["cookies"].map(cookies) ?? [])
    }

    private static func form(_ cookies: [Cookie]) -> JSONValue {
        .array(
            cookies.map {
                .members([
                    "name": .string($0.name), "value": form($0.value), "record": form($0.record),
                    "expires": $0.expires.map(JSONValue.integer),
                ])
            })
    }

    private static func cookies(_ value: JSONValue) throws -> [Cookie] {
        guard case .array(let elements) = value else { throw JSONForm.Misfit() }
        return try elements.map {
            let members = try FormMembers($0)
            return Cookie(
                name: try members.some(members.text("name")), value: try members.some(members.secret("value")),
                record: try members.some(members.secret("record")), expires: try members.integer("expires"))
        }
    }

    /// Labels and names are those of `CredentialField`. Nothing was taken in a login of an older release.
    private static func form(_ extraSecrets: [CredentialField: Secret]) -> JSONValue {
        var labelled: [String: JSONValue] = [:], taken: [String: JSONValue] = [:]
        for (field, secret) in extraSecrets {
            if case .secret(let label) = field { labelled[label] = form(secret) }
            if case .taken(let name) = field { taken[name] = form(secret) }
        }
        return .members([
            "passphrase": extraSecrets[.passphrase].map(form), "secrets": .object(labelled),
            "taken": taken.isEmpty ? nil : .object(taken),
        ])
    }

    private static func extraSecrets(_ value: JSONValue) throws -> [CredentialField: Secret] {
        let members = try FormMembers(value)
        let labelled = try FormMembers(members.some(members["secrets"]))
        let taken = try FormMembers(members["taken"] ?? .object([:]))
        var extraSecrets: [CredentialField: Secret] = [:]
        for label in labelled.names { extraSecrets[.secret(label)] = try labelled.some(labelled.secret(label)) }
        for name in taken.names { extraSecrets[.taken(name)] = try taken.some(taken.secret(name)) }
        extraSecrets[.passphrase] = try members.secret("passphrase")
        return extraSecrets
    }

    /// A grant beside its tokens: all of it is one secret. Older releases do not write the subject.
    private static func form(_ terms: Grant.Terms) -> JSONValue {
        let client = terms.client
        let registration = client.registration.map {
            JSONValue.members(["url": $0.url.map(JSONValue.string), "token": $0.token.map(form)])
        }
        let revocation = terms.revocation.map {
            JSONValue.members(["endpoint": .string($0.endpoint), "authentication": .string($0.authentication.rawValue)])
        }
        return .members([
            "issuer": terms.issuer.map(JSONValue.string), "tokenEndpoint": .string(terms.tokenEndpoint),
            "revocation": revocation,
            "client": .members([
                "id": .string(client.id), "secret": client.secret.map(form),
                "authentication": .string(client.authentication.rawValue), "registration": registration,
            ]),
            "scope": terms.scope.map(JSONValue.string), "resource": terms.resource.map(JSONValue.string),
            "name": terms.name.map(JSONValue.string), "subject": terms.subject.map(JSONValue.string),
            "signOn": terms.signOn.map(JSONValue.string),
        ])
    }

    private static func terms(_ value: JSONValue) throws -> Grant.Terms {
        let members = try FormMembers(value), client = try FormMembers(members.some(members["client"]))
        let registration = try client["registration"].map {
            let members = try FormMembers($0)
            return OAuthClient.Registration(url: try members.text("url"), token: try members.secret("token"))
        }
        let revocation = try members["revocation"].map {
            let members = try FormMembers($0)
            return Grant.Revocation(
                endpoint: try members.some(members.text("endpoint")), authentication: try members.authentication())
        }
        return Grant.Terms(
            issuer: try members.text("issuer"), tokenEndpoint: try members.some(members.text("tokenEndpoint")),
            revocation: revocation,
            client: OAuthClient(
                id: try client.some(client.text("id")), secret: try client.secret("secret"),
                authentication: try client.authentication(), registration: registration),
            scope: try members.text("scope"), resource: try members.text("resource"), name: try members.text("name"),
            subject: try members.text("subject"), signOn: try members.text("signOn"))
    }

    private static func form(_ secret: Secret) -> JSONValue { .string(Base64.encode(secret)) }
}

extension JSONValue {
    /// An object of those members that there are.
    fileprivate static func members(_ members: [String: JSONValue?]) -> JSONValue {
        .object(members.compactMapValues { $0 })
    }
}

/// The members of an object, which may be absent or `null`, but are not of another type.
private struct FormMembers {
    private let values: [String: JSONValue]

    init(_ value: JSONValue) throws {
        guard case .object(let members) = value else { throw JSONForm.Misfit() }
        values = members
    }

    var names: some Collection<String> { values.keys }

    subscript(name: String) -> JSONValue? { values[name] == .null ? nil : values[name] }

    func text(_ name: String) throws -> String? {
        try self[name].map { try JSONForm(value: $0).decode(String.self) }
    }

    func integer(_ name: String) throws -> Int64? {
        try self[name].map { try JSONForm(value: $0).decode(Int64.self) }
    }

    func secret(_ name: String) throws -> Secret? {
        try text(name).map { try some(Base64.decode($0)) }
    }

    func authentication() throws -> ClientAuthentication {
        let name = try some(text("authentication"))
        guard let authentication = ClientAuthentication(rawValue: name) else { throw DecodingError.unknownValue }
        return authentication
    }

    func some<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw JSONForm.Misfit() }
        return value
    }
}
