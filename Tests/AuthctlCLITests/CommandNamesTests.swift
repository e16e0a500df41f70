import ArgumentParser
@testable import LoginKit
import Testing

@testable import AuthctlCLI

/// The cheap parsing: what is a command by its first words alone, and when the whole tree is asked after all.
struct CommandNamesTests {
    private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

    private func problem(_ line: String) -> String? {
        do throws(LoginFault) {
            try CommandNames.check(words(line))
            return nil
        } catch .usage(.other(let text, _, _)) {
            return text
        } catch {
            return "another error"
        }
    }

    @Test(arguments: [
        "login wire", "whoami", "logout --all", "status --offline --json", "token wire --header", "switch ann",
        "profile list", "profile ls", "profile show wire", "store ls", "store test keyring", "trust list",
        "request GET https://wire.example/me", "exec -P wire -- ls -h --help", "discover https://wire.example",
        "status -uann", "login wire -u ann --timeout 5 -q",
    ]) func `a command alone is read as in the tree`(line: String) throws {
        let alone = try #require(CommandNames.parsed(words(line)))
        let whole = try Authctl.parseAsRoot(words(line))
        #expect(type(of: alone) == type(of: whole))
        #expect("\(alone)" == "\(whole)")
    }

    @Test(arguments: [
        "", "logn", "profile", "profile lst", "-P wire status", "status --nonsense", "token a b c", "--version", "help",
        "login --max-attempts 0", "login --color", "store",
    ]) func `what is none, or does not parse, is left to the tree`(line: String) {
        #expect(CommandNames.parsed(words(line)) == nil)
    }

    @Test(arguments: [
        "status -h", "status --help", "status --helpful", "login -qh", "status -P wire -h", "login -uhanna",
    ])
    func `what may ask for help is left to the tree`(line: String) {
        #expect(CommandNames.parsed(words(line)) == nil)
    }

    @Test func `only so long as it parses does a command stand alone`() {
        #expect(!CommandNames.parsesAlone)
        _ = CommandNames.parsed(["status"])
        #expect(!CommandNames.parsesAlone)
    }

    @Test(arguments: [
        "", "login", "profile", "profile list", "profile --help", "profile ls", "help", "--version", "--help", "-h",
        "help login",
    ]) func `a command's name, or none at all, is good`(line: String) {
        #expect(problem(line) == nil)
    }

    @Test(arguments: [
        ("logn", "unknown command \"logn\"; did you mean 'login'?"),
        ("profile lst", "unknown command \"profile lst\"; did you mean 'profile list'?"),
        ("store inti file", "unknown command \"store inti\"; did you mean 'store init'?"),
        ("--config f login x", "options stand after the command: authctl login [<options>]"),
        ("-P wire ls", nil), ("-q profile ls", "options stand after the command: authctl profile [<options>]"),
        ("--help login", nil),
    ]) func `a word that is none gets the nearest`(line: String, expected: String?) {
        #expect(problem(line) == expected)
    }

    @Test func `help of a command's own topics names the command's help`() throws {
        #expect(problem("help exec hunter22")?.hasSuffix("a command has no help topics: authctl help exec") == true)
        #expect(problem("help store list hunter22")?.hasSuffix(": authctl help store list") == true)
        #expect(problem("help exec") == nil)
    }

    @Test func `a word like no other is repeated, escaped and cut, and all commands of its group are named`() throws {
        let top = try #require(problem("fro\u{1B}b")), inner = try #require(problem("store frobnicate"))
        #expect(top.hasPrefix("unknown command \"fro\\u{1B}b\"; ") && inner.contains("\"store frobnicate\""))
        #expect((problem(String(repeating: "x", count: 500)) ?? "").count < 400)
        #expect(top.contains("login, ") && !top.contains("complete,"), "\(top)")
        #expect(inner.contains("store list, ") && !inner.contains("login"), "\(inner)")
    }
}

