@testable import LoginKit
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// Which profile a command means, where files lie, and what never stands on a command line.
struct SelectionTests {
    private static let two = Examples.wire + "\n\n" + Examples.forge + "\n"

    private func selected(_ world: TestWorld, _ arguments: String...) -> String {
        world.run(["profile", "show"] + arguments, server: []).output
            .split(separator: "\n").first { $0.hasPrefix("[profiles.") }.map { String($0.dropFirst(10).dropLast()) }
            ?? ""
    }

    @Test func `the argument, then -P, then the variable, then the default`() throws {
        let world = try TestWorld(config: Examples.config)
        #expect(selected(world) == "blog")
        world.variables["AUTHCTL_PROFILE"] = "wire"
        #expect(selected(world) == "wire")
        #expect(selected(world, "-P", "forge") == "forge")
        #expect(selected(world, "chat", "-P", "forge") == "chat")
        #expect(selected(world, "--profile=forge") == "forge")
        #expect(world.run("profile", "show", "-P", "nope").code == 2)
        world.variables["AUTHCTL_PROFILE"] = "nope"
        #expect(world.run("profile", "show").code == 2)
    }

    @Test func `the only one, and of several the last one logged in to, which is told`() throws {
        #expect(selected(try TestWorld(config: Examples.wire)) == "wire")
        let world = try TestWorld(config: Self.two)
        let run = world.run("profile", "show")
        #expect(run.code == 2 && run.talk.contains("name one with -P: forge, wire"))
        world.person = ScriptedPerson([ScriptedPerson.pastes("tok")])
        #expect(world.run("login", "forge", server: [.answer(401), .answer(200, "{\"username\":\"a\"}")]).code == 0)
        #expect(selected(world) == "forge")
        #expect(world.run("profile", "show").talk.contains("using profile forge"))
    }

    @Test func `profile default chooses, and the one in config.toml goes before`() throws {
        let world = try TestWorld(config: Self.two)
        #expect(world.run("profile", "default", "wire").code == 0)
        #expect(selected(world) == "wire")
        #expect(world.run("profile", "default").output == "wire\n")
        let fixed = try TestWorld(config: Examples.config)
        #expect(fixed.run("profile", "default", "wire").code == 2)
        #expect(fixed.run("profile", "default", "blog").code == 0)
    }

    @Test func `no profile at all is 4`() throws {
        #expect(try TestWorld().run("profile", "show").code == 4)
    }

    private func paths(_ values: [String: String], config: String? = nil) throws -> Paths {
        try Paths(Environment(values), config: config)
    }

    @Test func `files lie where XDG has them`() throws {
        let plain = try paths(["HOME": "/h"])
        #expect(plain.configFile == "/h/.config/authctl/config.toml" && plain.stateFolder == "/h/.local/state/authctl")
        #expect(plain.generatedProfiles == "/h/.config/authctl/profiles" && !plain.isConfigNamed)
        let root = try paths(["HOME": "/"])
        #expect(root.configFile == "/.config/authctl/config.toml" && root.stateFolder == "/.local/state/authctl")
        let moved = try paths(["HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"])
        #expect(moved.configFile == "/c/authctl/config.toml" && moved.stateFolder == "/s/authctl")
    }

    @Test(arguments: ["c", "./c", "../c", ""]) func `relative XDG folders are ignored`(value: String) throws {
        let paths = try paths(["HOME": "/h", "XDG_CONFIG_HOME": value, "XDG_STATE_HOME": value])
        #expect(paths.configFile == "/h/.config/authctl/config.toml" && paths.stateFolder == "/h/.local/state/authctl")
    }

    @Test func `a home is not needed where everything has its place, and else what is missing is named`() throws {
        let named = ["HOME": "h", "AUTHCTL_CONFIG": "/v/c.toml"]
        #expect(try paths(named.merging(["XDG_STATE_HOME": "/s"]) { $1 }).stateFolder == "/s/authctl")
        func fault(_ values: [String: String]) -> String {
            do {
                return try paths(values).configFile
            } catch {
                return "\(error)"
            }
        }
        #expect(fault(named).contains("XDG_STATE_HOME") && !fault(named).contains("XDG_CONFIG_HOME"))
        let stateNamed = fault(["HOME": "h", "XDG_STATE_HOME": "/s"])
        #expect(stateNamed.contains("XDG_CONFIG_HOME") && !stateNamed.contains("XDG_STATE_HOME"), "\(stateNamed)")
    }

    @Test func `--config goes before AUTHCTL_CONFIG, and made profiles beside it`() throws {
        let variable = try paths(["HOME": "/h", "AUTHCTL_CONFIG": "/v/c.toml"])
        #expect(
            variable.configFile == "/v/c.toml" && variable.isConfigNamed && variable.generatedProfiles == "/v/profiles")
        #expect(
            try paths(["HOME": "/h", "AUTHCTL_CONFIG": "/v/c.toml"], config: "/o.toml").generatedProfiles
                == "//profiles")
    }

    @Test(arguments: [["-p"], ["-px"], ["login", "-p", "x"], ["--password"], ["login", "--password=x"], ["-pP"]])
    func `what would hold a password is refused, without its value`(arguments: [String]) {
        do {
            try ArgumentGuard.check(arguments)
            Issue.record("accepted")
        } catch {
            let message = error.message()
            #expect(error.exitCode == .usage && message.what.contains("--password-stdin"))
        }
    }

    @Test(arguments: [
        ["-P", "x"], ["--password-stdin"], ["--password-file", "f"], ["--", "-p", "x"], ["--profile", "x"],
    ])
    func `what only looks like it is not`(arguments: [String]) throws {
        try ArgumentGuard.check(arguments)
    }

    @Test func `AUTHCTL_MASK may be empty, other empty variables are as if unset`() {
        #expect(Environment(["AUTHCTL_MASK": ""]).mask == "" && Environment([:]).mask == "*")
        #expect(Environment(["AUTHCTL_PROFILE": ""])["AUTHCTL_PROFILE"] == nil)
    }
}
