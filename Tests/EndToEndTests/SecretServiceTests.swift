import Foundation
@testable import LoginTestSupport
import Testing

/// Logins that are kept in the desktop's keyring: GNOME's, on a private bus.
@Suite(.onOwnThreads, RealServer.require("gnome-keyring-daemon"), RealServer.require("dbus-daemon"))
struct `A login in the Secret Service` {
    let demo: DemoBackendProcess
    let authctl: Installation
    let keyring: KeyringSession

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo, store: nil)
        keyring = try KeyringSession()
    }

    private func run(_ arguments: String..., input: String = "") throws -> CommandResult {
        try authctl.run(arguments, input: input, environment: keyring.address)
    }

    private func logIn(_ more: String...) throws -> CommandResult {
        try authctl.run(
            ["login", "wire", "-u", "ann", "--password-stdin"] + more, input: "correct horse\n",
            environment: keyring.address)
    }

    @Test func `auto takes it, every other process finds it, and logout leaves nothing`() throws {
        let login = try logIn()
        #expect(login.code == 0 && login.error.contains("Stored in 'secret-service'"), "\(login.error)")
        #expect(try run("whoami", "wire").output == "ann\n")
        let kept = try keyring.tool("secret-tool", "search", "--all", "xdg:schema", "authctl.Login")
        #expect(
            kept.error.contains("label = authctl: wire (ann at http://") || kept.output.contains("authctl: wire (ann"))
        #expect(try run("logout", "wire").code == 0)
        #expect(try run("whoami", "wire").code == 4)
        let left = try keyring.tool("secret-tool", "search", "--all", "xdg:schema", "authctl.Login")
        #expect(left.output == "")
        #expect(!FileManager.default.fileExists(atPath: authctl.plaintext))
    }

    @Test func `a locked keyring is 8 for commands that never ask, and nothing is unlocked by a look`() throws {
        #expect(try logIn("--store", "secret-service").code == 0)
        try keyring.lock()
        for words in [["whoami", "wire"], ["token", "wire", "--header"], ["logout", "wire"]] {
            let result = try authctl.run(words, environment: keyring.address.merging(["DISPLAY": ":77"]) { $1 })
            #expect(result.code == 8 && result.error.contains("is locked"), "\(words): \(result.error)")
        }
        let status = try run("status", "wire", "--offline")
        #expect(status.code == 0, "\(status.output)\(status.error)")
        #expect(try run("whoami", "wire").code == 8)
    }

    @Test func `a dialogue that nothing can show counts as nobody to be asked`() throws {
        try keyring.lock()
        let desktop = keyring.address.merging(["DISPLAY": ":77"]) { $1 }
        let run = try authctl.onTerminal("store", "test", "secret-service", environment: desktop)
        #expect(try run.end() == .exited(8))
        #expect(run.pty.text.contains("is locked"), "\(run.pty.text)")
    }

    @Test func `store list and store test tell that it works, and what hinders it`() throws {
        #expect(try run("store", "test", "secret-service").code == 0)
        let list = try run("store", "list").output
        let row = list.split(separator: "\n").first { $0.hasPrefix("secret-service") } ?? ""
        #expect(row.contains(" yes ") && row.contains("chosen by 'auto'"), "\(list)")
        try keyring.lock()
        let locked =
            try run("store", "list").output.split(separator: "\n").first { $0.hasPrefix("secret-service") } ?? ""
        #expect(locked.contains(" no ") && locked.contains("the desktop's keyring is locked"))
    }

    @Test func `what steers GLib and libsecret from the environment has no effect, and they say nothing`() throws {
        let traps = [
            "SECRET_BACKEND": "file", "SECRET_FILE_TEST_PATH": authctl.folder + "/trap", "G_MESSAGES_DEBUG": "all",
            "G_DBUS_DEBUG": "all", "G_DEBUG": "fatal-warnings", "GIO_EXTRA_MODULES": authctl.folder,
        ]
        let result = try authctl.run(
            ["store", "test", "secret-service"], environment: keyring.address.merging(traps) { $1 })
        #expect(result.code == 0)
        #expect(result.error == "The store 'secret-service' works: written, read back by another process, deleted.\n")
        #expect(!FileManager.default.fileExists(atPath: authctl.folder + "/trap"))
    }

    @Test func `it keeps for good, so that --persist session refuses it and permanent does not`() throws {
        let session = try logIn("--store", "secret-service", "--persist", "session")
        #expect(session.code == 8 && session.error.contains("keyring"))
        #expect(try logIn("--store", "secret-service", "--persist", "permanent").code == 0)
    }
}

