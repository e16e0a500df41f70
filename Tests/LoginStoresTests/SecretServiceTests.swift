import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// What the desktop's keyring promises beyond the contract, with GNOME's on a private bus.
@Suite(
    .onOwnThreads, .enabled(if: Need.secretService, "gnome-keyring-daemon, dbus-daemon or secret-tool is not installed")
)
struct SecretServiceTests {
    let keyring: KeyringSession
    let store: SecretServiceStore
    let link: SecretServiceLink
    let account = AccountID(profile: "work-\(UUID().uuidString)", origin: .example, username: "alice")

    init() throws {
        let desktop = try PrivateDesktop.shared.get()
        keyring = desktop.keyring
        store = SecretServiceStore(session: desktop.session)
        link = SecretServiceLink(desktop.session)
    }

    private func items() throws -> [String] {
        try link.begin()
        return try link.search(SecretAttributes(account)).unlocked
    }

    /// What `authctl` would leave if two of them saved at once without a lock.
    private func duplicate(_ text: String) throws {
        try link.begin()
        let home = try #require(try link.collection("default"))
        try link.create(in: home, label: "duplicate", SecretAttributes(account), Secret(text))
    }

    private func foreign(_ value: String) throws -> CommandResult {
        try keyring.tool(
            "secret-tool", "store", "--label=foreign", "kind", "login", "profile", account.profile, "origin",
            account.origin.description, "user", "alice", input: value)
    }

    @Test func `erase removes all matches, and says once that there were some`() throws {
        try store.save(Secret("one"), for: account, expires: nil)
        try duplicate("two")
        try duplicate("three")
        #expect(try items().count == 3)
        #expect(try store.erase(account))
        #expect(try items().isEmpty)
        #expect(try !store.erase(account))
    }

    @Test func `save leaves one item where there were several`() throws {
        try duplicate("one")
        try duplicate("two")
        try store.save(Secret("three"), for: account, expires: nil)
        #expect(try items().count == 1)
        #expect(try store.find(account) == Secret("three"))
        try store.erase(account)
    }

    @Test func `an item of another program with the same attributes is not ours, and stays`() throws {
        #expect(try foreign("theirs").ending == .exited(0))
        #expect(try store.find(account) == nil)
        #expect(try !store.contains(account))
        try store.save(Secret("ours"), for: account, expires: nil)
        #expect(try store.erase(account))
        #expect(try !store.erase(account))
        let looked = try keyring.tool("secret-tool", "lookup", "profile", account.profile)
        #expect(looked.output == "theirs")
    }

    @Test func `a new secret takes the place of the old one in the same item`() throws {
        try store.save(Secret("old"), for: account, expires: nil)
        let before = try items()
        try store.save(Secret("new"), for: account, expires: nil)
        #expect(try items() == before)
        #expect(before.first?.hasPrefix("/org/freedesktop/secrets/collection/login/") == true)
        try store.erase(account)
    }

    @Test func `label and attributes tell a person what it is, and hold nothing secret`() throws {
        let odd = AccountID(profile: account.profile, origin: .example, username: "a\u{1B}[2Jb")
        try store.save(Secret("canary-81f3"), for: odd, expires: nil)
        let shown = try keyring.tool("secret-tool", "search", "--all", "profile", odd.profile)
        let lines = (shown.output + shown.error).split(separator: "\n").map(String.init)
        #expect(lines.contains("label = authctl: \(odd.profile) (a\\u{1B}[2Jb at https://probe.example)"))
        #expect(lines.contains("attribute.user = a%1B[2Jb"))
        #expect(lines.contains("schema = authctl.Login"))
        #expect(lines.filter { $0.contains("canary") } == ["secret = canary-81f3"])
        try store.erase(odd)
    }

    @Test func `what is too large for it is said before anything is sent`() throws {
        let large = Secret(count: SecretServiceStore.largestSecret + 1) {
            $0.initializeMemory(as: UInt8.self, repeating: 1)
        }
        #expect(throws: StoreFault.tooLarge(.secretService, limit: SecretServiceStore.largestSecret)) {
            try store.save(large, for: account, expires: nil)
        }
        let largest = Secret(count: SecretServiceStore.largestSecret) {
            $0.initializeMemory(as: UInt8.self, repeating: 1)
        }
        try store.save(largest, for: account, expires: nil)
        #expect(try store.find(account) == largest)
        try store.erase(account)
    }

    @Test func `another process finds what this one saved`() throws {
        try store.save(Secret("shared"), for: account, expires: nil)
        let address = keyring.address.map { "\($0.key)=\($0.value)" }
        let found = try Program.run(
            ["env"] + address + [Program.probe, "find", "secret-service", "/nonexistent", account.profile, "alice"])
        #expect(found.output == "shared", "\(found.errors)")
        try store.erase(account)
    }
}

/// Where the session bus is looked for.
struct DesktopSessionTests {
    private func address(_ variables: [String: String]) throws -> String? {
        try DesktopSession { variables[$0] }.busAddress()
    }

    @Test func `an address that is given is taken, but none that would start a program`() throws {
        #expect(try address(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"]) == "unix:path=/x")
        #expect(try address(["DBUS_SESSION_BUS_ADDRESS": "unixexec:path=/x"]) == nil)
        #expect(try address(["DBUS_SESSION_BUS_ADDRESS": "autolaunch:"]) == nil)
        #expect(try address(["DBUS_SESSION_BUS_ADDRESS": "autolaunch:;unix:path=/x"]) == "unix:path=/x")
        #expect(try address([:]) == nil)
    }

    @Test func `the user's bus is taken where the environment names none, with its path escaped`() throws {
        let folder = TemporaryFolder()
        let run = folder.parent + "/r;n"
        try FileManager.default.createDirectory(atPath: run, withIntermediateDirectories: true)
        #expect(try address(["XDG_RUNTIME_DIR": run]) == nil)
        #expect(FileManager.default.createFile(atPath: run + "/bus", contents: nil))
        let bus = try #require(try address(["XDG_RUNTIME_DIR": run]))
        #expect(bus.hasSuffix("/r%3Bn/bus"))
        #expect(try DesktopSession(usualFolder: run) { _ in nil }.busAddress() == bus)
        let none = ["XDG_RUNTIME_DIR": folder.parent]
        #expect(try DesktopSession(usualFolder: run) { none[$0] }.busAddress() == nil)
    }

    @Test(.enabled(if: Need.root, "only root can give a folder away"))
    func `the runtime folder of another user has no bus for us`() throws {
        let folder = TemporaryFolder()
        #expect(FileManager.default.createFile(atPath: folder.parent + "/bus", contents: nil))
        #expect(chown(folder.parent, 54321, 54321) == 0)
        let fault = StoreFault.secretService(.foreignBus(owner: 54321))
        #expect(throws: fault) { try address(["XDG_RUNTIME_DIR": folder.parent]) }
    }

    @Test func `nobody is asked where there is no display`() {
        func asks(_ variables: [String: String]) -> Bool {
            let session = DesktopSession(unlocking: .asking(seconds: 1, notice: {})) { variables[$0] }
            if case .asking = session.unlocking { return true }
            return false
        }
        #expect(!asks([:]))
        #expect(asks(["DISPLAY": ":0"]))
        #expect(asks(["WAYLAND_DISPLAY": "wayland-0"]))
    }
}
