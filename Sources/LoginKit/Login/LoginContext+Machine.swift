import LoginCore
import Secrets

extension LoginContext {
    /// What the login of a machine reads its proof from.
    /// - Parameter name: of the profile, whose token no chain of profiles may lead back to.
    func machineDependencies(of name: String) -> MachineDependencies {
        MachineDependencies(environment: dependencies.environment, isCancelled: dependencies.isCancelled) {
            [unowned self] (other, issuer) throws(LoginFault) in try token(of: other, for: name, issuer)
        }
    }

    /// The token of another profile's login, if that lends it.
    private func token(of other: String, for name: String, _ issuer: String?) throws(LoginFault) -> Secret {
        let chain = lenders + [name]
        guard !chain.contains(other) else {
            throw .usage(
                .other(
                    "the profiles \((chain + [other]).map { SafeText.quoted($0) }.joined(separator: " → ")) take their "
                        + "identity from one another; change 'identity' of one of them"))
        }
        let lender = try LoginContext.fromConfig { () throws(UsageFault) in try profiles.profile(named: other) }
        guard let issuer, lender.settings.lendTo.contains(issuer) else {
            throw .usage(
                .other(
                    "the profile \(SafeText.quoted(other)) does not lend its token to \(SafeText.quoted(issuer ?? "this server")); "
                        + "it has to say so: lend-to = [\"\(SafeText.escaped(issuer ?? "ISSUER"))\"]"))
        }
        lenders = chain
        defer { lenders = Array(chain.dropLast()) }
        let former = topic
        defer { topic = former }
        let session: Session
        do throws(LoginFault) {
            session = try SessionProvider(self, try profile(named: other), LoginRequest()).enterUnverified().session
        } catch .loginRequired {
            throw .loginRequired(
                LoginNeed(
                    why: .noIdentity(
                        "nobody is logged in to \(SafeText.quoted(other)), whose token is the identity; run: "
                            + "\(ShellCommand("authctl", "login", other))")))
        }
        guard case .token(let token) = session else {
            throw .usage(.other("the login of the profile \(SafeText.quoted(other)) is no token"))
        }
        return token.value
    }
}
