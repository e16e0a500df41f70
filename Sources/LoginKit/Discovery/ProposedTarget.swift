/// Looks at a URL that has no profile yet, and proposes one.
package struct URLDiscovery {
    private let context: LoginContext
    private let request: LoginRequest

    package init(_ context: LoginContext, _ request: LoginRequest) { (self.context, self.request) = (context, request) }

    /// A profile for a URL that has none yet, or that leads to one that has.
    func target(of url: ParsedURL) throws(LoginFault) -> LoginTarget {
        let newName = { () throws(LoginFault) in try context.profiles.newName(for: url.origin, request.name) }
        var (profile, lasting) = try context.selection.bareProfile(url, name: try newName(), request)
        let discovery = try discovery(of: url, profile)
        let visit = try discovery.firstVisit(), target = visit.end.target, challenges = visit.challenges
        let get = RequestRule(method: "GET", path: Template(literal: target))
        profile.proof = .verify(visit.isInitialize ? .initializingMCP(at: target) : get)
        profile.mcp = visit.mcp
        let method = chosenMethod, wantsPaste = method == .token && challenges.canBeBearer
        if challenges.wantsToken || wantsPaste, [nil, .oauth, .token].contains(method) {
            (profile.methods, profile.oauth) = ([.oauth], OAuthProfile())
            // Who has a token already gives it only where no server issues one.
            if wantsPaste || givesToken(url, profile),
                try discovery.findServer(of: target, challenges.first { $0.scheme == "bearer" }) == nil
            {
                profile.takePastedToken()
            }
        }
        if let known = try context.selection.remembered(url.origin, target, request) {
            return LoginTarget(profile: known)
        }
        let new = LoginTarget.New(settings: lasting, offered: challenges, name: newName)
        if !challenges.areAnswered, !challenges.wantsToken, !wantsPaste, [nil, .token].contains(request.method) {
            if let proposed = try proposed(by: discovery, url, profile, new) { return proposed }
        } else {
            for preset in presets(challenges.compactMap(\.realm)) {
                context.person.say(advice(preset, url.origin, seen: [url.path]))
            }
        }
        return LoginTarget(profile: profile, new: new)
    }

    /// The method that an option names, else that of the variable.
    private var chosenMethod: AuthenticationMethod? {
        request.method
            ?? context.dependencies.environment["AUTHCTL_METHOD"].flatMap { AuthenticationMethod(rawValue: $0) }
    }

    /// Whether a token comes from an option, a variable or the URL, or from nowhere, because nobody can be asked to approve a login.
    private func givesToken(_ url: ParsedURL, _ profile: Profile) -> Bool {
        let environment = context.dependencies.environment
        let mayUse = environment.mayGiveCredential(for: profile, isLogin: true, url: url.text)
        return request.passwordSource != nil || url.password != nil
            || SuppliedCredential.variable(environment, mayUse) != nil
            || !context.person.mayBeAsked && request.way == nil
    }

    /// For a URL without a challenge that a password or OAuth answers: what it and its pages say of a login, as a profile that the
    /// person agrees to.
    /// - Returns: `nil` if they say nothing.
    func proposed(
        by discovery: Discovery, _ url: ParsedURL, _ profile: Profile, _ new: LoginTarget.New
    ) throws(LoginFault) -> LoginTarget? {
        var proposal: ProposedProfile
        do {
            proposal = try self.proposal(of: discovery, url.origin, name: profile.name, new.settings)
        } catch .usage(.verifyProvesNothing) {
            return nil
        }
        guard proposal.isUsable, let place = proposal.found.guarded else {
            for sighting in proposal.found.seen { context.person.say(sighting.sentence) }
            for preset in presets(proposal.found.names) {
                context.person.say(advice(preset, url.origin, seen: [url.path]))
            }
            return nil
        }
        if let known = try context.selection.remembered(url.origin, place.target, request) {
            return LoginTarget(profile: known)
        }
        guard context.person.mayBeAsked else {
            let text = "\(url.origin)\(url.target)"
            throw .usage(
                "\(SafeText.escaped(text)) needs a profile: a login was found, but there is no terminal to confirm it",
                next: "\(ShellCommand("authctl", "discover", "--save", text))")
        }
        let dialogue = context.person.dialogue(allowsBlankPassword: request.allowsBlankPassword)
        if case .form(let form)? = proposal.found.login {
            if form.usernameField == nil, let name = context.options.username {
                context.person.say(
                    "The form asks for no user name; \(SafeText.quoted(name)) is not sent, and only names the account here."
                )
            }
            if !form.otherFields.isEmpty {
                proposal.fillIn(try asked(form.otherFields, dialogue), asked: form.otherFields)
            }
        }
        // Somebody may paste it into a file.
        let written = proposal.document(head: "A profile for this URL; \(proposal.found.summary).", isAlone: false)
        for sentence in proposal.advice { context.person.say(sentence) }
        guard try dialogue.decide(proposal.question, label: ProposedProfile.label, details: written) else {
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
            let note =
                "The form also asks for \(labels.joined(separator: ", ")). What you type goes into the profile; Return leaves a field empty."
            let text = try dialogue.askText("\(label): ", note: field == fields.first ? note : nil)
            if !text.isEmpty { values[field.name] = text }
        }
        return values
    }

    /// The profile as any other is read: what a server wrote may be none.
    func decoded(_ proposal: ProposedProfile) throws(LoginFault) -> Profile {
        let table = StrictTable(proposal.table, file: "the proposed profile", path: "")
        return try fromUsage(
            try ProfileDecoder(folder: context.paths.configFolder, home: context.paths.home).profile(
                named: proposal.name, table))
    }

    /// Looks at a URL without a login, and proposes a profile.
    /// - Throws: what `Discovery` ends with; `usage` for a name that is taken.
    package func proposal(for text: String) throws(LoginFault) -> ProposedProfile {
        let url = try context.selection.parseBare(text),
            name = try context.profiles.newName(for: url.origin, request.name)
        context.topic.url = "\(url.origin)\(url.target)"
        let (profile, lasting) = try context.selection.bareProfile(url, name: name, request)
        return try proposal(of: try discovery(of: url, profile), url.origin, name: name, lasting)
    }

    /// Discovers the login at a URL and proposes a profile for it.
    /// - Parameter lasting: what is written down of how the server is reached.
    func proposal(
        of discovery: Discovery, _ origin: Origin, name: String, _ lasting: Profile.Settings
    ) throws(LoginFault) -> ProposedProfile {
        var found: Discovered
        do {
            found = try discovery.run()
        } catch {
            for preset in presets(discovery.names) { context.person.say(advice(preset, origin, seen: [])) }
            throw error
        }
        // A login by that form shows what proves one.
        if let form = found.formAlone { found = found.logging(inBy: form) }
        let proposal = ProposedProfile(
            name: name, origin: origin, found: found, connection: GeneratedProfiles(context).connection(lasting),
            advice: presets(found.names).map { advice($0, origin, seen: found.paths) })
        if proposal.isUsable { _ = try decoded(proposal) }
        return proposal
    }

    /// The presets for a service that goes by these names.
    func presets(_ names: [String]) -> [String] { Presets(context.dependencies.environment).named(by: names) }

    /// The command that takes a preset, with the folder in which its paths lie, as far as what was seen tells it.
    /// - Parameter paths: where the login was found.
    func advice(_ preset: String, _ origin: Origin, seen paths: [String]) -> String {
        let url = "\(origin)\(folder(of: preset, origin, seen: paths))"
        let command = ShellCommand("authctl", "login", preset, "--url", url)
        return "authctl has a profile for \(preset) that can do more: \(command)"
    }

    private func folder(of preset: String, _ origin: Origin, seen paths: [String]) -> String {
        do {
            guard let file = try Presets(context.dependencies.environment).preset(named: preset)?.file,
                let table = try OfferedProfiles(file: file, name: preset).profiles.first?.table
            else { return "" }
            let members = table.members.merging(["url": .string("\(origin)")]) { $1 }
            let profile = try ProfileDecoder(folder: "", home: nil)
                .profile(named: preset, StrictTable(members, file: file, path: ""))
            let known =
                profile.loginSteps.compactMap(\.page) + profile.loginSteps.map(\.path.source)
                + [profile.verify?.path.source ?? "/"]
            let ends = known.map(\.withoutQuery).filter { $0.count > 1 }
            for path in paths.map(\.withoutQuery) {
                if let end = ends.first(where: path.hasSuffix) { return String(path.dropLast(end.count)) }
            }
        } catch {
            // One that cannot be read is named all the same.
        }
        return ""
    }

    /// The look at a URL, before its first request.
    func discovery(
        of url: ParsedURL, _ profile: Profile
    ) throws(LoginFault) -> Discovery {
        let settings = try context.connections.transportSettings(profile, for: url.origin)
        let transport = context.dependencies.transport(url.origin, settings)
        let client = DiscoveryClient(
            origin: url.origin, others: context.connections.otherTransports(of: profile, like: settings),
            isLocal: { transport.reachedLocal }
        ) { [self] (look) throws(LoginFault) in
            try context.connections.send(look, over: transport, request)
        }
        let rule = EndpointRule(plainOrigin: profile.settings.allowHTTP ? url.origin : nil)
        let start = EndpointURL(origin: url.origin, path: url.path, query: url.query)
        return Discovery(start, over: client, rule: rule, clock: context.dependencies.clock)
    }
}

