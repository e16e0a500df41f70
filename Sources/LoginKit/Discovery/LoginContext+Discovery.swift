package import LoginCore

extension LoginContext {
    /// Looks at a URL without a login, and proposes a profile.
    /// - Throws: what `Discovery` ends with; `usage` for a name that is taken.
    package func discover(_ text: String, request: LoginRequest) throws(LoginFault) -> ProposedProfile {
        let url = try parseBare(text), name = try newName(for: url.origin, request.name)
        let (profile, lasting) = try bareProfile(url, name: name, request)
        return try proposal(of: try discovery(of: url, profile, request), url.origin, name: name, lasting)
    }

    /// Discovers the login at a URL and proposes a profile for it.
    /// - Parameter lasting: what is written down of how the server is reached.
    func proposal(
        of discovery: Discovery, _ origin: Origin, name: String, _ lasting: Profile.Settings
    ) throws(LoginFault) -> ProposedProfile {
        var found: Discovered
        do throws(LoginFault) {
            found = try discovery.run()
        } catch {
            for preset in presets(discovery.names) { say(advice(preset, origin, seen: [])) }
            throw error
        }
        // A login by that form shows what proves one.
        if let form = found.formAlone { found = found.logging(inBy: form) }
        let proposal = ProposedProfile(
            name: name, origin: origin, found: found, connection: connection(lasting),
            advice: presets(found.names).map { advice($0, origin, seen: found.paths) })
        if proposal.isUsable { _ = try decoded(proposal) }
        return proposal
    }

    /// The presets for a service that goes by these names.
    func presets(_ names: [String]) -> [String] { Presets(dependencies.environment).named(by: names) }

    /// The command that takes a preset, with the folder in which its paths lie, as far as what was seen tells it.
    /// - Parameter paths: where the login was found.
    func advice(_ preset: String, _ origin: Origin, seen paths: [String]) -> String {
        var folder = ""
        do throws(UsageFault) {
            guard let file = try Presets(dependencies.environment).preset(named: preset)?.file,
                let table = try OfferedProfiles(file: file, name: preset).profiles.first?.table
            else { return DiscoveryWords.preset(preset, for: "\(origin)") }
            let members = table.members.merging(["url": .string("\(origin)")]) { $1 }
            let profile = try ProfileDecoder(folder: "", home: nil)
                .profile(named: preset, StrictTable(members, file: file, path: ""))
            let known =
                profile.loginSteps.compactMap(\.page) + profile.loginSteps.map(\.path.source)
                + [profile.verify?.path.source ?? "/"]
            let ends = known.map(\.withoutQuery).filter { $0.count > 1 }
            for path in paths.map(\.withoutQuery) {
                guard let end = ends.first(where: path.hasSuffix) else { continue }
                folder = String(path.dropLast(end.count))
                break
            }
        } catch {
            folder = ""
        }
        return DiscoveryWords.preset(preset, for: "\(origin)\(folder)")
    }

    /// The look at a URL, before its first request.
    func discovery(
        of url: ParsedURL, _ profile: Profile, _ request: LoginRequest
    ) throws(LoginFault) -> Discovery {
        let settings = try transportSettings(profile, for: url.origin)
        let transport = dependencies.transport(url.origin, settings)
        let client = DiscoveryClient(
            url.origin, others: otherTransports(of: profile, like: settings), isLocal: { transport.reachedLocal }
        ) { [self] (look) throws(LoginFault) in
            try send(look, over: transport, request)
        }
        let rule = EndpointRule(plainOrigin: profile.settings.allowHTTP ? url.origin : nil)
        let start = EndpointURL(origin: url.origin, path: url.path, query: url.query)
        return Discovery(start, over: client, rule: rule, clock: dependencies.clock)
    }

    /// A profile of nothing but a URL, as variables and options have it.
    /// - Returns: with what of that is written down: variables hold for this run, options last.
    func bareProfile(
        _ url: ParsedURL, name: String, _ request: LoginRequest
    ) throws(LoginFault) -> (profile: Profile, lasting: Profile.Settings) {
        let bare = Profile(
            name: name, url: url.origin.description,
            verify: RequestRule(method: "GET", path: Template(literal: url.target)))
        var profile = profiles.withDefaults(bare)
        try profile.settings.override(by: dependencies.environment)
        return (try request.applied(to: profile), try request.applied(to: bare).settings)
    }

    /// A URL that is asked without a login.
    func parseBare(_ text: String) throws(LoginFault) -> ParsedURL {
        let url = try parse(text)
        topic.origin = url.origin
        guard url.user == nil, url.password == nil else {
            throw .usage(
                .badURL(url: url.text, problem: "nothing is sent but the URL; leave user name and password out"))
        }
        return url
    }

    /// Writes a proposed profile to a file, exactly as shown.
    package func save(_ proposal: ProposedProfile, head: String) throws(LoginFault) -> Bool {
        let text = proposal.document(head: head, isAlone: true) + "\n"
        return try fromStore(
            try dependencies.profileFolder(paths.madeProfiles).create(text, name: "\(proposal.name).toml"))
    }
}
