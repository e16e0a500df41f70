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
        guard try table.string("flow") != nil else { return flow }
        guard flow == nil else { throw table.fault("flow", "says the same as 'grant'; leave one of them out") }
        return try table.choice("flow")
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
