import LoginCore
import Secrets

/// A person logs in in a browser, and the session is taken from there: nothing is exchanged here.
final class WindowLogin: LoginProcedure {
    let client: ServiceClient
    private(set) var space: ProtectionSpace?

    init(_ client: ServiceClient) {
        self.client = client
    }

    func prepare(hasPassword: Bool) throws(LoginFault) -> ProtectionSpace {
        let found = try AnonymousCheck(client: client).space(.browser, isKnown: false)
        space = found
        return found
    }

    func open(_ steps: StepsInProgress, code: Secret?) throws(LoginFault) -> OpeningStep { throw client.lacking }

    func method(for credential: Credential) -> AuthenticationMethod { .browser }
}