/// What stands in the way of the Secret Service.
enum Hindrance: String, CaseIterable, CustomTestStringConvertible {
    case noBus, deadAddress, silentSocket, noService, stopped, locked

    var testDescription: String { rawValue }

    /// What the message has to say.
    var words: String {
        switch self {
        case .noBus: "needs a session bus"
        case .deadAddress: "could not connect to the session bus"
        case .noService: "no Secret Service is running"
        case .silentSocket, .stopped: "did not respond within 3 seconds"
        case .locked: "is locked"
        }
    }

    /// The environment of it; `keyring` and `socket` have to live as long as that is used.
    func make(_ keyring: inout KeyringSession?, _ socket: inout SilentSocket?) throws -> [String: String] {
        switch self {
        case .noBus: return [:]
        case .deadAddress: return ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus"]
        case .silentSocket:
            let silent = try SilentSocket()
            socket = silent
            return ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(silent.path)"]
        case .noService, .stopped, .locked:
            let session = try KeyringSession(self == .noService ? .none : .gnome)
            keyring = session
            if self == .stopped { try session.signal(SIGSTOP) }
            if self == .locked { try session.lock() }
            return session.address
        }
    }
}

/// Accepts connections and never says a word.
final class SilentSocket {
    let path: String
    private let descriptor: Int32
    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        path = home.path + "/silent"
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(descriptor, 8) == 0 else { throw POSIXError(.EADDRINUSE) }
    }

    deinit { close(descriptor) }
}

@Suite(.onOwnThreads, RealServer.require("gnome-keyring-daemon"), RealServer.require("dbus-daemon"))
struct `A hindered Secret Service` {
    /// Several times what the contract gives a login, for a machine with much else to do; the libraries' own limit is 25.
    private static let patience = 20.0

    @Test(arguments: Hindrance.allCases)
    func `with a broken Secret Service, --store secret-service exits with 8, and auto never falls back to plain text`(
        hindrance: Hindrance
    ) throws {
        let demo = try DemoBackendProcess()
        let authctl = try Installation(demo, store: nil)
        var keyring: KeyringSession?, socket: SilentSocket?
        let environment = try hindrance.make(&keyring, &socket)
        try withExtendedLifetime((keyring, socket)) {
            let start = Date()
            let words = ["login", "wire", "-u", "ann", "--password-stdin"]
            let named = try authctl.run(
                words + ["--store", "secret-service"], input: "correct horse\n", environment: environment)
            #expect(named.code == 8 && named.error.contains(hindrance.words), "\(named.error)")
            #expect(Date().timeIntervalSince(start) < Self.patience)

            let again = Date()
            let auto = try authctl.run(words, input: "correct horse\n", environment: environment)
            #expect(Date().timeIntervalSince(again) < Self.patience)
            #expect(auto.code == 0 && auto.error.contains("kernel's keyring"), "\(auto.error)")
            #expect(try authctl.run("logout", "wire", environment: environment).code == 0)

            let list = try authctl.run("store", "list", environment: environment)
            #expect(list.code == 0 && list.output.contains(hindrance.words), "\(list.output)")
            #expect(!FileManager.default.fileExists(atPath: authctl.plaintext))
        }
    }

    @Test(RealServer.require("strace"))
    func `a missing libsecret is named, and auto goes on to the next store`() throws {
        let authctl = try Installation(store: nil)
        let strace = try #require(RealServer.path(of: "strace"))
        func run(_ words: String...) throws -> CommandResult {
            try Command.run(
                ChildSpec(
                    strace,
                    [
                        "-f", "-o", "/dev/null", "-P", "/lib/x86_64-linux-gnu/libsecret-1.so.0", "-P",
                        "/usr/lib/x86_64-linux-gnu/libsecret-1.so.0", "-e", "inject=openat:error=ENOENT",
                        authctl.program,
                    ] + words,
                    environment: authctl.environment.merging(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"]) { $1 }))
        }
        let named = try run("store", "test", "secret-service")
        #expect(named.code == 8 && named.error.contains("install libsecret"), "\(named.error)")
        #expect(try run("store", "list").output.contains("needs libsecret"))
    }
}
