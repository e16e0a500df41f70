/// Reads the part of an `oauth` table that is about a grant without a person.
struct MachineDecoder {
    let table: StrictTable
    /// Makes a file of the profile absolute.
    let resolve: (String) -> String

    /// The keys that mean nothing where a person approves.
    static let keys = [
        "key-file", "kid", "audience-of-assertion", "claims", "identity", "subject-token-type", "requested-token-type",
        "audience",
    ]
    private static let keysOfPeople = ["flow", "redirect", "authorization-endpoint", "device-authorization-endpoint"]
    private static let identityKeys = ["github-actions", "env", "file", "command", "profile"]

    /// - Returns: `nil` where a person approves.
    func grant() throws(UsageFault) -> MachineGrant? {
        let name = try table.string("grant")
        guard let kind = name.flatMap({ MachineGrant.Kind(rawValue: $0) }) else {
            for key in Self.keys where table.value(key) != nil {
                throw table.fault(key, "needs one of the grants \(Self.names)")
            }
            return nil
        }
        for key in Self.keysOfPeople where table.value(key) != nil {
            throw table.fault(key, "cannot be used with grant '\(kind.rawValue)': no person approves it")
        }
        var grant = MachineGrant(kind)
        grant.keyFile = try table.string("key-file").map(resolve)
        grant.keyID = try line("kid")
        grant.claims = try claims()
        grant.identity = try identity()
        grant.subjectTokenType = try line("subject-token-type")
        grant.requestedTokenType = try line("requested-token-type")
        grant.audience = try line("audience")
        grant.audienceOfAssertions = try table.choice("audience-of-assertion") ?? grant.audienceOfAssertions
        return grant
    }

    static var names: String { MachineGrant.Kind.allCases.map(\.rawValue).joined(separator: ", ") }

    /// Checks that need the whole table.
    func check(_ oauth: OAuthProfile) throws(UsageFault) {
        guard let grant = oauth.machine else { return }
        if oauth.clientID == nil, grant.kind == .clientCredentials {
            throw table.fault("client-id", "is missing: grant 'client-credentials' is for a client")
        }
        if oauth.clientAuthentication == .privateKeyJWT, oauth.clientID == nil {
            throw table.fault("client-id", "is missing: 'private-key-jwt' says which client it is")
        }
        if grant.kind == .tokenExchange, grant.identity == nil {
            throw table.fault("identity", "is missing: grant 'token-exchange' exchanges a token")
        }
        let signs = oauth.clientAuthentication == .privateKeyJWT || grant.kind == .jwtBearer && grant.identity == nil
        if signs, grant.keyFile == nil { throw table.fault("key-file", "is missing: an assertion has to be signed") }
        if !signs, grant.keyFile != nil {
            throw table.fault("key-file", "signs nothing here; set client-auth = \"private-key-jwt\"")
        }
        if grant.kind == .jwtBearer, grant.identity == nil, oauth.clientID == nil, grant.claim("iss") == nil {
            throw table.fault("claims.iss", "is missing, and there is no 'client-id' to take its place")
        }
        if !grant.claims.isEmpty, grant.kind != .jwtBearer || grant.identity != nil {
            throw table.fault("claims", "belongs to grant 'jwt-bearer' with a 'key-file'")
        }
        for key in ["subject-token-type", "requested-token-type", "audience"]
        where table.value(key) != nil && grant.kind != .tokenExchange {
            throw table.fault(key, "belongs to grant 'token-exchange'")
        }
        try checkServer(oauth)
    }

    /// Checks that the profile names the authorization server: a machine's proof of identity goes to no server that this one or
    /// the service leads to.
    private func checkServer(_ oauth: OAuthProfile) throws(UsageFault) {
        for endpoint in [OAuthEndpoint.token, .revocation] where oauth.issuer != nil && oauth.endpoints[endpoint] != nil
        {
            throw table.fault(
                "\(endpoint.rawValue)-endpoint", "cannot be used beside 'issuer', whose metadata names it")
        }
        if !oauth.namesServer {
            throw table.fault("issuer", "is missing; without one, 'token-endpoint' has to name the server")
        }
        if case .profile? = oauth.machine?.identity?.source, oauth.issuer == nil {
            throw table.fault("issuer", "is missing; 'lend-to' of the profile in 'identity' has to name it")
        }
    }

    private func line(_ key: String) throws(UsageFault) -> String? { try OAuthDecoder.line(key, in: table) }

    private func claims() throws(UsageFault) -> [OAuthParameter] {
        guard let inner = try table.table("claims") else { return [] }
        var claims: [OAuthParameter] = []
        for name in inner.keys.sorted() {
            if ["exp", "iat", "nbf", "jti"].contains(name) { throw inner.fault(name, "is set by authctl itself") }
            guard let value = try OAuthDecoder.line(name, in: inner) else { continue }
            claims.append(OAuthParameter(name: name, value: value))
        }
        return claims
    }

    private func identity() throws(UsageFault) -> MachineIdentity? {
        guard let inner = try table.table("identity") else { return nil }
        try inner.allow(Self.identityKeys + ["opaque"])
        let named = Self.identityKeys.filter { inner.value($0) != nil }
        guard named.count == 1 else {
            throw inner.fault(nil, "must have exactly one of \(Self.identityKeys.joined(separator: ", "))")
        }
        var identity = MachineIdentity(try source(named[0], in: inner))
        identity.isOpaque = try inner.bool("opaque") ?? false
        return identity
    }

    private func source(_ key: String, in inner: StrictTable) throws(UsageFault) -> MachineIdentity.Source {
        if key == "command" {
            guard case .array? = inner.value(key), case let words = try inner.strings(key), !words.isEmpty else {
                throw inner.fault(key, "must be a list of words: no shell reads it")
            }
            return .command(words)
        }
        guard let text = try OAuthDecoder.line(key, in: inner) else { throw inner.fault(key, "is missing") }
        switch key {
        case "github-actions": return .githubActions(audience: text)
        case "env": return .variable(text)
        case "file": return .file(resolve(text))
        default: return .profile(text)
        }
    }
}
