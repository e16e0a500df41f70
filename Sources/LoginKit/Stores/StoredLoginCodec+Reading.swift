import LoginCore

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
