import LoginCore
import Secrets

/// What a machine's proof is read from, beside the network.
struct MachineDependencies {
    let environment: Environment
    let isCancelled: (@Sendable () -> Bool)?
    /// Opens the key if it is encrypted.
    let key: () throws(LoginFault) -> SigningKey?
    /// The token of another profile's login, if that lends it to this issuer.
    let lend: (_ profile: String, _ issuer: String?) throws(LoginFault) -> Secret
}

/// Reads the key and the identity of a machine, as its profile says where they are.
struct MachineProver: MachineProof {
    let machine: MachineGrant
    let issuer: String?
    let dependencies: MachineDependencies
    let client: AuthorizationClient

    /// The variables in which GitHub tells a job where its identity is to be had.
    static let variablesOfActions = ["ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"]

    /// Seconds that a program has to print an identity: others wait for the token no longer than half a minute.
    private static let patience = 20

    func key() throws(LoginFault) -> any AssertionKey {
        if let key = try dependencies.key() { return key }
        let path = machine.keyFile ?? ""
        guard let key = try SigningKey.open(machine, try KeyFile.signingKey(path), passphrase: nil) else {
            throw .loginRequired(LoginNeed(why: .keyLocked(file: path)))
        }
        return key
    }

    func identity() throws(LoginFault) -> Secret {
        guard let identity = machine.identity else { throw .failure(.unexpectedEvent("no identity")) }
        let token = try read(identity.source)
        guard identity.isOpaque || JSONWebToken.isSigned(token) else {
            throw .usage(
                .other(
                    "\(identity.source.description) has no JSON Web Token; set opaque = true in 'identity' if it has another text"
                ))
        }
        return token
    }

    private func read(_ source: MachineIdentity.Source) throws(LoginFault) -> Secret {
        switch source {
        case .githubActions(let audience): return try ofActions(audience)
        case .variable(let name):
            guard let text = dependencies.environment.secret(named: name) else {
                throw Self.missing("the variable \(SafeText.quoted(name)) is not set")
            }
            return try line(of: source) { () throws(SecretFile.Problem) in try SecretFile.soleLine(of: text) }
        case .file(let path):
            return try line(of: source) { () throws(SecretFile.Problem) in
                try SecretFile.read(path: path, until: .now + .seconds(Self.patience))
            }
        case .command(let words):
            return try output(of: words, named: "the identity command \(SafeText.quoted(words[0]))")
        case .profile(let name): return try dependencies.lend(name, issuer)
        }
    }

    /// Runs like a password command, and is not called one.
    private func output(of words: [String], named name: String) throws(LoginFault) -> Secret {
        do throws(LoginFault) {
            return try PasswordCommand(words: words, patience: Self.patience).run(isCancelled: dependencies.isCancelled)
        } catch .usage(.badValue(_, let problem)) {
            throw .usage(.badValue(option: name, problem: problem))
        } catch .loginRequired(let need) {
            if case .passwordCommandFailed(let status, _) = need.why {
                let problem = "failed with status \(status)"
                throw Self.missing("\(name) \(status == 127 ? "was not found, or cannot be run" : problem)")
            }
            if case .passwordCommandTookTooLong(let seconds, _) = need.why {
                throw Self.missing("\(name) took more than \(seconds) seconds and was stopped")
            }
            throw .loginRequired(need)
        }
    }

    private func line(
        of source: MachineIdentity.Source, _ read: () throws(SecretFile.Problem) -> Secret
    ) throws(LoginFault) -> Secret {
        do throws(SecretFile.Problem) {
            let text = try read().withoutByteOrderMark
            if !text.isEmpty { return text }
        } catch {
            throw Self.missing("\(source.description): \(error.words)")
        }
        throw Self.missing("\(source.description) is empty")
    }

    private static func missing(_ what: String) -> LoginFault { .loginRequired(LoginNeed(why: .noIdentity(what))) }

    /// As GitHub documents it: a GET with the audience in its query and the bearer token of the job.
    private func ofActions(_ audience: String) throws(LoginFault) -> Secret {
        guard let place = dependencies.environment.secret(named: Self.variablesOfActions[0])?.unprotectedText,
            let bearer = dependencies.environment.secret(named: Self.variablesOfActions[1])
        else {
            throw Self.missing(
                "this is no job of GitHub Actions with the permission to ask for an identity; in its workflow: "
                    + "permissions: id-token: write")
        }
        let address = try Self.url(place, audience: audience)
        var request = HTTPRequest(
            method: "GET", url: address,
            headers: [
                HTTPRequestField(name: "Accept", value: Secret("application/json")),
                HTTPRequestField(name: "Authorization", value: try Self.authorization(bearer)),
            ])
        request.hidden.add([bearer])
        var direct = client
        direct.takesNamedProxyAlone = true
        let response = try direct.send(request)
        if response.saysNothing {
            throw .busy(BusyFault(status: response.status, retryAfter: response.retryAfter, words: nil))
        }
        let body = response.body.withUnsafeBytes { bytes in try? JSONReader.read(bytes) }
        guard response.status == 200, case .string(let token)? = JSONPointer("/value").flatMap({ body?[$0] }) else {
            throw .failure(.unexpectedStatus(response.status, step: "identity", words: nil))
        }
        client.client.hide([Secret(token)])
        return Secret(token)
    }

    private static func url(_ place: String, audience: String) throws(LoginFault) -> String {
        let parsed = try URLParser.parsed(place)
        guard !place.contains("#"), parsed.query?.contains("audience=") != true else {
            throw .usage(.other("\(variablesOfActions[0]) has a fragment or an audience of its own"))
        }
        guard parsed.origin.scheme == "https" || parsed.origin.isLoopback else {
            throw .untrusted(.plainHTTP)
        }
        do throws(FillFault) {
            let value = try Secret(audience).formEncoded(limit: 4096).unprotectedText
            return place + (place.contains("?") ? "&" : "?") + "audience=" + value
        } catch {
            throw error.asLoginFault
        }
    }

    private static func authorization(_ token: Secret) throws(LoginFault) -> Secret {
        guard token.withUnsafeBytes({ $0.allSatisfy { (0x21...0x7e).contains($0) } }) else {
            throw .usage(.other("\(variablesOfActions[1]) has characters that no header may have"))
        }
        return Secret("Bearer ", followedBy: token)
    }
}

extension MachineIdentity.Source {
    /// For a message.
    var description: String {
        switch self {
        case .githubActions: "the identity of GitHub Actions"
        case .variable(let name): "the variable \(SafeText.quoted(name))"
        case .file(let path): "the file \(SafeText.quoted(path))"
        case .command(let words): "the output of \(SafeText.quoted(words[0]))"
        case .profile(let name): "the login of the profile \(SafeText.quoted(name))"
        }
    }
}
