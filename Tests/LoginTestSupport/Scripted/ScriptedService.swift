public import LoginCore
public import Secrets

/// A service that answers by its script and notes what was shown to it.
public final class ScriptedService: Authenticator {
    private var prepares: Script<ProtectionSpace>
    private var logins: Script<LoginStep>
    private var resumptions: Script<LoginStep>
    private var verifications: Script<Login>
    private var refreshes: Script<Session?>
    private let journal: Journal

    public private(set) var credentials: [Credential] = []
    /// Of second factors, one for each begin and resume; nothing where none went along.
    public private(set) var codes: [Secret?] = []
    public private(set) var sessions: [Session] = []
    public private(set) var trusted: [TrustedCertificate] = []
    public private(set) var held: [CredentialField: Secret] = [:]

    package init(
        prepare: [Result<ProtectionSpace, LoginError>] = [], authenticate: [Result<Login, LoginError>] = [],
        begin: [Result<LoginStep, LoginError>] = [], resume: [Result<LoginStep, LoginError>] = [],
        verify: [Result<Login, LoginError>] = [], refresh: [Result<Session?, LoginError>] = [],
        journal: Journal = Journal()
    ) {
        prepares = Script("service.prepare", prepare)
        logins = Script("service.begin", authenticate.map { $0.map { .accepted($0) } } + begin)
        resumptions = Script("service.resume", resume)
        verifications = Script("service.verify", verify)
        refreshes = Script("service.renew", refresh)
        self.journal = journal
    }

    public var rest: Int { prepares.rest + logins.rest + resumptions.rest + verifications.rest + refreshes.rest }

    public func prepare() throws(LoginError) -> ProtectionSpace {
        journal.note("service.prepare")
        return try prepares.next()
    }

    public func hold(_ extraSecrets: [CredentialField: Secret]) { held = extraSecrets }

    package func begin(_ credential: Credential, code: Secret?) throws(LoginError) -> LoginStep {
        journal.note("service.begin")
        credentials.append(credential)
        codes.append(code)
        return try logins.next()
    }

    package func resume(_ partial: any PartialLogin, code: Secret?) throws(LoginError) -> LoginStep {
        journal.note("service.resume")
        codes.append(code)
        return try resumptions.next()
    }

    public func verify(_ session: Session, username: String) throws(LoginError) -> Login {
        journal.note("service.verify as '\(username)'")
        sessions.append(session)
        return try verifications.next()
    }

    public func refresh(_ session: Session, username: String) throws(LoginError) -> Session? {
        journal.note("service.refresh as '\(username)'")
        sessions.append(session)
        return try refreshes.next()
    }

    public func trust(_ exception: TrustedCertificate) {
        journal.note("service.trust")
        trusted.append(exception)
    }
}