/// What the parser says, without what it repeats.
struct ParserWordsTests {
    @Test(arguments: [
        (["login", "hunter22"], "Unexpected argument 'hunter22'", "Unexpected argument '…'"),
        (
            ["--quiet=hunter22"], "The option 'quiet' does not take any value, but 'hunter22' was specified.",
            "The option 'quiet' does not take any value, but '…' was specified."
        ),
        (
            ["--timeout", "pw", "--ttl", "pw\u{1B}2"], "The value 'pw\u{1B}2' is invalid for '--ttl <ttl>'",
            "The value 'pw\\u{1B}2' is invalid for '--ttl <ttl>'"
        ),
        (["a'b"], "Unexpected argument 'a'b'", "Unexpected argument '…'"),
        (["login", "-x"], "Unknown option '-x'", "Unknown option '-x'"),
        (["x\u{1B}[2J"], "Missing x\u{1B}[2J", "Missing x\\u{1B}[2J"),
        (["--name=a\nb"], "Unexpected argument 'a\nb'", "Unexpected argument '…'"),
    ]) func `what may be a password is not repeated, and nothing obeyed by a terminal`(
        arguments: [String], said: String, shown: String
    ) {
        #expect(ParserWords(arguments: arguments).redacted(said) == shown)
    }

    @Test(arguments: [
        (["login", "-x"], "Unknown option '-x'", "unknown option '-x'"),
        (["request"], "A URL is missing.", "a URL is missing"),
        (["login", "a\nb"], "Unexpected argument 'a\nb'", "unexpected argument '…'"), ([], "", ""),
    ]) func `it is told as our own messages are, by name`(arguments: [String], said: String, told: String) {
        let words = ParserWords(arguments: arguments)
        #expect(words.message(said) == told)
        let full = words.told(said, in: "Error: \(said)\nUsage: x.")
        #expect(TextLook.plain.text(full) == "authctl: \(told)\nUsage: x.")
        #expect(words.told(said, in: "Usage: x.") == StyledText("Usage: x."))
    }

    @Test(arguments: [
        (
            ["status", "--ca-file", "x"],
            "'status' has no option '--ca-file'; login, discover, request, exec, ssh and profile test have it"
        ),
        (["status", "--ofline"], "unknown option '--ofline'; did you mean '--offline'?"),
        (["trust", "list", "-u", "ann"], "'trust list' has no option '-u'; other commands have it"),
        (["login", "wire", "--usr", "ann"], "unknown option '--usr'; did you mean '--username'?"),
        (["discover", "https://a.example", "--usr"], "unknown option '--usr'"),
        (["status", "--frobnicate=hunter22"], "unknown option '--frobnicate'"),
        (
            ["request", "/x", "--name", "y"],
            "'request' has no option '--name'; login, discover and profile add have it"
        ),
    ]) func `an unknown option gets a near one, or the commands that have it`(arguments: [String], told: String) throws
    {
        let run = try TestWorld().run(arguments, server: [])
        #expect(run.code == 2 && run.talk.hasPrefix("authctl: \(told)\n"), "\(run.talk)")
    }

    @Test(arguments: [
        (["auth", "login"], "unknown command \"auth\"; did you mean 'login'?"),
        (["version"], "unknown command \"version\"; did you mean '--version'?"),
        (["logout", "wire", "blog"], "unexpected argument '…'; 'logout' takes one profile, so run it once for each"),
        (
            ["profile", "remove", "a", "b"],
            "unexpected argument '…'; 'profile remove' takes one name, so run it once for each"
        ),
        (["login", "wire", "ann"], "unexpected argument '…'; use -u for a user name"),
        (["login", "wire", "--netrc", "file"], "unexpected argument '…'; use --netrc-file for a netrc file"),
        (["login", "wire", "--pasword"], "unknown option '--pasword'; did you mean '--password-stdin'?"),
        (["login", "wire", "--pasword=hunter22"], "unknown option '--pasword'; did you mean '--password-stdin'?"),
    ]) func `what newcomers type is answered by what they meant`(arguments: [String], told: String) throws {
        let run = try TestWorld().run(arguments, server: [])
        #expect(run.code == 2 && run.talk.hasPrefix("authctl: \(told)\n"), "\(run.talk)")
    }

    @Test func `it is known what is about an argument without a place`() {
        let words = ParserWords(arguments: [])
        #expect(words.repeats("Unexpected argument 'x'") && words.repeats("2 unexpected arguments: 'x', 'y'"))
        #expect(!words.repeats("The value 'x' is invalid") && !words.repeats("Missing expected argument"))
    }
}
