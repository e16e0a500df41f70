import Foundation
@testable import LoginTestSupport
import Testing

/// authctl as a person has it: the built binary with a home of its own and a clean environment.
///
/// Its store is the plain file unless a test says otherwise: the kernel's keyring is shared by all tests of one user.
final class Installation {
    let home: TemporaryHome
    let program: String
    let folder: String
    let environment: [String: String]
    private let witness = Witness()
    private var terminals: [TerminalRun] = []

    /// - Parameters:
    ///   - config: of `config.toml`, below its first line.
    ///   - store: that first line; nothing for `auto`.
    init(config: String = "", store: String? = "plaintext") throws {
        home = try TemporaryHome()
        program = try BuiltProducts.path(of: "authctl")
        folder = home.path
        environment = home.environment
        let top = store.map { "store = \"\($0)\"\n" } ?? ""
        try home.write(top + config, to: "config/authctl/config.toml")
    }

    /// With the contract's profiles, pointed at a demo server.
    convenience init(_ demo: DemoBackendProcess, top: String = "", store: String? = "plaintext") throws {
        try self.init(config: top + demo.profiles(), store: store)
    }

    /// With the profile `m` of an MCP server, whose login is a token; JSON in its responses may say that the login has ended.
    /// The one of `r` is a password, and refreshed.
    convenience init(mcpServerAt port: UInt16) throws {
        try self.init(
            config: """
                [profiles.m]
                url = "http://127.0.0.1:\(port)"
                method = "token"
                verify = { get = "/me", username = "/name", logged-out = [401, { "/anonymous" = "*" }] }
                mcp = "/mcp"
                [profiles.r]
                url = "http://127.0.0.1:\(port)"
                method = "token"
                verify = { get = "/me", username = "/name" }
                refresh = { post = "/refresh", json = { refresh = "{refresh-token}" } }
                mcp = "/mcp"
                [profiles.r.login]
                post = "/login"
                json = { user = "{username}", password = "{password}" }
                token = "/token"
                refresh-token = "/refresh"
                expires-in = "/seconds"
                """)
    }

    /// The sweep L0 after every test.
    deinit {
        for run in terminals {
            witness.sees(run.pty.transcript, at: "a terminal")
            witness.sees(Array(run.output.utf8), at: "the output of a command on a terminal")
        }
        let kept: [Data]
        do { kept = try keptSecrets() } catch { kept = [] }
        witness.sweep(folder, store: plaintext, kept: kept)
    }

    /// The folder of what authctl remembers.
    var state: String { folder + "/state/authctl" }
    var registry: String { state + "/state.json" }
    var plaintext: String { state + "/plaintext.json" }

    func spec(_ arguments: [String], _ more: [String: String]) -> ChildSpec {
        ChildSpec(program, arguments, environment: environment.merging(more) { $1 }, directory: folder)
    }

    /// Runs a command without a terminal.
    @discardableResult
    func run(
        _ arguments: String..., input: String = "", environment more: [String: String] = [:]
    ) throws -> CommandResult {
        try run(arguments, input: input, environment: more)
    }

    @discardableResult
    func run(
        _ arguments: [String], input: String = "", environment more: [String: String] = [:], within: Double = 120
    ) throws -> CommandResult {
        witness.gives(arguments, input: input, environment: more)
        let result = try Command.run(spec(arguments, more), input: Array(input.utf8), within: within)
        witness.sees(result, of: arguments)
        return result
    }

    /// Runs a command an hour from now (faketime(1)), when sessions have ended here that the server would still take.
    func runLater(_ arguments: [String], environment more: [String: String] = [:]) throws -> CommandResult {
        guard let faketime = RealServer.path(of: "faketime") else { throw POSIXError(.ENOENT) }
        var later = spec(["-f", "+1h", program] + arguments, more)
        later.path = faketime
        let result = try Command.run(later)
        witness.sees(result, of: arguments)
        return result
    }

    /// Logs in with a password on stdin, and has to succeed.
    func logIn(_ profile: String, _ user: String = "ann", _ password: String = "correct horse", _ more: String...)
        throws
    {
        let result = try run(["login", profile, "-u", user, "--password-stdin"] + more, input: password + "\n")
        guard result.code == 0 else { throw Unexpected(result: result) }
    }

