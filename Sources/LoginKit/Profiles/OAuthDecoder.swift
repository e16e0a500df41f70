import LoginCore
import Secrets

/// Reads the `oauth` table of a profile.
struct OAuthDecoder {
    /// Makes a file of the profile absolute.
    let resolve: (String) -> String

    static let keys =
        [
            "issuer", "client-id", "client-secret", "client-auth", "scope", "resource", "parameters", "flow",
            "redirect", "grant",
        ] + MachineDecoder.keys

    static let endpointKeys = OAuthEndpoint.ofProfiles.map { "\($0.rawValue)-endpoint" }

    /// - Returns: `nil` for a profile of another method.
    func oauth(in profile: StrictTable, _ methods: [AuthenticationMethod]) throws(UsageFault) -> OAuthProfile? {
        guard methods == [.oauth] else {
            if profile.value("oauth") != nil { throw profile.fault("oauth", "needs method = \"oauth\"") }
            return nil
        }
        for key in ["login", "refresh", "keep-password", "password-command", "otp-command"]
        where profile.value(key) != nil {
            throw profile.fault(key, "cannot be used with method 'oauth'")
        }
        guard let table = try profile.table("oauth") else { return OAuthProfile() }
        try table.allow(Self.keys + Self.endpointKeys)
        var oauth = OAuthProfile()
        oauth.issuer = try url("issuer", in: table)
        oauth.clientID = try Self.line("client-id", in: table)
        oauth.clientSecret = try clientSecret(table)
        oauth.clientAuthentication = try clientAuthentication(table)
        oauth.scope = try Self.line("scope", in: table)
        oauth.resource = try url("resource", in: table)
        oauth.parameters = try parameters(table)
        let machine = MachineDecoder(table: table, resolve: resolve)
        oauth.machine = try machine.grant()
        oauth.flow = try flow(table)
        oauth.redirect = try redirect(table)
        for endpoint in OAuthEndpoint.ofProfiles {
            oauth.endpoints[endpoint] = try self.endpoint("\(endpoint.rawValue)-endpoint", in: table)
        }
        if oauth.clientID == nil, oauth.clientSecret != nil {
            throw table.fault("client-id", "is missing: 'client-secret' belongs to a client")
        }
        try machine.check(oauth)
        return oauth
    }

    /// Reads a text that is sent unchanged: one line without control characters.
    static func line(_ key: String, in table: StrictTable) throws(UsageFault) -> String? {
        guard let text = try table.string(key) else { return nil }
        guard !text.isEmpty, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) })
        else {
            throw table.fault(key, "is empty or contains a control character")
        }
        return text
    }

    private func url(_ key: String, in table: StrictTable) throws(UsageFault) -> String? {
        guard let text = try Self.line(key, in: table) else { return nil }
        if let problem = ProfileURL(text: text).problem { throw table.fault(key, problem) }
        return text
    }

    private func endpoint(_ key: String, in table: StrictTable) throws(UsageFault) -> String? {
        guard let text = try Self.line(key, in: table), !text.hasPrefix("/") else {
            return try Self.line(key, in: table)
        }
        let path = text.prefix { $0 != "?" }
        if let problem = ProfileURL(text: String(path)).problem { throw table.fault(key, problem) }
        return text
    }

    /// `{secret:LABEL}` is asked for once and kept; any other text comes with a program (RFC 8252, section 8.5).
    private func clientSecret(_ table: StrictTable) throws(UsageFault) -> OAuthProfile.ClientSecret? {
        guard let text = try Self.line("client-secret", in: table) else { return nil }
        guard text.hasPrefix("{secret:"), text.hasSuffix("}") else { return .given(Secret(text)) }
        let label = String(text.dropFirst("{secret:".count).dropLast())
        try table.check(secretLabel: label, at: "client-secret")
        return .asked(label: label)
    }

    private func clientAuthentication(_ table: StrictTable) throws(UsageFault) -> ClientAuthentication? {
        guard let name = try table.string("client-auth") else { return nil }
        guard let method = ClientAuthentication(rawValue: name), method != .none else {
            throw table.fault("client-auth", "'\(name)' is not one of basic, post, private-key-jwt, tls")
        }
        let grant = try table.string("grant").flatMap { MachineGrant.Kind(rawValue: $0) }
        guard method.usesSecret || grant != nil else {
            throw table.fault("client-auth", "'\(name)' needs one of the grants \(MachineDecoder.names)")
        }
        if !method.usesSecret, table.value("client-secret") != nil {
            throw table.fault("client-secret", "is not used by client-auth '\(name)'")
        }
        return method
    }

    /// `grant` names what `flow` did before, and the grants of machines.
    private func flow(_ table: StrictTable) throws(UsageFault) -> OAuthProfile.Flow? {
        let flow: OAuthProfile.Flow?
        switch try table.string("grant") {
        case nil: flow = nil
        case "code"?: flow = .browser
        case "device"?: flow = .device
        case let name? where MachineGrant.Kind(rawValue: name) != nil: flow = nil
        case let name?:
            throw table.fault("grant", "'\(name)' is not one of code, device, \(MachineDecoder.names)")
        }
        guard let name = try table.string("flow") else { return flow }
        guard flow == nil else { throw table.fault("flow", "says the same as 'grant'; leave one of them out") }
        guard let flow = OAuthProfile.Flow(rawValue: name) else {
            throw table.fault("flow", "'\(name)' is not one of browser, device")
        }
        return flow
    }

    private func redirect(_ table: StrictTable) throws(UsageFault) -> LoopbackRedirect? {
        guard let text = try table.string("redirect") else { return nil }
        guard let redirect = LoopbackRedirect(text) else {
            let hosts = LoopbackRedirect.Host.allCases.map(\.rawValue).joined(separator: ", ")
            throw table.fault("redirect", "must be http://HOST/PATH or http://HOST:PORT/PATH; HOST is one of \(hosts)")
        }
        return redirect
    }

    private func parameters(_ table: StrictTable) throws(UsageFault) -> [OAuthParameter] {
        guard let inner = try table.table("parameters") else { return [] }
        var parameters: [OAuthParameter] = []
        for name in inner.keys {
            guard let value = try Self.line(name, in: inner) else { continue }
            let parameter = OAuthParameter(name: name, value: value)
            if parameter.isReserved { throw inner.fault(name, "is sent by authctl itself") }
            parameters.append(parameter)
        }
        return parameters
    }
}

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
        if let name = try table.string("audience-of-assertion") {
            guard let audience = MachineGrant.Audience(rawValue: name) else {
                throw table.fault("audience-of-assertion", "'\(name)' is not one of issuer, token-endpoint")
            }
            grant.audienceOfAssertions = audience
        }
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

    /// What proves a machine goes to the server that the profile names, and to no other one that it or the service leads to.
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
