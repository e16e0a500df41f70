import LoginCore
import Secrets

extension LoginContext {
    /// What the login of a machine reads its proof from.
    /// - Parameters:
    ///   - name: of the profile, whose token no chain of profiles may lead back to.
    ///   - key: opens one that is encrypted.
    func machineDependencies(
        of name: String, key: @escaping () throws(LoginFault) -> SigningKey?
    ) -> MachineDependencies {
        MachineDependencies(environment: dependencies.environment, isCancelled: dependencies.isCancelled, key: key) {
            [unowned self] (other, issuer) throws(LoginFault) in try token(of: other, for: name, issuer)
        }
    }

    /// The variables that say which machine this is, for a login of this profile and of those whose tokens it takes.
    package func identityVariables(of profile: Profile) -> [String] {
        var names = MachineProver.variablesOfActions, known: Set<String> = []
        var next: Profile? = profile
        while let profile = next, known.insert(profile.name).inserted {
            next = nil
            switch profile.oauth?.machine?.identity?.source {
            case .variable(let name)?: names.append(name)
            // One that cannot be read lends nothing.
            case .profile(let name)?: next = try? profiles.profile(named: name)
            case .githubActions?, .file?, .command?, nil: break
            }
        }
        return names
    }

    /// The token of another profile's login, if that lends it.
    private func token(of other: String, for name: String, _ issuer: String?) throws(LoginFault) -> Secret {
        let chain = borrowers + [name]
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
        let context = lending(to: chain), session: Session
        do throws(LoginFault) {
            let profile = try context.profile(named: other)
            session = try SessionProvider(context, profile, LoginRequest()).enterUnverified().session
        } catch .loginRequired(let need) {
            // What a machine lacks to prove itself, no login at a terminal brings.
            if case .noIdentity = need.why { throw .loginRequired(need) }
            if case .keyLocked = need.why { throw .loginRequired(need) }
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
