import Secrets

/// The answers to one question, as far as they were given.
struct CredentialForm {
    private let fields: [CredentialField]
    private(set) var username: String?
    private var filled: Set<CredentialField> = []
    private var kind = Credential.Kind.noSecret
    /// The code of a second factor, if there was one.
    private(set) var code: Secret?
    private var extraSecrets: [CredentialField: Secret] = [:]

    /// - Parameter username: the name that is kept and not asked for.
    init(_ fields: [CredentialField], keeping username: String?) {
        self.fields = fields
        self.username = username
    }

    /// The field that is asked for first where a name is kept, and that name.
    var first: (CredentialField, String)? {
        let proof = fields.first { $0 == .password || $0 == .token }
        guard let username, let field = proof ?? fields.first(where: { $0 != .username }) else { return nil }
        return (field, username)
    }

    var next: CredentialField? {
        fields.first { !filled.contains($0) && !($0 == .username && username != nil) }
    }

    var credential: Credential { Credential(username: username, kind, extraSecrets: extraSecrets) }

    mutating func fill(_ field: CredentialField, _ typed: Secret) {
        filled.insert(field)
        switch field {
        case .username: username = String(shown: typed)
        case .password: kind = .password(typed)
        case .token: kind = .token(typed)
        case .passphrase, .secret, .taken: extraSecrets[field] = typed
        case .code: code = typed.isEmpty ? nil : typed
        }
    }

    /// It is asked for after all.
    mutating func forgetUsername() { username = nil }
}
