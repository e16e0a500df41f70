public import LoginCore
public import Secrets

/// A service that answers by its script and notes what was shown to it.
public final class ScriptedService: Authenticator {
    private var prepares: Script<ProtectionSpace>
    private var logins: Script<Login>
    private var verifications: Script<Login>
    private var refreshes: Script<Session?>
    private let journal: Journal

    public private(set) var credentials: [Credential] = []
    public private(set) var sessions: [Session] = []
    public private(set) var trusted: [TrustedCertificate] = []
    public private(set) var held: [CredentialField: Secret] = [:]

    public init(
        prepare: [Result<ProtectionSpace, LoginError>] = [], authenticate: [Result<Login, LoginError>] = [],
        verify: [Result<Login, LoginError>] = [], refresh: [Result<Session?, LoginError>] = [],
        journal: Journal = Journal()
    ) {
        prepares = Script("service.prepare", prepare)
        logins = Script("service.authenticate", authenticate)
        verifications = Script("service.verify", verify)
        refreshes = Script("service.renew", refresh)
        self.journal = journal
    }

    public var rest: Int { prepares.rest + logins.rest + verifications.rest + refreshes.rest }

    public func prepare() throws(LoginError) -> ProtectionSpace {
        journal.note("service.prepare")
        return try prepares.next()
    }

    public func hold(_ extraSecrets: [CredentialField: Secret]) { held = extraSecrets }

    public func authenticate(_ credential: Credential) throws(LoginError) -> Login {
        journal.note("service.authenticate")
        credentials.append(credential)
        return try logins.next()
    }

    public func verify(_ session: Session, username: String) throws(LoginError) -> Login {
        journal.note("service.verify as '\(username)'")
        sessions.append(session)
        return try verifications.next()
    }

    public func refresh(_ session: Session, username: String) throws(LoginError) -> Session? {
        journal.note("service.renew as '\(username)'")
        sessions.append(session)
        return try refreshes.next()
    }

    public func trust(_ exception: TrustedCertificate) {
        journal.note("service.trust")
        trusted.append(exception)
    }
}
