import Foundation
@testable import LoginKit
import Secrets
import Testing

@Suite struct StoreKeeperTests {
    let folder = TemporaryFolder()
    var registry: AccountRegistry { AccountRegistry(folder: folder.path) }
    var store: PlaintextStore { PlaintextStore(folder: folder.path) }

    @Test func `where a password was verified is remembered, and a refresh keeps it`() throws {
        let space = VerifiedSpace(realm: "Staff", path: "/account/me")
        let login = basic()
        let keeper = keeper()
        try keeper.approve(
            Login(identity: login.identity, session: login.session, space: space), .login(.basic))
        #expect(try self.keeper().account()?.space == space)
        try keeper.approve(basic("alice", "new"), .refresh)
        #expect(try self.keeper().account()?.space == space)
        #expect(try registry.read().profile("work")?.hasKeptLogin == true)
        try registry.update { $0.removeAccounts([AccountID(profile: "work", origin: .example, username: "alice")]) }
        #expect(try registry.read().profile("work")?.hasKeptLogin == true)
    }

    @Test func `nothing is stored at first`() throws {
        #expect(try keeper().fill() == StoredLogin())
        #expect(folder.entries().isEmpty)
    }

    @Test func `an approved login is filled again and its account is the active one`() throws {
        let login = token(expires: 9)
        try keeper().approve(login)
        var stored = StoredLogin(session: login.session, username: "alice")
        stored.endedAt = 9
        #expect(try keeper().fill() == stored)
        let profile = try registry.read().profile("work")
        #expect(profile?.activeAccount?.identity == login.identity)
        #expect(profile?.activeAccount?.expires == 9)
        #expect(profile?.activeAccount?.kind == .token)
        #expect(profile?.activeAccount?.savedAt == 1_800_000_000)
        #expect(try registry.read().lastProfile == "work")
    }

    @Test func `the password stays only where the profile says so`() throws {
        try keeper().approve(token())
        #expect(try keeper().fill().credential == nil)
        try keeper(keepsPassword: true).approve(token())
        #expect(try keeper().fill().credential == alice)
        #expect(try registry.read().account(.some())?.keepsPassword == true)
    }

