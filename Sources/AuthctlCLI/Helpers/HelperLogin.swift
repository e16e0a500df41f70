import LoginCore
import LoginKit
import Secrets

/// The stored login for an origin that another program asks about. Never guesses and never asks a person.
struct HelperLogin {
    let invocation: Invocation
    let profile: Profile
    let account: AccountRecord

    /// Whether it can be sent as the pair of HTTP Basic, as far as is known without opening it.
    var isPair: Bool { account.kind == .basic || (account.kind == .token && profile.sessionRule.basic != nil) }

    /// Returns the stored login, refreshed if it has expired.
    /// - Returns: `nil` if there is no session, or one that other programs cannot send.
    func lent() throws(LoginFault) -> LentLogin? {
        let source = TokenSource(
            context: invocation.context, profile: profile, minimum: 0, asksServer: false, wantsHeader: true)
        do throws(LoginFault) {
            if isLendable {
                let session = try source.session(of: account)
                if let lent = try lent(session, try source.taken(account.username)) { return lent }
            }
            invocation.explain("the session of \(profile.name) cannot be used by other programs")
            return nil
        } catch .loginRequired {
            invocation.explain("the login of \(profile.name) has expired, and cannot be refreshed without a question")
            return nil
        }
    }

    /// Returns the stored login, even if it has expired.
    func stored() throws(LoginFault) -> LentLogin? {
        guard isLendable else { return nil }
        let keeper = invocation.context.keeper(profile, account.origin, request)
        let stored = try keeper.fill(account)
        return try stored.session.flatMap { (session) throws(LoginFault) in try lent(session, stored.extraSecrets) }
    }

    /// Has the service judge what is stored; what it refuses is erased, a password marked, and what can be refreshed is.
    /// - Returns: whether there is a good login afterwards.
    func holds() throws(LoginFault) -> Bool {
        do throws(LoginFault) {
            _ = try LoginRun(invocation.context, profile, request).run()
            return true
        } catch .loginRequired, .rejected {
            return false
        }
    }

    private var request: LoginRequest {
        var request = LoginRequest()
        request.username = account.username
        request.policy = LoginFlow.Policy(mayAsk: false)
        return request
    }

    /// Digest, tickets and certificates never leave as they are.
    private var isLendable: Bool { account.kind == .basic || account.kind == .token }

    private func lent(_ session: Session, _ taken: [CredentialField: Secret]) throws(LoginFault) -> LentLogin? {
        do throws(FillFault) {
            return try LentLogin(
                session, profile.sessionRule, SlotValues(session, username: account.username, taken))
        } catch {
            throw .failure(.sessionFitsNoHeader)
        }
    }
}

extension Invocation {
    /// Said with -v only: a helper has no login for most hosts.
    func explain(_ text: String) {
        if options.verbose { say("authctl: \(text)") }
    }

    /// The origin that a program names.
    /// - Returns: `nil` for what is no https or http URL of a host: there is no login for it.
    func helperOrigin(_ url: String) throws(LoginFault) -> (origin: Origin, user: String?, password: Secret?)? {
        let parser = try context.dependencies.urlParser()
        guard let parsed = try? parser.parse(url) else {
            explain("this is not a URL that a profile can have")
            return nil
        }
        return (parsed.origin, parsed.user, parsed.password)
    }
}
