package import LoginCore
package import LoginHTTP
import LoginStores
import LoginWords

extension LoginContext {
    /// Looks at a URL without a login, and proposes a profile.
    /// - Throws: what `Discovery` ends with; `usage` for a name that is taken.
    package func discover(_ text: String, choices: LoginChoices) throws(LoginError) -> ProposedProfile {
        let url = try parse(text)
        topic.origin = url.origin
        guard url.user == nil, url.password == nil else {
            throw .usage(
                .badURL(url: url.text, problem: "nothing is sent but the URL; leave user name and password out"))
        }
        return try discover(url, choices: choices, name: try newName(for: url.origin, choices.name))
    }

    /// The same for a URL that is parsed already.
    func discover(
        _ url: ParsedURL, choices: LoginChoices, name: String
    ) throws(LoginError) -> ProposedProfile {
        var profile = Profile(
            name: name, url: url.origin.description,
            verify: RequestRule(method: "GET", path: Template(literal: url.target)))
        // Variables hold for this look; what is written down is what the options say.
        let lasting = try choices.applied(to: profile).settings
        profile = profiles.withDefaults(profile)
        try profile.settings.override(by: world.environment)
        profile = try choices.applied(to: profile)
        var settings = try transportSettings(profile, for: url.origin)
        settings.fingerprint = choices.trustFingerprint
        let transport = world.transport(url.origin, settings)
        let client = DiscoveryClient(
            url.origin, others: otherTransports(of: profile, like: settings), isLocal: { transport.reachedLocal }
        ) { [self] (request) throws(LoginError) in
            try send(request, over: transport, choices)
        }
        let rule = EndpointRule(plainOrigin: profile.settings.allowHTTP ? url.origin : nil)
        let start = EndpointURL(origin: url.origin, path: url.path, query: url.query)
        let found = try Discovery(start, over: client, rule: rule).run()
        let proposal = ProposedProfile(
            name: name, origin: url.origin, found: found, connection: connection(lasting))
        if proposal.isUsable { _ = try decoded(proposal) }
        return proposal
    }

    /// What a URL answers without a login, and without following a redirect.
    package func fetch(_ url: ParsedURL) throws(LoginError) -> HTTPResponse {
        let profile = profiles.withDefaults(
            Profile(
                name: "", url: url.origin.description, verify: RequestRule(method: "GET", path: Template(literal: "/")))
        )
        let transport = world.transport(url.origin, try transportSettings(profile, for: url.origin))
        return try send(HTTPRequest(method: "GET", url: url.text), over: transport, LoginChoices())
    }

    /// Writes a proposed profile down, as it is shown.
    package func save(_ proposal: ProposedProfile, head: String) throws(LoginError) -> Bool {
        let text = proposal.document(head: head, isAlone: true) + "\n"
        return try fromStore(
            try world.profileFolder(paths.madeProfiles).create(text, name: "\(proposal.name).toml"))
    }
}
