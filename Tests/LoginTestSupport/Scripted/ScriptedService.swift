@testable import LoginKit
import Secrets

/// A service that answers by its script and notes what was shown to it.
final class ScriptedService: Authenticator {
    private var prepares: Script<ProtectionSpace>
    private var logins: Script<LoginStep>
    private var resumptions: Script<LoginStep>
    private var verifications: Script<Login>
    private var refreshes: Script<Session?>
    private let journal: Journal

    private(set) var credentials: [Credential] = []
    /// Of second factors, one for each begin and resume; nothing where none went along.
    private(set) var codes: [Secret?] = []
    private(set) var sessions: [Session] = []
    private(set) var trusted: [TrustedCertificate] = []
    private(set) var held: [CredentialField: Secret] = [:]
    let takenForLater: [CredentialField: Secret] = [:]

    init(
        prepare: [Result<ProtectionSpace, LoginFault>] = [], authenticate: [Result<Login, LoginFault>] = [],
        begin: [Result<LoginStep, LoginFault>] = [], resume: [Result<LoginStep, LoginFault>] = [],
        verify: [Result<Login, LoginFault>] = [], refresh: [Result<Session?, LoginFault>] = [],
        journal: Journal = Journal()
    ) {
        prepares = Script("service.prepare", prepare)
        logins = Script("service.begin", authenticate.map { $0.map { .accepted($0) } } + begin)
        resumptions = Script("service.resume", resume)
        verifications = Script("service.verify", verify)
        refreshes = Script("service.refresh", refresh)
        self.journal = journal
    }

    var rest: Int { prepares.rest + logins.rest + resumptions.rest + verifications.rest + refreshes.rest }

    func prepare() throws(LoginFault) -> ProtectionSpace {
        journal.note("service.prepare")
        return try prepares.next()
    }

    func hold(_ extraSecrets: [CredentialField: Secret]) { held = extraSecrets }

    func begin(_ credential: Credential, code: Secret?) throws(LoginFault) -> LoginStep {
        journal.note("service.begin")
        credentials.append(credential)
        codes.append(code)
        return try logins.next()
    }

    func resume(_ partial: any PartialLogin, code: Secret?) throws(LoginFault) -> LoginStep {
        journal.note("service.resume")
        codes.append(code)
        return try resumptions.next()
    }

    func verify(_ session: Session, username: String) throws(LoginFault) -> Login {
        journal.note("service.verify as '\(username)'")
        sessions.append(session)
        return try verifications.next()
    }

    func refresh(_ session: Session, username: String) throws(LoginFault) -> Session? {
        journal.note("service.refresh as '\(username)'")
        sessions.append(session)
        return try refreshes.next()
    }

    func trust(_ exception: TrustedCertificate) {
        journal.note("service.trust")
        trusted.append(exception)
    }
}
