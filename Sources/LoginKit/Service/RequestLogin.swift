import LoginCore
import Secrets

/// A login request of the profile's own, which answers with cookies or a token.
final class RequestLogin: LoginProcedure {
    let client: ServiceClient
    private let clock: WallClock
    private let method: AuthenticationMethod
    private(set) var space: ProtectionSpace?

    init(_ client: ServiceClient, _ clock: WallClock, for earned: LoginKind.Earned) {
        self.client = client
        self.clock = clock
        method =
            switch earned {
            case .cookies: .cookie
            case .token: .token
            }
    }

    func prepare(hasPassword: Bool) throws(LoginFault) -> ProtectionSpace {
        // Without a page or a token, only the cookies of an anonymous response tell which ones everybody gets.
        let needsCookies = method == .cookie && client.profile.loginSteps.first?.page == nil
        let found = try AnonymousCheck(client: client).space(method, isKnown: hasPassword && !needsCookies)
        space = found
        return found
    }

    func open(_ steps: StepsInProgress, code: Secret?) throws(LoginFault) -> OpeningStep {
        if client.profile.loginSteps.isEmpty { return steps.credential.opened }
        return try RequestSequence(client: client, clock: clock, carriesCredential: false)
            .take(steps, code: code, by: client.plainly)
    }

    func method(for credential: Credential) -> AuthenticationMethod { method }
}
