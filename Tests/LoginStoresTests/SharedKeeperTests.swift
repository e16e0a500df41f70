import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// What machines that share a login know of it beside its secret.
@Suite(.onOwnThreads, .enabled(if: Need.jq, "the example of a folder needs jq")) struct SharedKeeperTests {
    let machines: SharedMachines
    let profile = "work", ann = AccountID.some("work", "ann")

    init() throws { machines = try SharedMachines() }

    private func registry(_ machine: String) -> AccountRegistry {
        AccountRegistry(folder: "\(machines.folder.path)/\(machine)")
    }

    private func keeper(
        _ machine: String, keepsPassword: Bool = false, engine: (any SharedEngine)? = nil
    ) throws -> StoreKeeper {
        let store = try machines.machine(machine, engine: engine)
        return StoreKeeper(
            subject: .init(profile: profile, url: "https://probe.example", origin: .example),
            rules: .init(keepsPassword: keepsPassword, sharedStore: machines.name), registry: registry(machine),
            chooseStore: { () throws(StoreFault) in store }, openStore: { (_) throws(StoreFault) in store },
            clock: .fixed)
    }

    private func token(_ value: String) -> Session {
        .token(Token(value: Secret(value), refreshToken: Secret("refresh"), expires: nil))
    }

    private func login(_ session: Session, _ serverName: String? = "Ann A.", credential: Credential? = nil) -> Login {
        Login(identity: Identity(username: "ann", serverName: serverName), session: session, credential: credential)
    }

    /// A keeper of a machine that has taken over the login.
    private func adopted(_ machine: String) throws -> StoreKeeper {
        let keeper = try keeper(machine)
        #expect(try keeper.adopt().isKnown)
        return keeper
    }

    @Test func `a machine that takes over a login knows its method, its protection space and its person`() throws {
        let credential = Credential(username: "ann", .password(Secret("pass")))
        let space = VerifiedSpace(realm: "Staff", path: "/account/me")
        let login = Login(
            identity: Identity(username: "ann", serverName: "Ann A."), session: .credential(credential), space: space)
        try keeper("m1").approve(login, .login(.digest))
        let record = try #require(try adopted("m2").account())
        #expect(record.kind == .digest && record.space == space && record.serverName == "Ann A.")
        #expect(try registry("m2").read().profile(profile)?.pinnedMethod == .digest)
    }

    @Test func `a password that was refused on one machine is not sent by another`() throws {
        let credential = Credential(username: "ann", .password(Secret("pass")))
        try keeper("m1", keepsPassword: true).approve(
            login(token("one"), credential: credential), .login(.token))
        let other = try adopted("m2")
        #expect(try !other.fill().credentialWasRefused)
        try keeper("m1").reject(.credential)
        #expect(try other.fill().credentialWasRefused)
        #expect(try registry("m2").read().account(ann)?.passwordRefused == true)
    }

    @Test func `a password that was refused while the engine was away is not sent again, until somebody has logged in`()
        throws
    {
        let credential = Credential(username: "ann", .password(Secret("pass")))
        let first = login(.credential(credential), credential: credential)
        try keeper("m1", keepsPassword: true).approve(first, .login(.basic))
        let other = try adopted("m2")
        _ = try other.fill()
        try machines.isAway(true)
        try other.reject(.credential)
        #expect(try keeper("m2").fill().credentialWasRefused)
        try machines.isAway(false)
        #expect(try keeper("m2").fill().credentialWasRefused)
        try keeper("m1", keepsPassword: true).approve(first, .login(.basic))
        #expect(try !keeper("m2").fill().credentialWasRefused)
    }

    @Test func `a login that another machine has moved to the store of the profile is taken over there`() throws {
        let former = try SharedMachines(TemporaryFolder()), formerStore = try former.machine("m2")
        let present = try machines.machine("m2"), name = machines.name, formerName = StoreName.shared("former")
        let rules = StoreKeeper.Rules(sharedStore: name)
        func keeper() -> StoreKeeper {
            StoreKeeper(
                subject: .init(profile: profile, url: "https://probe.example", origin: .example), rules: rules,
                registry: registry("m2"),
                chooseStore: { () throws(StoreFault) in present },
                openStore: { (store) throws(StoreFault) in store == formerName ? formerStore : present },
                clock: .fixed)
        }
        try registry("m2").update { document in
            document.updateProfile(profile, url: "https://probe.example", origin: .example) {
                $0.accounts.append(
                    AccountRecord(
                        username: "ann", serverName: nil, origin: .example, store: formerName, kind: .token,
                        expires: nil, savedAt: 0))
                $0.activeUsername = "ann"
            }
        }
        try formerStore.save(Secret("here"), for: ann, expires: nil)
        #expect(try keeper().adopt().adopted == nil)
        // Gone for good, which is no reason to leave it before there is another one.
        try former.isAway(true)
        #expect(try keeper().adopt().adopted == nil)
        try former.isAway(false)
        try formerStore.erase(ann)
        #expect(try keeper().adopt().adopted == nil)
        try self.keeper("m1").approve(login(token("one")), .login(.token))
        try former.isAway(true)
        #expect(try keeper().adopt().adopted?.store == name)
        #expect(try keeper().fill().session == token("one"))
        #expect(try registry("m2").read().account(ann)?.store == name)
    }

    @Test func `a machine that has accounts of a profile takes over none by itself`() throws {
        try keeper("m1").approve(login(token("one")), .login(.token))
        try registry("m2").update { document in
            document.updateProfile(profile, url: "https://probe.example", origin: .example) {
                $0.accounts.append(
                    AccountRecord(
                        username: "carol", serverName: nil, origin: .example, store: machines.name, kind: .token,
                        expires: nil, savedAt: 0))
            }
        }
        let (isKnown, adopted) = try keeper("m2").adopt()
        #expect(!isKnown && adopted == nil)
    }

    @Test func `a session that was refreshed and not confirmed is verified by every machine until one has`() throws {
        try keeper("m1").approve(login(token("one")), .login(.token))
        let other = try adopted("m2")
        let one = try keeper("m1")
        _ = try one.fill()
        #expect(try one.beginRefresh(of: token("one")) == token("one"))
        #expect(try one.isInTime())
        one.doubt = .unverified
        try one.approve(login(token("two")), .refresh)
        #expect(try other.fill().mustBeVerified)
        _ = try one.fill()
        try one.confirm(Identity(username: "ann", serverName: "Ann A."), hiding: { _ in false })
        let stored = try other.fill()
        #expect(stored.session == token("two") && !stored.mustBeVerified)
    }

    @Test func `a session that was refreshed for another person is used by no machine`() throws {
        try keeper("m1").approve(login(token("one")), .login(.token))
        let other = try adopted("m2"), one = try keeper("m1")
        _ = try one.fill()
        #expect(try one.beginRefresh(of: token("one")) == token("one"))
        #expect(try one.isInTime())
        one.doubt = .unverified
        try one.approve(login(token("two"), nil), .refresh)
        _ = try one.fill()
        #expect(throws: LoginFault.self) {
            try one.confirm(Identity(username: "ann", serverName: "Bob B."), hiding: { _ in false })
        }
        #expect(try other.fill().session == nil)
        #expect(try registry("m2").read().account(ann)?.otherPerson != nil)
        // A login is the way out, for all.
        try keeper("m3").approve(login(token("three")), .login(.token))
        #expect(try other.fill().session == token("three"))
        #expect(try one.fill().session == token("three"))
    }

    @Test func `a login that nobody has changed is read without writing anything`() throws {
        try keeper("m1").approve(login(token("one")), .login(.token))
        let other = try adopted("m2")
        _ = try other.fill()
        let before = try registry("m2").file.read(), values = try machines.values
        _ = try other.fill()
        #expect(try registry("m2").file.read() == before)
        #expect(try machines.values == values)
    }

    @Test func `what is noted of a login does not end a refresh that another machine has begun`() throws {
        let store = try machines.machine("m1"), other = try machines.machine("m2")
        try store.save(Secret("first"), for: ann, expires: nil)
        #expect(try other.beginRefresh(of: ann, ifStill: Secret("first")) == .mine)
        #expect(try other.isInTime(ann))
        #expect(try store.amend(Secret("first"), as: Secret("first, noted"), for: ann))
        #expect(try other.keep(Secret("second"), over: Secret("first"), for: ann))
        #expect(try store.find(ann) == Secret("second"))
        #expect(try !store.amend(Secret("first"), as: Secret("late"), for: ann))
    }

    @Test func `a move out of a shared store waits for the machine that refreshes, and takes what it got`() throws {
        try keeper("m1").approve(login(token("one")), .login(.token))
        let other = try adopted("m2")
        _ = try other.fill()
        #expect(try other.beginRefresh(of: token("one")) == token("one"))
        #expect(try other.isInTime())
        let engine = WatchedEngine(machines.helper)
        let waiting = Waiting { [self] () throws -> AccountMove.Outcome in
            try AccountMove(
                registry: registry("m1"), from: machines.machine("m1", engine: engine),
                to: PlaintextStore(folder: machines.folder.path)
            ).move(ann)
        }
        #expect(engine.isWatched())
        try other.approve(login(token("two")), .refresh)
        #expect(try waiting.result() == .moved)
        let moved = try #require(try PlaintextStore(folder: machines.folder.path).find(ann))
        #expect(try StoredLoginCodec.decode(moved, in: .plaintext).login.session == token("two"))
        #expect(try other.fill().session == nil)
    }

    @Test func `a move into a shared store does not take the place of another machine's login`() throws {
        try keeper("m1").approve(login(token("one")), .login(.token))
        let plaintext = PlaintextStore(folder: machines.folder.path)
        try StoreKeeper(
            subject: .init(profile: profile, url: "https://probe.example", origin: .example), rules: .init(),
            registry: registry("m2"),
            chooseStore: { () throws(StoreFault) in plaintext }, openStore: { (_) throws(StoreFault) in plaintext },
            clock: .fixed
        ).approve(login(token("own")), .login(.token))
        let move = AccountMove(registry: registry("m2"), from: plaintext, to: try machines.machine("m2"))
        let fault = #expect(throws: StoreFault.self) { try move.move(ann) }
        #expect(fault.map { LoginFault.store($0).exitCode } == .store)
        #expect(try keeper("m1").fill().session == token("one"))
        #expect(try plaintext.contains(ann))
    }

    /// Puts everything and hears no answer, of values that are as long as a login.
    private struct DeafEngine: SharedEngine {
        let engine: any SharedEngine
        var largest: Int { engine.largest }

        func get(_ key: String) throws(StoreFault) -> SharedItem? { try engine.get(key) }

        func put(_ value: String, for key: String, over version: String?) throws(StoreFault) -> String? {
            let version = try engine.put(value, for: key, over: version)
            if value.utf8.count > 700 { throw .shared(.shared("folder"), .engineAway(words: nil)) }
            return version
        }
    }

    @Test func `a first login whose answer was lost stays known, so that a logout ends it for all`() throws {
        let long = token(String(repeating: "t", count: 600)), deaf = DeafEngine(engine: machines.helper)
        let one = try keeper("m1", engine: deaf)
        #expect(throws: LoginFault.self) { try one.approve(login(long), .login(.token)) }
        let other = try adopted("m2"), store = try machines.machine("m1")
        #expect(try other.fill().session == long)
        #expect(try registry("m1").forget(ann) { (_) throws(StoreFault) in store })
        #expect(try other.fill().session == nil)
    }

    @Test func `a logout on a machine that has lost its key fails, and the account stays`() throws {
        try keeper("m1").approve(login(token("one")), .login(.token))
        let fault = StoreFault.shared(machines.name, .keyMissing(path: "/etc/shared.key"))
        #expect(throws: fault) {
            try registry("m1").forget(ann) { (_) throws(StoreFault) in throw fault }
        }
        #expect(try registry("m1").read().account(ann) != nil)
        #expect(try adopted("m2").fill().session == token("one"))
    }

    @Test func `a refresh that cannot be kept on this machine is not sent, and leaves no lock`() throws {
        try keeper("m1").approve(login(token("one")), .login(.token))
        let one = try keeper("m1"), other = try adopted("m2")
        _ = try (one.fill(), other.fill())
        try Data("{".utf8).write(to: URL(filePath: "\(machines.folder.path)/m1/\(AccountRegistry.fileName)"))
        #expect(throws: LoginFault.self) { try one.beginRefresh(of: token("one")) }
        let before = BootMoment.now()
        #expect(try other.beginRefresh(of: token("one")) == token("one"))
        #expect(try #require(before.age) < 60_000, "the lock lasts 90 seconds")
        #expect(try other.isInTime())
    }
}
