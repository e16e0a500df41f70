@testable import LoginKit
import Secrets

/// A keeper that keeps nothing: it answers by its script and notes what was asked of it.
final class ScriptedKeeper: LoginKeeper {
    private var prepares: Script<Void>
    private var fills: Script<StoredLogin>
    private var approvals: Script<Void>
    private var rejections: Script<Void>
    private let journal: Journal
    /// What is asked about the login goes on to it.
    var service = ScriptedService()

    private(set) var approved: [Login] = []
    private(set) var kinds: [Approval] = []
    private(set) var rejected: [StoredLogin.Part] = []
    private(set) var remembered: [TrustedCertificate] = []

    init(
        prepare: [Result<Void, LoginFault>] = [], fill: [Result<StoredLogin, LoginFault>] = [],
        approve: [Result<Void, LoginFault>] = [], reject: [Result<Void, LoginFault>] = [], journal: Journal = Journal()
    ) {
        prepares = Script("keeper.prepare", prepare)
        fills = Script("keeper.fill", fill)
        approvals = Script("keeper.approve", approve)
        rejections = Script("keeper.reject", reject)
        self.journal = journal
    }

    var rest: Int { prepares.rest + fills.rest + approvals.rest + rejections.rest }

    func prepareStore() throws(LoginFault) {
        journal.note("keeper.prepare")
        try prepares.next()
    }

    func fill() throws(LoginFault) -> StoredLogin {
        journal.note("keeper.fill")
        return try fills.next()
    }

    func begin(_ credential: Credential, code: Secret?) throws(LoginFault) -> LoginStep {
        try service.begin(credential, code: code)
    }

    func resume(_ partial: any PartialLogin, code: Secret?) throws(LoginFault) -> LoginStep {
        try service.resume(partial, code: code)
    }

    func verify(_ session: Session, username: String) throws(LoginFault) -> Login {
        try service.verify(session, username: username)
    }

    func refresh(_ session: Session, username: String) throws(LoginFault) -> Session? {
        try service.refresh(session, username: username)
    }

    /// Whether another process has stored something when the person is to be asked for the first time.
    var hasChanged = false

    func beginWaiting() { journal.note("keeper.beginWaiting") }

    func hasChanged(since stored: StoredLogin) throws(LoginFault) -> Bool { hasChanged }

    func approve(_ login: Login, _ approval: Approval) throws(LoginFault) {
        journal.note("keeper.approve")
        approved.append(login)
        kinds.append(approval)
        try approvals.next()
    }

    func reject(_ part: StoredLogin.Part) throws(LoginFault) {
        journal.note("keeper.reject \(part)")
        rejected.append(part)
        try rejections.next()
    }

    func remember(_ exception: TrustedCertificate) throws(LoginFault) {
        journal.note("keeper.remember")
        remembered.append(exception)
    }
}
