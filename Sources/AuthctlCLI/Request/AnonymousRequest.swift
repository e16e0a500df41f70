import LoginCore
import LoginHTTP

/// `request --anonymous`: without a session and without a login, whatever the answer.
struct AnonymousRequest {
    let outgoing: OutgoingRequest
    let service: Service

    /// - Returns: the code of an answer that was handed on.
    func run() throws(LoginError) -> ExitCode {
        defer { outgoing.output.close() }
        let relayed = try outgoing.send(over: service, with: nil, username: "")
        try outgoing.handOn()
        return try outgoing.code(of: relayed.response)
    }
}

extension Invocation {
    /// The service as a stranger finds it: without a session, and without a client certificate.
    func anonymousService(_ profile: Profile, fingerprint: Fingerprint?) throws(LoginError) -> Service {
        let endpoint = try endpoint(profile)
        var transport = try transportSettings(profile, for: endpoint.origin)
        transport.fingerprint = fingerprint
        return world.service(profile, endpoint, transport, Service.Options())
    }

    /// The profile of the URL's origin; one for this URL alone, where there is none.
    func selectProfile(forAnonymousRequestTo url: String) throws(LoginError) -> Profile {
        guard options.profile == nil, world.environment["AUTHCTL_PROFILE"] == nil, !url.hasPrefix("/"),
            url.contains("://")
        else { return try selectProfile(nil) }
        let parsed = try parse(url)
        for name in profiles.names where try origin(of: name) == parsed.origin {
            return try selectProfile(forRequestTo: url)
        }
        topic = ErrorContext(origin: parsed.origin)
        var profile = Profile(
            name: parsed.origin.description, url: parsed.origin.description,
            verify: RequestRule(method: "GET", path: Template(literal: "/")))
        try profile.settings.override(by: world.environment)
        return profile
    }
}
