public import LoginCore

/// A keeper that keeps nothing: it answers by its script and notes what was asked of it.
public final class ScriptedKeeper: LoginKeeper {
    private var prepares: Script<Void>
    private var fills: Script<StoredLogin>
    private var approvals: Script<Void>
    private var rejections: Script<Void>
    private let journal: Journal

    public private(set) var approved: [Login] = []
    package private(set) var kinds: [Approval] = []
    package private(set) var rejected: [StoredLogin.Part] = []
    public private(set) var remembered: [TrustedCertificate] = []

    package init(
        prepare: [Result<Void, LoginError>] = [], fill: [Result<StoredLogin, LoginError>] = [],
        approve: [Result<Void, LoginError>] = [], reject: [Result<Void, LoginError>] = [], journal: Journal = Journal()
    ) {
        prepares = Script("keeper.prepare", prepare)
        fills = Script("keeper.fill", fill)
        approvals = Script("keeper.approve", approve)
        rejections = Script("keeper.reject", reject)
        self.journal = journal
    }

    public var rest: Int { prepares.rest + fills.rest + approvals.rest + rejections.rest }

    public func prepare() throws(LoginError) {
        journal.note("keeper.prepare")
        try prepares.next()
    }

    package func fill() throws(LoginError) -> StoredLogin {
        journal.note("keeper.fill")
        return try fills.next()
    }

    package func approve(_ login: Login, _ approval: Approval) throws(LoginError) {
        journal.note("keeper.approve")
        approved.append(login)
        kinds.append(approval)
        try approvals.next()
    }

    package func reject(_ part: StoredLogin.Part) throws(LoginError) {
        journal.note("keeper.reject \(part)")
        rejected.append(part)
        try rejections.next()
    }

    public func remember(_ exception: TrustedCertificate) throws(LoginError) {
        journal.note("keeper.remember")
        remembered.append(exception)
    }
}
