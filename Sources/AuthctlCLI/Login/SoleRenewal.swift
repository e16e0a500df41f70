import LoginCore
import LoginHTTP
import LoginStores
import Secrets

/// The service, with what is stored renewed by one process at a time, be it by a refresh or by the password that is kept.
final class SoleRenewal: Authenticator {
    private let service: Service
    private let keeper: StoreKeeper
    /// Until the first renewal.
    private var outdated: Session?

    /// - Parameter outdated: the session that was found to be over before this login began; nothing for whichever is there.
    init(_ service: Service, _ keeper: StoreKeeper, outdated: Session?) {
        self.service = service
        self.keeper = keeper
        self.outdated = outdated
    }

    func prepare() throws(LoginError) -> ProtectionSpace { try service.prepare() }

    func hold(_ further: [CredentialField: Secret]) { service.hold(further) }

    /// The password that is kept earns a session for all processes, and one that is refused is sent by one of them.
    func authenticate(_ credential: Credential) throws(LoginError) -> Login {
        guard let kept = keeper.password, kept.secret == credential.secret, !keeper.mayRenew else {
            return try service.authenticate(credential)
        }
        if let earned = try keeper.beginRenewal(of: nil) {
            do throws(LoginError) {
                return try verify(earned, username: credential.username ?? "")
            } catch .rejected {
                // It was the session that was refused, not the password.
                return try service.authenticate(credential)
            }
        }
        guard keeper.password != nil else { throw .loginRequired(LoginNeed(why: .sessionRefused)) }
        return try service.authenticate(credential)
    }

    func verify(_ session: Session, username: String) throws(LoginError) -> Login {
        let login = try service.verify(session, username: username)
        try keeper.confirm(login.identity)
        return login
    }

    func trust(_ exception: TrustException) { service.trust(exception) }

    /// - Returns: the session of another process, if that has renewed it meanwhile.
    func renew(_ session: Session, username: String) throws(LoginError) -> Session? {
        let isNew = outdated.map { $0 != session } ?? false
        outdated = nil
        if isNew { return session }
        guard service.canRenew(session) || keeper.password != nil else { return nil }
        let present = try keeper.beginRenewal(of: session)
        guard present == session else { return present }
        guard let renewal = try service.renewal(of: session, username: username) else { return nil }
        if let other = keeper.identity.flatMap({ renewal.owner.otherPerson(than: $0) }) {
            try keeper.keep(renewal.session, of: other)
        }
        keeper.expectRenewal()
        return renewal.session
    }
}
