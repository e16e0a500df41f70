import LoginCore
import Secrets

/// A token that a person pastes is the session at once.
final class PastedTokenLogin: LoginProcedure {
    let client: ServiceClient
    private(set) var space: ProtectionSpace?

    init(_ client: ServiceClient) {
        self.client = client
    }

    func prepare(hasPassword: Bool) throws(LoginFault) -> ProtectionSpace {
        let found = try AnonymousCheck(client: client).space(.token, isKnown: hasPassword)
        space = found
        return found
    }

    func open(_ steps: StepsInProgress, code: Secret?) throws(LoginFault) -> OpeningStep {
        switch steps.credential.kind {
        case .token(let value):
            let token = Token(value: value, refreshToken: nil, expires: nil)
            return .opened(
                OpenedLogin(credential: steps.credential, session: .token(token), verdict: .leftToVerify))
        case .password, .ticket, .certificate, .grant, .noSecret, .copied:
            throw client.lacking
        }
    }

    func method(for credential: Credential) -> AuthenticationMethod { .token }
}
