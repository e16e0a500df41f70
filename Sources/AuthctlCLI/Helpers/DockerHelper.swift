import LoginKit
import Secrets

/// The answers to docker and its like
/// (<https://docs.docker.com/reference/cli/docker/login/#credential-helper-protocol>).
struct DockerHelper {
    enum Verb: String, CaseIterable {
        case get, store, erase, list
    }

    let invocation: Invocation

    /// Prints the result.
    /// - Returns: one of the protocol's own refusals; `nil` if the method was done.
    func answer(_ method: Verb) throws(LoginFault) -> DockerReply? {
        switch method {
        case .get: return try get(try input())
        case .store: return try store(try input())
        case .erase: return try erase(try input())
        case .list:
            try invocation.streams.result(json: try list())
            return nil
        }
    }

    private func input() throws(LoginFault) -> Secret { try invocation.helperInput(endsWithBlankLine: false) }

    private func get(_ input: Secret) throws(LoginFault) -> DockerReply? {
        let server = DockerServer(input)
        guard !server.text.isEmpty else { return .noURL }
        guard let login = try login(server, mayProve: \.makesPairs) else { return try notFound(server) }
        guard login.isPair else {
            invocation.say("authctl: \(login.otherWay)")
            return .notFound
        }
        guard let lent = try login.lent(), case .pair(let username, let password) = lent.proof else { return .notFound }
        let credentials = DockerCredentials(
            url: server.text, username: username.unprotectedText, secret: password.unprotectedText)
        guard let text = credentials.encoded() else { throw .failure("the login cannot be written as JSON") }
        try invocation.streams.result(text)
        return nil
    }

    /// Somebody logged in with another program: the pair is held to the same proof as with `authctl login`.
    private func store(_ input: Secret) throws(LoginFault) -> DockerReply? {
        guard let supplied = DockerCredentials.request(input) else {
            throw .malformedRequest("not the JSON of docker's protocol")
        }
        let server = DockerServer(Secret(supplied.url ?? ""))
        guard !server.text.isEmpty else { return .noURL }
        guard !supplied.username.isEmpty else { return .noUsername }
        guard let url = server.url, let (origin, _, _) = try invocation.helperOrigin(url) else {
            throw .malformedRequest("invalid URL")
        }
        guard let profile = try invocation.helperProfile(at: origin, username: supplied.username) else {
            if let plain = try plainProfile(server) { throw .usage(plain) }
            throw .usage("exactly one profile for \(origin) is needed to verify a login; see authctl-config(5)")
        }
        invocation.context.topic = ErrorContext(profile: profile.name, origin: origin)
        try logIn(profile, supplied)
        return nil
    }

    private func logIn(_ profile: Profile, _ supplied: DockerCredentials) throws(LoginFault) {
        guard profile.makesPairs else {
            throw .usage("the session of the profile \(profile.name) is not a user name and a password")
        }
        let secret = Secret(supplied.secret)
        if profile.traits.asksForConsent || profile.provesItself {
            throw .usage(.takesNoPassword(method: profile.methods[0]))
        }
        if profile.traits.authenticatesRequests {
            try fromUsage(try BasicCredential.check(username: supplied.username))
            guard secret.isFreeOfControls else { throw .usage(.controlCharacter(.password)) }
        }
        var request = LoginRequest(username: supplied.username, mayAsk: false)
        request.supplied = Credential(username: supplied.username, profile.traits.credential(secret))
        _ = try LoginRun(invocation.context, profile, request).run()
    }

    /// Docker's way to log out.
    private func erase(_ input: Secret) throws(LoginFault) -> DockerReply? {
        let server = DockerServer(input)
        guard !server.text.isEmpty else { return .noURL }
        guard let login = try login(server), login.isPair, let record = try invocation.context.record(of: login.profile)
        else {
            return try notFound(server)
        }
        let receipt = try AccountLogout.ofOne(login.account, of: record, in: invocation.context)
        if let problem = receipt?.problem {
            throw .failure(.logoutIncomplete(problem))
        }
        return nil
    }

    /// User names by origin.
    func list() throws(LoginFault) -> [String: String] {
        var names: [String: String] = [:]
        // Looked at once, all together: for each origin by itself it would be a matter of minutes with many logins.
        for (origin, profiles) in try invocation.helperProfiles() {
            do {
                guard let login = try invocation.helperLogin(at: origin, among: profiles, username: nil), login.isPair
                else { continue }
                names[origin.description] = login.account.username
            } catch .usage(.profileNotNamed), .untrusted(.plainHTTP) {
                // `get` would refuse this origin too, so leave it out.
            }
        }
        return names
    }

    private func notFound(_ server: DockerServer) throws(LoginFault) -> DockerReply {
        if let plain = try plainProfile(server) { invocation.say("authctl: \(plain)") }
        return .notFound
    }

    /// Says that there is a profile for the same host over plain http.
    func plainProfile(_ server: DockerServer) throws(LoginFault) -> String? {
        guard !server.text.contains("://"), server.url != nil,
            let (origin, _, _) = try invocation.helperOrigin("http://\(server.text)"),
            let name = try invocation.helperProfiles().first(where: { $0.origin == origin })?.names.first
        else { return nil }
        return
            "the profile \(SafeText.quoted(name)) is for \(origin), but \(SafeText.quoted(server.text)) without a scheme means https; "
            + "if it speaks TLS, change the profile's url"
    }

    private func login(
        _ server: DockerServer, mayProve: (Profile) -> Bool = { _ in false }
    ) throws(LoginFault) -> HelperLogin? {
        guard let url = server.url, let (origin, user, _) = try invocation.helperOrigin(url), user == nil
        else { return nil }
        return try invocation.helperLogin(at: origin, username: nil, mayProve: mayProve)
    }
}

/// The server as docker names it: a URL, or a host with or without a port and a path, which is then one of https.
struct DockerServer {
    let text: String

    init(_ input: Secret) {
        let text = input.unprotectedText
        self.text = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    /// - Returns: `nil` for what must not be taken apart.
    var url: String? {
        guard Secret(text).isFreeOfControls else { return nil }
        return text.contains("://") ? text : "https://\(text)"
    }
}

extension Profile {
    /// Whether what stays after a login can be the pair of HTTP Basic.
    fileprivate var makesPairs: Bool {
        if sessionRule.basic != nil { return true }
        return sessionRule.isCredential && kind.accepts(.basic)
    }
}
