package import LoginCore
package import Secrets

/// A service that answers by its script and notes what was shown to it.
package final class ScriptedService: Authenticator {
    private var prepares: Script<ProtectionSpace>
    private var logins: Script<LoginStep>
    private var resumptions: Script<LoginStep>
    private var verifications: Script<Login>
    private var refreshes: Script<Session?>
    private let journal: Journal

    package private(set) var credentials: [Credential] = []
    /// Of second factors, one for each begin and resume; nothing where none went along.
    package private(set) var codes: [Secret?] = []
    package private(set) var sessions: [Session] = []
    package private(set) var trusted: [TrustedCertificate] = []
    package private(set) var held: [CredentialField: Secret] = [:]

    package init(
        prepare: [Result<ProtectionSpace, LoginFault>] = [], authenticate: [Result<Login, LoginFault>] = [],
        begin: [Result<LoginStep, LoginFault>] = [], resume: [Result<LoginStep, LoginFault>] = [],
        verify: [Result<Login, LoginFault>] = [], refresh: [Result<Session?, LoginFault>] = [],
        journal: Journal = Journal()
    ) {
        prepares = Script("service.prepare", prepare)
        logins = Script("service.begin", authenticate.map { $0.map { .accepted($0) } } + begin)
        resumptions = Script("service.resume", resume)
        verifications = Script("service.verify", verify)
        refreshes = Script("service.renew", refresh)
        self.journal = journal
    }

    package var rest: Int { prepares.rest + logins.rest + resumptions.rest + verifications.rest + refreshes.rest }

    package func prepare() throws(LoginFault) -> ProtectionSpace {
        journal.note("service.prepare")
        return try prepares.next()
    }

    package func hold(_ extraSecrets: [CredentialField: Secret]) { held = extraSecrets }

    package func begin(_ credential: Credential, code: Secret?) throws(LoginFault) -> LoginStep {
        journal.note("service.begin")
        credentials.append(credential)
        codes.append(code)
        return try logins.next()
    }

    package func resume(_ partial: any PartialLogin, code: Secret?) throws(LoginFault) -> LoginStep {
        journal.note("service.resume")
        codes.append(code)
        return try resumptions.next()
    }

    package func verify(_ session: Session, username: String) throws(LoginFault) -> Login {
        journal.note("service.verify as '\(username)'")
        sessions.append(session)
        return try verifications.next()
    }

    package func refresh(_ session: Session, username: String) throws(LoginFault) -> Session? {
        journal.note("service.refresh as '\(username)'")
        sessions.append(session)
        return try refreshes.next()
    }

    package func trust(_ exception: TrustedCertificate) {
        journal.note("service.trust")
        trusted.append(exception)
    }
}