    /// Runs a command on a terminal; its standard output goes to a file.
    func onTerminal(
        _ arguments: String..., columns: UInt16 = 80, environment more: [String: String] = [:]
    ) throws -> TerminalRun {
        try onTerminal(arguments, columns: columns, environment: more)
    }

    func onTerminal(
        _ arguments: [String], columns: UInt16 = 80, environment more: [String: String] = [:]
    ) throws -> TerminalRun {
        witness.gives(arguments, input: "", environment: more)
        let run = try TerminalRun(
            spec(arguments, more), output: folder + "/stdout", columns: columns, witness: witness)
        terminals.append(run)
        return run
    }

    /// A shell on a terminal, for what only a shell sees; `authctl` is on its path.
    func shellOnTerminal(_ script: String) throws -> Pty {
        let path = URL(fileURLWithPath: program).deletingLastPathComponent().path + ":/usr/bin:/bin"
        let environment = environment.merging(["PATH": path]) { $1 }
        return try Pty(ChildSpec("/bin/bash", ["-c", script], environment: environment, directory: folder))
    }

    /// Whether there is a file of this name in the folder.
    func hasFile(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder + "/" + name) }

    func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    /// What the plain file holds, undone from its base64.
    func keptSecrets() throws -> [Data] {
        guard FileManager.default.fileExists(atPath: plaintext) else { return [] }
        let content = try JSONSerialization.jsonObject(with: bytes(plaintext)) as? [String: Any]
        let entries = content?["entries"] as? [[String: Any]] ?? []
        return entries.compactMap { ($0["secret"] as? String).flatMap { Data(base64Encoded: $0) } }
    }

    /// The configuration of this test has a secret in it.
    func givesSecretInConfig() { witness.makes(folder + "/config/authctl/config.toml") }

    /// Writes a file of one line, and returns its path.
    func file(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        witness.makes(folder + "/" + name)
        return try home.write(text, to: name, mode: mode)
    }
}

/// A command that was only a step on the way failed.
struct Unexpected: Error, CustomStringConvertible {
    let result: CommandResult
    var description: String { "\(result.ending): \(result.output)\(result.error)" }
}

/// authctl on a terminal, with its standard output in a file.
final class TerminalRun {
    let pty: Pty
    private let file: String
    private let witness: Witness?

    init(_ spec: ChildSpec, output file: String, columns: UInt16, witness: Witness? = nil) throws {
        self.file = file
        self.witness = witness
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        var spec = spec
        spec.descriptors = [-1, descriptor, -1]
        pty = try Pty(spec, columns: columns)
    }

    /// What it printed so far.
    var output: String {
        String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
    }

    /// What stands on the screen.
    var lines: [String] { screen(80) }

    /// The same as sentences, whatever lines they have on the screen.
    var said: String { lines.map { String($0.drop { $0 == " " }) }.joined(separator: " ") }

    func screen(_ columns: Int) -> [String] { RenderedScreen(pty.transcript, columns: columns).lines }

    /// Waits for a question and answers it.
    @discardableResult
    func answer(_ question: String, _ keys: String) throws -> Self {
        try pty.wait(for: question)
        witness?.types(keys, at: question)
        pty.type(keys)
        return self
    }

    /// Types at `authctl approve`, which takes for pasted what comes together: a key only once the letter before is seen.
    func typeAnswer(_ keys: String) throws {
        for key in keys {
            pty.type(String(key))
            #expect(eventually { pty.unread == 0 })
            if key.isLetter { try pty.wait(for: "[y/a/N] \(key)") }
            pty.watch(milliseconds: 60)
        }
    }

    func end() throws -> Ending { try pty.waitForEnd() }
}

extension CommandResult {
    /// The exit code; nothing where a signal ended it.
    var code: Int32? {
        guard case .exited(let code) = ending else { return nil }
        return code
    }

    /// Standard output as the one JSON value that it has to be.
    var json: Any? { try? JSONSerialization.jsonObject(with: Data(outputBytes), options: .fragmentsAllowed) }

    /// A member of the object on standard output, or of the `error` in it.
    func member(_ name: String) -> String? {
        guard let object = json as? [String: Any] else { return nil }
        let inner = (object["error"] as? [String: Any]) ?? object
        return (inner[name] as? String) ?? (inner[name] as? NSNumber)?.stringValue
    }
}
