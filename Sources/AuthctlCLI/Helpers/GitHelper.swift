import LoginCore
import LoginKit
import Secrets

/// The answers to git (gitcredentials(7), "CUSTOM HELPERS").
struct GitHelper {
    enum Verb: String, CaseIterable {
        case get, store, erase
    }

    let invocation: Invocation

    func answer(_ method: Verb) throws(LoginFault) {
        let input = try invocation.helperInput(endsWithBlankLine: true)
        switch method {
        case .get: try get(try request(input))
        case .erase: try erase(try request(input))
        // What git found to work was never verified, and is stored here already if it came from here.
        case .store: break
        }
    }

    private func get(_ request: GitCredentialRequest) throws(LoginFault) {
        guard !request.isOver,
            let (login, _) = try login(request, mayProve: { request.takesAuthtype || $0.sessionRule.basic != nil }),
            let lent = try login.lent()
        else {
            return
        }
        if case .token = lent.proof, !request.takesAuthtype {
            invocation.explain(
                "this login is a token, and git did not announce that it accepts one (capability[]=authtype)")
            return
        }
        try invocation.streams.result(try answer(lent))
    }

    private func answer(_ lent: LentLogin) throws(LoginFault) -> Secret {
        do throws(GitResponseFault) {
            return try lent.gitAnswer()
        } catch {
            let why =
                switch error {
                case .lineEnd: "contains a line end, which git's protocol does not allow"
                case .tooLong(let limit): "is longer than \(limit) bytes, the limit of a line in git's protocol"
                }
            throw .failure(.other("the login \(why); git got nothing"))
        }
    }

    /// git erases after every 401, one for missing rights included; so the service has the last word.
    private func erase(_ request: GitCredentialRequest) throws(LoginFault) {
        guard let (login, password) = try login(request) else { return }
        if let supplied = password ?? request.credential, try login.stored()?.secret != supplied {
            return invocation.explain("git wants to erase another login than the stored one")
        }
        let name = login.profile.name
        guard login.profile.verify != nil else {
            return invocation.say("authctl: \(name): the service has no way to check this login, so it was kept")
        }
        if try login.holds() {
            invocation.say(
                "authctl: \(name): the service still accepts this login, so it was kept; a permission may be missing")
        } else {
            invocation.say(
                "authctl: \(name): the service refuses the stored login; log in again: \(ShellCommand("authctl", "login", name))"
            )
        }
    }

    private func request(_ input: Secret) throws(LoginFault) -> GitCredentialRequest {
        do throws(HelperRequestFault) {
            return try GitCredentialRequest(parsing: input)
        } catch {
            throw .usage(.helperRequest(error))
        }
    }

    private func login(
        _ request: GitCredentialRequest, mayProve: (Profile) -> Bool = { _ in false }
    ) throws(LoginFault) -> (login: HelperLogin, password: Secret?)? {
        guard let url = request.url, let (origin, user, password) = try invocation.helperOrigin(url),
            let login = try invocation.helperLogin(at: origin, username: request.username ?? user, mayProve: mayProve)
        else { return nil }
        return (login, request.password ?? password)
    }
}