extension ProposedProfile {
    /// Writes it to a file of its own, exactly as shown.
    /// - Returns: whether the name was free.
    package func save(head: String, in paths: Paths) throws(LoginFault) -> Bool {
        let folder = ProfileFolder(paths)
        return try fromStore(try folder.create(document(head: head, isAlone: true) + "\n", name: "\(name).toml"))
    }
}

/// The way to what is looked at without a login, over libcurl and libxml2.
struct DiscoveryClient: DiscoveryTransport {
    let origin: Origin
    let others: OriginTransports
    /// Whether the server there is on this machine or in its network: one far away steers no request to us.
    let isLocal: () -> Bool
    /// Sends to `origin`.
    let own: (HTTPRequest) throws(LoginFault) -> HTTPResponse

    func send(_ request: HTTPRequest) throws(LoginFault) -> HTTPResponse {
        let target = try URLParser.parsed(request.url).origin
        guard target != origin else { return try own(request) }
        return try others.transport(to: target, mayBeLocal: isLocal()).send(request)
    }

    func read(_ url: String) -> EndpointURL? { AuthorizationClient.read(url) }

    func page(_ response: HTTPResponse, at url: EndpointURL) throws(LoginFault) -> LoginPage? {
        guard response.isPage else { return nil }
        return try HTMLFormReader(url: try URLParser.parsed(url.text)).page(response)
    }
}