    @Test func `a refreshed session keeps the password that was kept, and its mark`() throws {
        let keeper = keeper(keepsPassword: true)
        try keeper.approve(token("one"))
        let refreshed = Login(identity: token().identity, session: token("two").session)
        let second = self.keeper(keepsPassword: true)
        _ = try second.fill()
        try second.approve(refreshed, .refresh)
        #expect(
            try self.keeper().fill() == StoredLogin(session: refreshed.session, credential: alice, username: "alice"))
        try second.reject(.credential)
        _ = try second.fill()
        try second.approve(refreshed, .refresh)
        #expect(
            try self.keeper().fill()
                == StoredLogin(session: refreshed.session, username: "alice", credentialWasRefused: true))
        try second.approve(token("three"))
        #expect(try self.keeper().fill().credential == alice)
    }

    @Test func `with persistence none nothing is written anywhere`() throws {
        let keeper = keeper(persistence: .none)
        try keeper.prepare()
        try keeper.approve(token())
        try self.keeper(name: .none).approve(token())
        #expect(folder.entries().isEmpty)
    }

    @Test func `a refused token is erased and the account is still known`() throws {
        let keeper = keeper()
        try keeper.approve(token())
        _ = try keeper.fill()
        try keeper.reject(.session)
        #expect(try !store.contains(.some()))
        #expect(try keeper.fill() == StoredLogin())
        #expect(try keeper.account()?.username == "alice")
    }

    @Test func `a refused token leaves the kept password`() throws {
        let keeper = keeper(keepsPassword: true)
        try keeper.approve(token())
        _ = try keeper.fill()
        try keeper.reject(.session)
        #expect(try keeper.fill() == StoredLogin(credential: alice, username: "alice"))
    }

    @Test(arguments: StoredLogin.Part.allCases)
    func `a refused Basic password is marked, not erased and not sent again until the next success`(
        part: StoredLogin.Part
    ) throws {
        let keeper = keeper()
        try keeper.approve(basic())
        _ = try keeper.fill()
        try keeper.reject(part)
        #expect(try self.keeper().fill() == StoredLogin(username: "alice", credentialWasRefused: true))
        #expect(try store.contains(.some()))
        #expect(try registry.read().account(.some())?.passwordRefused == true)
        try keeper.approve(basic("alice", "new"))
        #expect(try self.keeper().fill().session == basic("alice", "new").session)
        #expect(try registry.read().account(.some())?.passwordRefused == false)
    }

    @Test func `a refused kept password leaves the token`() throws {
        let keeper = keeper(keepsPassword: true)
        try keeper.approve(token())
        _ = try keeper.fill()
        try keeper.reject(.credential)
        #expect(
            try self.keeper().fill()
                == StoredLogin(session: token().session, username: "alice", credentialWasRefused: true))
    }

    @Test func `a ticket that was refused is not marked: it is no secret of ours, and the next one may be good`() throws
    {
        let keeper = keeper()
        let ticket = Credential(username: "alice@REALM", .ticket)
        try keeper.approve(
            Login(identity: Identity(username: "alice@REALM", serverName: nil), session: .credential(ticket)),
            .login(.negotiate))
        #expect(try registry.read().profile("work")?.activeAccount?.kind == .ticket)
        for part in StoredLogin.Part.allCases { try keeper.reject(part) }
        #expect(try keeper.fill().session == .credential(ticket))
    }

    @Test func `a refusal erases nothing that another process saved since`() throws {
        let keeper = keeper()
        try keeper.approve(token("old"))
        _ = try keeper.fill()
        try self.keeper().approve(token("new"))
        try keeper.reject(.session)
        #expect(try self.keeper().fill().session == token("new").session)
    }

    @Test func `a missing secret is nothing stored`() throws {
        try keeper().approve(token())
        try store.erase(.some())
        #expect(try keeper().fill() == StoredLogin())
    }

    @Test func `nothing of one account or origin is used for another`() throws {
        try keeper().approve(basic("alice"))
        try keeper().approve(basic("bob"))
        #expect(try keeper().fill().session == basic("bob").session)
        #expect(try keeper("alice").fill().session == basic("alice").session)
        #expect(try keeper("carol").fill() == StoredLogin())
        let evil = Origin(scheme: "https", host: "evil.example", port: 443)
        #expect(try keeper(origin: evil).fill() == StoredLogin())
        #expect(try keeper("bob", origin: evil).fill() == StoredLogin())
        #expect(try keeper("bob", profile: "other").fill() == StoredLogin())
    }

    @Test func `an account goes by the server's name as well`() throws {
        try keeper().approve(token())
        #expect(try keeper("Alice A.").fill().session == token().session)
        let pasted = Login(identity: Identity(username: "", serverName: "robot"), session: token("api").session)
        try keeper().approve(pasted)
        #expect(try keeper("robot").account()?.username == "robot")
    }

    @Test func `a refresh stays in the account's store, and does not make it the active one`() throws {
        try keeper().approve(token())
        try keeper().approve(basic("bob"))
        let keeper = keeper("alice", name: .none)
        _ = try keeper.fill()
        try keeper.approve(token("renewed"), .refresh)
        #expect(try self.keeper("alice").fill().session == token("renewed").session)
        #expect(try self.keeper().account()?.username == "bob")
    }

    @Test func `a refresh does not bring back what another process has ended`() throws {
        try keeper().approve(token("old"))
        let slow = keeper()
        _ = try slow.fill()
        try keeper().reject(.session)
        try slow.approve(token("late"), .refresh)
        #expect(try !store.contains(.some()))
    }

    @Test func `a new store gets the secret and the old one loses it`() throws {
        let ask: () throws(StoreFault) -> Secret = { Secret("correct horse") }
        try EncryptedFileStore.create(folder: folder.path, source: .passphrase(ask), derivation: .lowest)
        try keeper().approve(token("one"))
        let keeper = keeper(name: .file)
        try keeper.prepare()
        try keeper.approve(token("two"))
        #expect(try !store.contains(.some()))
        #expect(try self.keeper().account()?.store == .file)
        #expect(try self.keeper().fill().session == token("two").session)
    }

    @Test func `the account's own store is used or fails and no other`() throws {
        let ask: () throws(StoreFault) -> Secret = { Secret("correct horse") }
        try EncryptedFileStore.create(folder: folder.path, source: .passphrase(ask), derivation: .lowest)
        try keeper(name: .file).approve(token())
        try folder.overwrite("store.authctl", with: .init())
        #expect(throws: LoginFault.self) { try keeper().fill() }
    }

    @Test func `what is no stored login is told as damage`() throws {
        try keeper().approve(token())
        try store.save(Secret("junk"), for: .some(), expires: nil)
        #expect(throws: LoginFault.self) { try keeper().fill() }
        #expect(try store.find(.some()) == Secret("junk"))
    }

    @Test func `the method that worked is pinned`() throws {
        try keeper().approve(basic(), .login(.digest))
        let keeper = keeper()
        _ = try keeper.fill()
        try keeper.approve(basic(), .refresh)
        #expect(try registry.read().profile("work")?.pinnedMethod == .digest)
    }

    @Test func `forgetting erases the secret and the record, once`() throws {
        let stores = Stores(folder: folder.path, clock: .fixed) { () throws(StoreFault) in Secret("") }
        try keeper().approve(basic("alice"))
        try keeper().approve(basic("bob"))
        #expect(try registry.forget(.some("work", "bob"), opening: stores.open))
        #expect(try !registry.forget(.some("work", "bob"), opening: stores.open))
        #expect(try !store.contains(.some("work", "bob")))
        #expect(try registry.read().profile("work")?.accounts.map(\.username) == ["alice"])
        #expect(try keeper("alice").fill().session == basic("alice").session)
    }
}

extension StoreKeeper {
    /// A login by a person, where the method does not matter.
    fileprivate func approve(_ login: Login) throws(LoginFault) {
        try approve(login, .login(.token))
    }
}
