import Glibc
@testable import LoginKit
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// `authctl help WORD` for a word that is neither a command nor a topic.
struct HelpSearchTests {
    private func help(_ words: String...) throws -> Run { try TestWorld().run(["help"] + words, server: []) }

    @Test(arguments: [
        (["docker"], "docker login, docker pull and podman with my login"), (["proxy"], "go through a proxy"),
        (["cookies"], "take over a login from my browser (copy as cURL, cookies)"),
        (["cron"], "use a login in a cron job"),
        (["api", "key"], "send an API key in its own header"), (["passkey"], "log in with single sign-on (SSO, SAML)"),
        (["log", "out", "everywhere"], "log out everywhere"), (["debug"], "find out why my login fails"),
        (["monitoring"], "monitor my logins"), (["upload"], "upload a file"),
        (["sigv4"], "sign each request (AWS SigV4, S3, HMAC): not possible"),
    ])
    func `a word of a task shows the task first, with its command and page`(words: [String], title: String) throws {
        let run = try TestWorld().run(["help"] + words, server: [])
        #expect(run.code == 0 && run.talk.isEmpty, "\(run.talk)")
        #expect(run.output.hasPrefix("TASKS\n\n") && run.output.contains("\n\(title)"), "\(run.output)")
        #expect(run.output.contains("\n  \u{2192} man authctl"), "\(run.output)")
    }

    @Test(arguments: ["headless", "keepass", "k8s", "kubernetes", "jenkins", "ssl"])
    func `a word for what the help calls otherwise leads there`(word: String) throws {
        let run = try help(word)
        #expect(run.code == 0 && run.output.contains("TASKS\n\n"), "\(run)")
    }

    @Test func `an option shows its meaning and its commands, with dashes and without`() throws {
        for word in ["--min-ttl", "min-ttl"] {
            let run = try help(word)
            #expect(run.code == 0 && run.output.contains("--min-ttl <seconds>\n  "), "\(run)")
            #expect(run.output.contains("\n  (token"), "\(run.output)")
        }
        #expect(try help("proxy").output.contains("OPTIONS\n\n--proxy <url>\n"))
        #expect(try help("timeout").output.contains("(most commands)"))
    }

    @Test func `presets, variables and words of errors are found`() throws {
        let preset = try help("radicale")
        #expect(preset.output.contains("PRESETS\n\nradicale\n  Calendars") && preset.code == 0, "\(preset)")
        #expect(preset.output.contains("\n  authctl login radicale"))
        let variable = try help("AUTHCTL_MASK")
        #expect(variable.output == "TOPICS\n\nauthctl help environment\n  AUTHCTL_MASK\n", "\(variable)")
        for word in ["untrusted", "7"] {
            let code = try help(word)
            #expect(code.code == 0 && code.output.contains("EXIT CODES\n\n7 untrusted\n  certificate"), "\(code)")
        }
        #expect(try help("password-command").output.contains("authctl help config\n"))
        #expect(try help("exit", "codes").output.contains("authctl help exit-codes\n"))
    }

    @Test func `every word has to fit, and what only mentions one gives way to what is named so`() throws {
        let half = try help("docker", "nonsenseword")
        #expect(half.code == 2 && half.talk.contains("the single words: authctl help docker\n"), "\(half.talk)")
        let tasks = try help("kubectl").output
        #expect(tasks.contains("use kubectl with my login") && !tasks.contains("docker"), "\(tasks)")
    }

    @Test(arguments: [("doker", "docker"), ("proxxy", "proxy"), ("stauts", "status"), ("radicail", "radicale")])
    func `a word that is not there gets the nearest one`(typed: String, meant: String) throws {
        let run = try help(typed)
        #expect(run.code == 2 && run.output.isEmpty, "\(run)")
        #expect(run.talk.contains("did you mean 'help \(meant)'?"), "\(run.talk)")
    }

    @Test func `a command and a topic keep their page, and a wrong word of a group is none of the search's`() throws {
        for word in ["login", "tasks", "config", "exit-codes"] {
            #expect(try help(word).output.hasPrefix("OVERVIEW: "), "\(word)")
        }
        #expect(try help("profile", "docker").code == 2)
        #expect(try help().output.hasPrefix("OVERVIEW: "))
    }

    @Test(arguments: [80, 40]) func `sentences fit the terminal, and commands stay whole`(columns: Int) throws {
        let world = try TestWorld()
        (world.terminals, world.columns) = ([STDOUT_FILENO], columns)
        let run = world.run("help", "proxy")
        let sentences = run.output.split(separator: "\n").filter { !$0.contains("\u{2192}") && !$0.contains(" = ") }
        #expect(run.code == 0 && sentences.allSatisfy { $0.count <= columns }, "\(run.output)")
        #expect(run.output.contains("\n  proxy = \"http://proxy.example:3128\"\n"))
    }
}
