import Foundation
@testable import LoginKit
import Secrets
import Testing

/// Two processes that change one account's login at the same moment; here two keepers on two threads, with the one held
/// in the middle of its work.
@Suite struct LoginRaceTests {
    private let folder = TemporaryFolder()
    private var registry: AccountRegistry { AccountRegistry(folder: folder.path) }
    private var store: PlaintextStore { PlaintextStore(folder: folder.path) }

    /// The plain file, where something else happens between two steps.
    private struct Interrupted: CredentialStore {
        let real: PlaintextStore
        var afterFind: () -> Void = {}
        var afterSave: () -> Void = {}
        var beforeErase: () -> Void = {}
        /// Whether a save is the last that happens, as in a process that is killed after it.
        var endsAfterSave = false

        var name: StoreName { real.name }

        func find(_ account: AccountID) throws(StoreFault) -> Secret? {
            let found = try real.find(account)
            afterFind()
            return found
        }

        func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {
            try real.save(secret, for: account, expires: expires)
            afterSave()
            if endsAfterSave { throw .timedOut(name, seconds: 30) }
        }

        func erase(_ account: AccountID) throws(StoreFault) -> Bool {
            beforeErase()
            return try real.erase(account)
        }

        func contains(_ account: AccountID) throws(StoreFault) -> Bool { try real.contains(account) }
    }

    private func keeper(_ store: any CredentialStore) -> StoreKeeper { Self.keeper(store, registry) }

    private static func keeper(_ store: any CredentialStore, _ registry: AccountRegistry) -> StoreKeeper {
        StoreKeeper(
            subject: .init(profile: "work", url: "https://probe.example", origin: .example),
            rules: .init(keepsPassword: false), registry: registry,
            chooseStore: { () throws(StoreFault) in store }, openStore: { (_) throws(StoreFault) in store },
            clock: .fixed)
    }

    private func logout() -> Other {
        let path = folder.path
        return Other {
            try AccountRegistry(folder: path).forget(.some()) { (_) throws(StoreFault) in PlaintextStore(folder: path) }
        }
    }

    private static func login(_ token: String) -> Login {
        Login(
            identity: Identity(username: "alice", serverName: nil),
            session: .token(Token(value: Secret(token), refreshToken: nil, expires: nil)))
    }

    /// Something that another process does: begun at a point of our own work, and given time to finish there if nothing
    /// holds it back.
    private final class Other: @unchecked Sendable {
        private let done = DispatchSemaphore(value: 0)
        private var isBegun = false
        private let work: @Sendable () throws -> Void

        init(_ work: @escaping @Sendable () throws -> Void) { self.work = work }

        func begin() {
            if isBegun { return }
            isBegun = true
            Thread.detachNewThread { [self] in
                do { try work() } catch { Issue.record(error) }
                done.signal()
            }
            if done.wait(timeout: .now() + 0.4) == .success { done.signal() }
        }

        /// - Returns: whether it came to its end.
        func finish() -> Bool { isBegun && done.wait(timeout: .now() + 10) == .success }
    }

    /// Takes the revision from the record, as a release that had none has left it: the secret itself is compared then.
    private func forgetRevision() throws {
        try registry.update { $0.updateAccount(.some()) { $0.revision = nil } }
    }

    private func newLogin() -> Other {
        let path = folder.path
        return Other {
            let other = Self.keeper(PlaintextStore(folder: path), AccountRegistry(folder: path))
            try other.approve(Self.login("new"), .login(.token))
        }
    }

    @Test func `a session that is erased takes nothing along that another process saves meanwhile`() throws {
        try keeper(store).approve(Self.login("old"), .login(.token))
        let login = newLogin()
        let refused = keeper(Interrupted(real: store, beforeErase: { login.begin() }))
        _ = try refused.fill()
        try refused.reject(.session)
        #expect(login.finish())
        #expect(try keeper(store).fill().session == Self.login("new").session)
    }

    @Test(arguments: ["refresh", "refusal"])
    func `a new secret whose process was killed right after saving it survives another process`(then: String) throws {
        try keeper(store).approve(Self.login("old"), .login(.token))
        let other = keeper(store)
        _ = try other.fill()
        let killed = keeper(Interrupted(real: store, endsAfterSave: true))
        _ = try killed.fill()
        #expect(throws: LoginFault.self) { try killed.approve(Self.login("new"), .refresh) }
        if then == "refresh" { try other.approve(Self.login("other"), .refresh) } else { try other.reject(.session) }
        #expect(try keeper(store).fill().session == Self.login("new").session)
    }

    @Test func `a refresh that is saved does not bring back what another process erases meanwhile`() throws {
        try keeper(store).approve(Self.login("old"), .login(.token))
        let logout = logout()
        let slow = keeper(Interrupted(real: store, afterSave: { logout.begin() }))
        _ = try slow.fill()
        try slow.approve(Self.login("renewed"), .refresh)
        #expect(logout.finish())
        #expect(try store.find(.some()) == nil)
        #expect(try registry.read().account(.some()) == nil)
    }

    @Test(arguments: StoredLogin.Part.allCases)
    func `a refusal of an older release's login takes nothing that another process saves while it looks`(
        part: StoredLogin.Part
    ) throws {
        try keeper(store).approve(Self.login("old"), .login(.token))
        try forgetRevision()
        let login = newLogin()
        var filled = false
        let refused = keeper(Interrupted(real: store, afterFind: { if filled { login.begin() } }))
        _ = try refused.fill()
        filled = true
        try refused.reject(part)
        #expect(login.finish())
        #expect(try keeper(store).fill().session == Self.login("new").session)
        #expect(try registry.read().account(.some())?.passwordRefused == false)
    }

    @Test func `a refresh of an older release's login does not bring back what another process erases meanwhile`()
        throws
    {
        try keeper(store).approve(Self.login("old"), .login(.token))
        try forgetRevision()
        let logout = logout()
        var filled = false
        let slow = keeper(Interrupted(real: store, afterFind: { if filled { logout.begin() } }))
        _ = try slow.fill()
        filled = true
        try slow.approve(Self.login("renewed"), .refresh)
        #expect(logout.finish())
        #expect(try store.find(.some()) == nil)
        #expect(try registry.read().account(.some()) == nil)
    }

    @Test(arguments: [true, false])
    func `a login and a logout at once leave a secret and its record, or neither`(isKnown: Bool) throws {
        if isKnown { try keeper(store).approve(Self.login("old"), .login(.token)) }
        let logout = logout()
        try keeper(Interrupted(real: store, afterSave: { logout.begin() })).approve(
            Self.login("new"), .login(.token))
        #expect(logout.finish())
        #expect(try store.contains(.some()) == (registry.read().account(.some()) != nil))
    }
}
