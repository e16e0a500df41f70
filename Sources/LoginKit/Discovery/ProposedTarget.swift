import LoginCore

extension LoginContext {
    /// For a URL without a challenge: what its pages say of a login, as a profile that the person agrees to.
    /// - Returns: `nil` if they say nothing.
    func proposed(
        by discovery: Discovery, _ url: ParsedURL, _ profile: Profile, _ request: LoginRequest, _ new: LoginTarget.New
    ) throws(LoginFault) -> LoginTarget? {
        var proposal: ProposedProfile
        do throws(LoginFault) {
            proposal = try self.proposal(of: discovery, url.origin, name: profile.name, new.settings)
        } catch .usage(.verifyProvesNothing) {
            return nil
        }
        guard proposal.isUsable, let place = proposal.found.guarded else {
            for sentence in proposal.found.sightings { say(sentence) }
            for preset in presets(proposal.found.names) { say(advice(preset, url.origin, seen: [url.path])) }
            return nil
        }
        if let known = try remembered(url.origin, place.target, request) { return LoginTarget(profile: known) }
        guard mayAsk else { throw .usage(.proposesProfile(url: "\(url.origin)\(url.target)")) }
        let dialogue = dependencies.dialogue(dialogueSettings(request))
        if case .form(let form)? = proposal.found.login {
            if form.usernameField == nil, let name = options.username {
                say(
                    "The form asks for no user name; \(SafeText.quoted(name)) is not sent, and only names the account here."
                )
            }
            if !form.otherFields.isEmpty {
                proposal.fillIn(try asked(form.otherFields, dialogue), asked: form.otherFields)
            }
        }
        let written = proposal.document(head: "A profile for this URL; \(proposal.found.summary).", isAlone: false)
        // Somebody may paste it into a file.
        guard try dialogue.decide(written, label: "Log in with this profile? yes/no: ", isLaidOut: true) else {
            throw .cancelled
        }
        var decoded = try decoded(proposal)
        decoded.settings = profile.settings
        var target = LoginTarget(profile: decoded, new: new)
        target.new?.table = proposal.table
        return target
    }

    /// Asks for what the form has beside user name and password, such as the server that a login is for.
    /// - Returns: what was typed, by the names of the fields.
    private func asked(
        _ fields: [LabelledField], _ dialogue: any Dialogue
    ) throws(LoginFault) -> [String: String] {
        var values: [String: String] = [:]
        let labels = fields.map { SafeText.escaped(String($0.label.prefix(60))) }
        for (field, label) in zip(fields, labels) {
            let note = field == fields.first ? DiscoveryWords.otherFields(labels) : nil
            let text = try dialogue.askText("\(label): ", note: note)
            if !text.isEmpty { values[field.name] = text }
        }
        return values
    }

    /// The profile as any other is read: what a server wrote may be none.
    func decoded(_ proposal: ProposedProfile) throws(LoginFault) -> Profile {
        let table = StrictTable(proposal.table, file: "the proposed profile", path: "")
        return try LoginContext.fromConfig { () throws(UsageFault) in
            try ProfileDecoder(folder: paths.configFolder, home: paths.home).profile(named: proposal.name, table)
        }
    }
}

extension LoginTarget {
    /// The error for a URL whose challenge authctl cannot answer without a profile.
    func fault(of method: AuthenticationMethod?) -> LoginFault? {
        guard case .challenge = profile.kind, let offered = new?.offered, !offered.isEmpty, !offered.areAnswered
        else { return nil }
        return .untrusted(.weakerMethod(offered: offered.map(\.scheme), accepted: [method ?? .auto]))
    }
}

extension [AuthenticateChallenge] {
    /// Whether a token is all that the service takes (RFC 6750, section 3).
    var wantsToken: Bool { contains { $0.scheme == "bearer" } && !areAnswered }

    fileprivate var areAnswered: Bool { contains { HTTPScheme(rawValue: $0.scheme) != nil } }
}
