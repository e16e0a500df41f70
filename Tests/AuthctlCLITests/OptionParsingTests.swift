import ArgumentParser
import Testing

@testable import AuthctlCLI
import LoginKit

/// Parsing alone: every option is understood where it may stand.
struct OptionParsingTests {
    private func parse<Command>(_ line: String, as type: Command.Type = Command.self) throws -> Command {
        let parsed = try Authctl.parseAsRoot(line.split(separator: " ").map(String.init))
        return try #require(parsed as? Command)
    }

    @Test(arguments: [
        "login", "whoami", "logout", "status", "token", "switch u", "store move a b",
    ])
    func `the general options stand before or after the arguments`(command: String) throws {
        let options = "-P p -u anna -q -v --no-prompt --config c --timeout 7 --json"
        let long = "--profile p --username anna --quiet --verbose --no-prompt --config=c --timeout=7 --json"
        let words = command.split(separator: " ", maxSplits: 1)
        for line in ["\(command) \(options)", "\(command) \(long)"]
            + (words.count == 1 || command.hasPrefix("switch")
                ? ["\(words[0]) \(options) \(words.dropFirst().joined())"] : [])
        {
            let parsed = try #require(
                try Authctl.parseAsRoot(line.split(separator: " ").map(String.init)) as? any InvokedCommand)
            let global = parsed.global
            #expect(global.profile == "p" && global.username == "anna" && global.config == "c" && global.timeout == 7)
            #expect(global.quiet && global.verbose && global.noPrompt && parsed.printsJSON)
        }
    }

    @Test func `login in all its words`() throws {
        let command: LoginCommand = try parse(
            "login blog --force --method basic --store file --persist session --name n --max-attempts 5 --prompt-timeout 9 "
                + "--password-file f --blank-password --ttl 60 --allow-http --proxy http://p --ca-file ca")
        #expect(command.target == "blog" && command.force)
        #expect(command.name == "n" && command.login.store == "file" && command.login.persist == "session")
        let login = command.login.attempt
        #expect(login.method == "basic")
        #expect(login.maxAttempts == 5 && login.promptTimeout == 9 && login.passwordFile == "f" && login.blankPassword)
        #expect(login.ttl == 60 && login.connection.allowHttp && login.connection.proxy == "http://p")
        #expect(login.connection.caFile == "ca")
        #expect(!login.passwordStdin && login.passwordCommand == nil)
    }

    @Test func `login without options`() throws {
        let login = (try parse("login") as LoginCommand).login.attempt
        #expect(login.maxAttempts == 3 && login.promptTimeout == nil && login.patience == 300)
        #expect(!login.passwordStdin && !login.blankPassword && !login.connection.allowHttp && login.ttl == nil)
        #expect((try parse("login --password-stdin") as LoginCommand).login.attempt.passwordStdin)
        #expect((try parse("login --password-command x") as LoginCommand).login.attempt.passwordCommand == "x")
    }

    @Test(arguments: [
        "login --password-stdin --password-file f", "login --password-file f --password-command c",
        "login --max-attempts 0", "login --max-attempts 101", "login --prompt-timeout 0", "login --ttl 0",
        "login --ttl 31536001", "login --method magic", "login --store safe", "login --store helper:",
        "login --persist forever", "login --ttl x", "token --min-ttl -1", "token --min-ttl 31536001",
        "token --min-ttl 1.5", "token --as kubectl", "token --as curl --header", "token --as headers --json",
        "token --min-ttl 9223372036854775808", "status --color blue", "status --color Auto",
        "status --color=", "switch a b c", "status a b",
        "logout a b", "store init file x", "profile add",
    ])
    func `what makes no sense is refused`(line: String) {
        #expect(throws: (any Error).self) { try Authctl.parseAsRoot(line.split(separator: " ").map(String.init)) }
    }

    @Test func `the options of the others`() throws {
        let logout: LogoutCommand = try parse("logout blog --all --local")
        #expect(logout.profile == "blog" && logout.all && logout.local)
        let token: TokenCommand = try parse("token blog --header --verify --min-ttl 60")
        #expect(token.profile == "blog" && token.header && token.verify && token.minTtl == 60)
        #expect(try token.form == .header && (parse("token --as header --header") as TokenCommand).form == .header)
        for form in ["headers", "exec-credential"] {
            #expect((try parse("token --as \(form)") as TokenCommand).global.noPrompt)
        }
        #expect((try parse("token --min-ttl 31536000") as TokenCommand).minTtl == 31_536_000)
        #expect((try parse("token") as TokenCommand).minTtl == nil)
        for color in ColorChoice.allCases.map(\.rawValue) {
            #expect((try parse("whoami --color \(color)") as WhoamiCommand).global.color == color)
        }
        #expect((try parse("whoami blog --offline") as WhoamiCommand).offline)
        #expect((try parse("status --offline") as StatusCommand).offline)
        #expect((try parse("switch blog anna") as SwitchCommand).names == ["blog", "anna"])
        let add: ProfileAddCommand = try parse("profile add f.toml --name n --accept-commands")
        #expect(add.file == "f.toml" && add.name == "n" && add.acceptCommands)
        let setUp: StoreInitCommand = try parse("store init file --key-file k")
        #expect(setUp.store == "file" && setUp.keyFile == "k")
        #expect((try parse("store test keyring") as StoreTestCommand).store == "keyring")
    }
}
