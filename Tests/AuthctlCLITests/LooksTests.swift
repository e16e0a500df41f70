import Glibc
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// What a person sees: in colours or not, on terminals of 80 and 40 columns.
struct LooksTests {
    /// A terminal and what was asked of it.
    struct Sight: CustomTestStringConvertible, Sendable {
        let columns: Int
        let isColored: Bool
        var testDescription: String { "\(columns)\(isColored ? "-color" : "")" }
    }

    static let sights = [80, 40].flatMap { columns in
        [true, false].map { Sight(columns: columns, isColored: $0) }
    }

    private static let config = """
        default = "wire"

        [profiles.wire]
        url = "https://wire.example"
        verify = { get = "/me", username = "/name" }

        [profiles.documentation]
        url = "https://documentation.department.example/wiki/api"
        method = "cookie"
        login = { post = "/in", form = { u = "{username}", p = "{password}" } }
        verify = { get = "/me", username = "/name" }

        """

    private static func world(_ sight: Sight) throws -> TestWorld {
        let world = try TestWorld(config: config)
        world.columns = sight.columns
        world.terminals = [STDOUT_FILENO, STDERR_FILENO]
        world.variables["TERM"] = "xterm"
        if !sight.isColored { world.variables["NO_COLOR"] = "1" }
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "hunter22")])
        return world
    }

    private let anonymous = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"Wire\""])
    private let welcome = HTTPResponse.answer(200, #"{"name": "ann"}"#)

    /// Escape sequences as they are read in a review; both streams as they stand on one screen.
    private func seen(_ runs: Run...) -> String {
        runs.map { $0.output + $0.talk }.joined(separator: "-\n").replacing("\u{1B}", with: "ESC")
    }

    private func expect(_ text: String, _ name: String, _ sight: Sight) throws {
        try Snapshot.expect(text, "look-\(name)-\(sight.testDescription)")
    }

    @Test(arguments: sights) func `the end of a login, and status`(sight: Sight) throws {
        let world = try Self.world(sight)
        let login = world.run("login", "wire", "--persist", "none", server: [anonymous, welcome])
        // What is stored is told with the folder, which has another name each time.
        let stored = try Self.world(sight)
        #expect(stored.run("login", "wire", server: [anonymous, welcome]).code == 0)
        let again = stored.run("login", "wire", server: [welcome])
        try expect(seen(login, again, stored.run("status", "--offline")), "login", sight)
    }

    @Test(arguments: sights) func `a login that fails`(sight: Sight) throws {
        let world = try Self.world(sight)
        world.person = ScriptedPerson()
        let login = world.run("login", "documentation")
        let unknown = world.run("whoami", "wrie"), mistyped = world.run("login", "--pasword-stdin")
        try expect(seen(login, unknown, mistyped), "error", sight)
    }

    @Test(arguments: sights) func `lists look as they should on a terminal and in a pipe`(sight: Sight) throws {
        let world = try Self.world(sight)
        // Whether the kernel has a keyring is not the same everywhere.
        var isLeftOut = false
        let stores = world.run("store", "ls").output.split(separator: "\n").filter { line in
            if !line.hasPrefix(" ") { isLeftOut = line.contains("keyring") }
            return !isLeftOut
        }
        let profiles = world.run("profile", "ls")
        let list = Run(code: 0, output: stores.joined(separator: "\n") + "\n", talk: "")
        try expect(seen(profiles, list), "lists", sight)
    }

    @Test(arguments: sights) func `a test of a profile`(sight: Sight) throws {
        let world = try Self.world(sight)
        let works = world.run("profile", "test", "wire", server: [anonymous, welcome])
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "wrong")])
        let fails = world.run("profile", "test", "wire", "--max-attempts", "1", server: [anonymous, anonymous])
        try expect(seen(works, fails), "test", sight)
    }

    @Test(arguments: sights) func `a page of help`(sight: Sight) throws {
        try expect(seen(try Self.world(sight).run("token", "--help")), "help", sight)
    }

    @Test func `no page of help is wider than the terminal but for what is to be copied`() throws {
        let world = try Self.world(Sight(columns: 40, isColored: true))
        for command in try CommandTree.root().all where command.path != ["help"] {
            let page = world.run(command.path + ["--help"], server: []).output
            for line in page.split(separator: "\n") where line.count > 40 {
                #expect(line.hasPrefix("  ") && !line.hasPrefix("   "), "\(line)")
            }
        }
    }

    @Test func `in a pipe all of it is words alone, unless colours are wanted there`() throws {
        let world = try Self.world(Sight(columns: 40, isColored: true))
        world.terminals = []
        let plain = world.run("login", "wire", server: [anonymous, welcome])
        #expect(plain.talk.contains("\nLogged in to wire (https://wire.example) as ann.\n"), "\(plain.talk)")
        let colored = world.run("status", "--offline", "--color=always")
        #expect(colored.output.contains("\u{1B}[32m✓ ") && !colored.output.contains("\n  "), "\(colored.output)")
        let json = world.run("status", "--offline", "--json", "--color", "always")
        #expect(!json.output.contains("\u{1B}") && json.output.hasPrefix("["))
    }

    @Test func `each of the two streams is judged for itself`() throws {
        let world = try Self.world(Sight(columns: 80, isColored: true))
        world.terminals = [STDERR_FILENO]
        let run = world.run("profile", "test", "wire", server: [anonymous, welcome])
        #expect(run.talk.contains("✓") && !run.output.contains("✓") && run.output.contains("   = accepted"))
    }

    @Test(
        arguments: [
            (["NO_COLOR": "1"], "auto", false), (["NO_COLOR": ""], "auto", true), (["TERM": "dumb"], "auto", false),
            (["TERM": ""], "auto", false), ([:], "auto", true), ([:], "never", false),
            (["NO_COLOR": "1", "TERM": "dumb"], "always", true),
        ] as [([String: String], String, Bool)])
    func `colours are there where the terminal has them and nobody wants none`(
        variables: [String: String], choice: String, isColored: Bool
    ) throws {
        let world = try Self.world(Sight(columns: 80, isColored: true))
        world.variables.merge(variables) { _, new in new }
        #expect(world.run("login", "wire", server: [anonymous, welcome]).code == 0)
        let run = world.run("status", "--offline", "--color", choice)
        #expect(run.output.contains("\u{1B}") == isColored)
        #expect(run.output.contains("✓ stored") || isColored)
    }

    @Test func `who has logged out has failed at nothing, whoever was refused has`() throws {
        let world = try Self.world(Sight(columns: 80, isColored: true))
        #expect(world.run("login", "wire", server: [anonymous, welcome]).code == 0)
        let refused = world.run("status", "wire", server: [anonymous])
        #expect(refused.code != 0 && refused.output.contains("\u{1B}[31m✗ "), "\(refused.output)")
        #expect(world.run("logout", "wire", "--local").code == 0)
        let over = world.run("status", "wire")
        #expect(over.code == 4 && over.output.contains("wire (default)"))
        #expect(over.output.contains("  ○ login-required\n"))
        #expect(!over.output.contains("\u{1B}"), "\(over.output)")
    }

    @Test func `status names the account in use, where that is not clear by itself`() throws {
        let world = try Self.world(Sight(columns: 80, isColored: false))
        let logIn = { (name: String) in
            world.person = ScriptedPerson([ScriptedPerson.types(name, "hunter22")])
            let me = HTTPResponse.answer(200, "{\"name\": \"\(name)\"}")
            #expect(world.run("login", "wire", "--force", server: [anonymous, me]).code == 0)
        }
        logIn("ann")
        #expect(world.run("status", "wire", "--offline").output.contains(" ann   basic"))
        logIn("bob")
        let both = world.run("status", "wire", "--offline").output
        #expect(both.contains(" bob (active)  basic") && both.contains(" ann           basic"), "\(both)")
        #expect(world.run("status", "wire", "--offline", "-u", "ann").output.contains(" ann (not active)  basic"))
        let logout = world.run("logout", "wire", "--local")
        #expect(logout.code == 0 && logout.talk.contains("✓ Logged out bob of wire"), "\(logout)")
        #expect(world.run("status", "wire", "--offline").output.contains(" ann (not active)  basic"))
    }

    @Test func `where the locale is ASCII the marks are words`() throws {
        let world = try Self.world(Sight(columns: 80, isColored: false))
        world.isUnicode = false
        #expect(world.run("status", "--offline", "--all").output.contains("[none] login-required"))
        #expect(world.run("login", "wire", server: [anonymous, welcome]).talk.contains("\n[ok] Logged in to wire"))
    }

    @Test func `a colour that is none is a usage error`() throws {
        let run = try TestWorld().run("status", "--color", "blue")
        #expect(run.code == 2 && run.talk.contains("--color"))
    }

    @Test func `what a server calls a person is painted only after it was escaped`() throws {
        let world = try Self.world(Sight(columns: 80, isColored: true))
        let hostile = HTTPResponse.answer(200, #"{"name": "\u001b[31mann\u0007"}"#)
        let run = world.run("login", "wire", server: [anonymous, hostile])
        #expect(run.talk.contains("\u{1B}[1m\\u{1B}[31mann\\u{7}\u{1B}[0m"), "\(run.talk)")
        #expect(!world.run("status", "--offline").output.contains("\u{1B}[31mann"))
    }
}
