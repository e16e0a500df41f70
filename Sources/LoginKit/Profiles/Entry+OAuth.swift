import Secrets

/// The `oauth` table of a profile.
extension Entry {
    func readOAuth(_ profile: inout Profile) throws(UsageFault) {
        guard profile.methods == [.oauth] else { throw fault("needs method = \"oauth\"") }
        let table = try inner()
        var oauth = OAuthProfile()
        try table.read(ProfileKeys.oauth, into: &oauth)
        try table.checkKeys(of: oauth.machine?.kind)
        try table.refuse(
            "client-id", "is missing: 'client-secret' belongs to a client",
            if: oauth.clientID == nil && oauth.clientSecret != nil)
        if let grant = oauth.machine { try table.check(oauth, grant) }
        profile.oauth = oauth
    }

    func endpoint() throws(UsageFault) -> String {
        let text = try line()
        if !text.hasPrefix("/"), let problem = ProfileURL(text: String(text.prefix { $0 != "?" })).problem {
            throw fault(problem)
        }
        return text
    }

    /// `{secret:LABEL}` is asked for once and kept; any other text comes with a program (RFC 8252, section 8.5).
    func clientSecret() throws(UsageFault) -> OAuthProfile.ClientSecret {
        let text = try line()
        guard text.hasPrefix("{secret:"), text.hasSuffix("}") else { return .given(Secret(text)) }
        let label = String(text.dropFirst("{secret:".count).dropLast())
        try table.check(secretLabel: label, at: key)
        return .asked(label: label)
    }

    /// `grant` names what `flow` did before, and the grants of machines.
    func readGrant(_ oauth: inout OAuthProfile) throws(UsageFault) {
        switch try string() {
        case "code": oauth.flow = .browser
        case "device": oauth.flow = .device
        case let name:
            guard let kind = MachineGrant.Kind(rawValue: name) else {
                throw fault("'\(name)' is not one of code, device, \(MachineGrant.Kind.names)")
            }
            oauth.machine = MachineGrant(kind)
        }
    }

    func readFlow(_ oauth: inout OAuthProfile) throws(UsageFault) {
        guard oauth.flow == nil else { throw fault("says the same as 'grant'; leave one of them out") }
        oauth.flow = try choice()
    }

    func readClientAuthentication(_ oauth: inout OAuthProfile) throws(UsageFault) {
        let name = try string()
        guard let method = ClientAuthentication(rawValue: name), method != .none else {
            throw fault("'\(name)' is not one of basic, post, private-key-jwt, tls")
        }
        guard method.usesSecret || oauth.machine != nil else {
            throw fault("'\(name)' needs one of the grants \(MachineGrant.Kind.names)")
        }
        try table.refuse(
            "client-secret", "is not used by client-auth '\(name)'",
            if: !method.usesSecret && oauth.clientSecret != nil)
        oauth.clientAuthentication = method
    }

    func redirect() throws(UsageFault) -> LoopbackRedirect {
        guard let redirect = LoopbackRedirect(try string()) else {
            let hosts = LoopbackRedirect.Host.allCases.map(\.rawValue).joined(separator: ", ")
            throw fault("must be http://HOST/PATH or http://HOST:PORT/PATH; HOST is one of \(hosts)")
        }
        return redirect
    }

    func oauthParameters() throws(UsageFault) -> [OAuthParameter] {
        try parameters("is sent by authctl itself") { $0.isReserved }
    }

    func claims() throws(UsageFault) -> [OAuthParameter] {
        try parameters("is set by authctl itself") { ["exp", "iat", "nbf", "jti"].contains($0.name) }
    }

    private func parameters(
        _ problem: String, unless isOurs: (OAuthParameter) -> Bool
    ) throws(UsageFault) -> [OAuthParameter] {
        try inner().entries.map { (entry) throws(UsageFault) in
            let parameter = OAuthParameter(name: entry.key, value: try entry.line())
            if isOurs(parameter) { throw entry.fault(problem) }
            return parameter
        }
    }

    func identity() throws(UsageFault) -> MachineIdentity {
        let table = try inner()
        var identity = MachineIdentity(.variable(""))
        try table.read(ProfileKeys.identity, into: &identity)
        let names = ProfileKeys.identity.map(\.name).filter { $0 != "opaque" }
        try table.refuse(
            nil, "must have exactly one of \(names.joined(separator: ", "))",
            if: names.count { table[$0] != nil } != 1)
        return identity
    }

    func words() throws(UsageFault) -> [String] {
        guard case .array = value, case let words = try strings(), !words.isEmpty else {
            throw fault("must be a list of words: no shell reads it")
        }
        return words
    }
}

extension StrictTable {
    /// Refuses keys of other grants.
    /// - Parameter kind: `nil` where a person approves.
    fileprivate func checkKeys(of kind: MachineGrant.Kind?) throws(UsageFault) {
        for key in ProfileKeys.oauth {
            guard let grants = key.owners, let entry = self[key.name], !grants.contains(kind?.rawValue ?? "code") else {
                continue
            }
            guard let kind else { throw entry.fault("needs one of the grants \(MachineGrant.Kind.names)") }
            throw entry.fault(
                grants == ProfileKeys.exchange
                    ? "belongs to grant 'token-exchange'"
                    : "cannot be used with grant '\(kind.rawValue)': no person approves it")
        }
    }

    /// Checks that need the whole table. The profile has to name the authorization server: a machine's proof of identity goes to
    /// no server that this one or the service leads to.
    fileprivate func check(_ oauth: OAuthProfile, _ grant: MachineGrant) throws(UsageFault) {
        let hasKey = oauth.clientAuthentication == .privateKeyJWT, issues = grant.kind == .jwtBearer
        let signsGrant = issues && grant.identity == nil, signs = hasKey || signsGrant
        try refuse(
            "client-id", "is missing: grant 'client-credentials' is for a client",
            if: oauth.clientID == nil && grant.kind == .clientCredentials)
        try refuse(
            "client-id", "is missing: 'private-key-jwt' says which client it is", if: oauth.clientID == nil && hasKey)
        try refuse(
            "identity", "is missing: grant 'token-exchange' exchanges a token",
            if: grant.kind == .tokenExchange && grant.identity == nil)
        try refuse("key-file", "is missing: an assertion has to be signed", if: signs && grant.keyFile == nil)
        try refuse(
            "key-file", "signs nothing here; set client-auth = \"private-key-jwt\"", if: !signs && grant.keyFile != nil)
        try refuse(
            "claims.iss", "is missing, and there is no 'client-id' to take its place",
            if: signsGrant && oauth.clientID == nil && grant.claim("iss") == nil)
        try refuse(
            "claims", "belongs to grant 'jwt-bearer' with a 'key-file'", if: !grant.claims.isEmpty && !signsGrant)
        for endpoint in [OAuthEndpoint.token, .revocation] {
            try refuse(
                "\(endpoint.rawValue)-endpoint", "cannot be used beside 'issuer', whose metadata names it",
                if: oauth.issuer != nil && oauth.endpoints[endpoint] != nil)
        }
        try refuse(
            "issuer", "is missing; without one, 'token-endpoint' has to name the server", if: !oauth.namesServer)
        if case .profile? = grant.identity?.source {
            try refuse(
                "issuer", "is missing; 'lend-to' of the profile in 'identity' has to name it", if: oauth.issuer == nil)
        }
    }
}

extension MachineGrant.Kind {
    fileprivate static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
