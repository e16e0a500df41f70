import LoginCore
import Secrets

extension LoginContext {
    /// What the login of a machine reads its proof from.
    /// - Parameter key: opens one that is encrypted.
    /// - Throws: `usage` where profiles take their identity from one another, before one has a lock that another one waits for.
    func machineDependencies(
        of profile: Profile, key: @escaping () throws(LoginFault) -> SigningKey?
    ) throws(LoginFault) -> MachineDependencies {
        let (chain, circle) = chain(from: profile)
        if let circle {
            let names = (chain.map(\.name) + [circle]).map { SafeText.quoted($0) }.joined(separator: " → ")
            throw .usage(
                .other("the profiles \(names) take their identity from one another; change 'identity' of one of them"))
        }
        guard chain.count <= Self.mostLenders + 1 else {
            throw .usage(
                .other(
                    "the profile \(SafeText.quoted(profile.name)) takes its identity through more than \(Self.mostLenders) "
                        + "other profiles; change 'identity' of one of them"))
        }
        return MachineDependencies(
            environment: dependencies.environment, isCancelled: dependencies.isCancelled, key: key
        ) { [unowned self] (other, issuer) throws(LoginFault) in try token(of: other, issuer) }
    }

    /// Each lender's login goes on while those before it wait, on one stack.
    private static let mostLenders = 8

    /// What the lender lacks, in its own words: nothing of the borrower's is wrong.
    private func lenderFault(_ fault: LoginFault, _ lender: Profile, _ context: LoginContext) -> LoginFault {
        let message = fault.message(about: context.topic)
        let what =
            "the token of the profile \(SafeText.quoted(lender.name)) is the identity, and cannot be had: \(message.what)"
        switch fault {
        case .loginRequired, .rejected, .noTicketForService, .secondFactor, .forbidden, .oauth:
            let command = ShellCommand("authctl", lender.provesItself ? "token" : "login", lender.name)
            return .loginRequired(LoginNeed(why: .noIdentity("\(what); try: \(command)")))
        case .usage: return .usage(.other(what))
        case .cancelled, .network, .untrusted, .store, .busy, .http, .promptExpired, .failure: return fault
        }
    }

    /// The variables that say which machine this is, for a login of this profile and of those whose tokens it takes.
    package func identityVariables(of profile: Profile) -> [String] {
        MachineProver.variablesOfActions
            + chain(from: profile).profiles.compactMap {
                if case .variable(let name)? = $0.oauth?.machine?.identity?.source { name } else { nil }
            }
    }

    /// The profile, the one whose token it takes, the one whose token that takes, and so on, one more than there may be.
    /// - Returns: also the name that closes a circle.
    private func chain(from profile: Profile) -> (profiles: [Profile], circle: String?) {
        var chain = [profile]
        while chain.count <= Self.mostLenders + 1,
            case .profile(let name)? = chain[chain.count - 1].oauth?.machine?.identity?.source,
            // One that cannot be read lends nothing.
            let next = try? profiles.profile(named: name)
        {
            if chain.contains(where: { $0.name == next.name }) { return (chain, next.name) }
            chain.append(next)
        }
        return (chain, nil)
    }

    /// The token of another profile's login, if that lends it.
    private func token(of other: String, _ issuer: String?) throws(LoginFault) -> Secret {
        let lender = try LoginContext.fromConfig { () throws(UsageFault) in try profiles.profile(named: other) }
        guard let issuer, lender.settings.lendTo.contains(issuer) else {
            throw .usage(
                .other(
                    "the profile \(SafeText.quoted(other)) does not lend its token to \(SafeText.quoted(issuer ?? "this server")); "
                        + "it has to say so: lend-to = [\"\(SafeText.escaped(issuer ?? "ISSUER"))\"]"))
        }
        let context = lending(), session: Session
        do throws(LoginFault) {
            let source = TokenSource(
                context: context, profile: try context.profile(named: other), minimum: 0, asksServer: false,
                wantsHeader: false)
            session = try source.session().session
        } catch {
            throw lenderFault(error, lender, context)
        }
        guard case .token(let token) = session else {
            throw .usage(.other("the login of the profile \(SafeText.quoted(other)) is no token"))
        }
        return token.value
    }
}
