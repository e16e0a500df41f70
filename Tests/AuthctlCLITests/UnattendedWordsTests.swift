@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// What jobs without a person are told, as far as it needs no process.
struct UnattendedWordsTests {
    @Test func `variables that are not used here are not asked for`() throws {
        let world = try TestWorld(config: Examples.config)
        (world.variables["AUTHCTL_USERNAME"], world.password) = ("anna", Secret("pw"))
        let run = world.run("exec", "-P", "blog", "--", "/bin/true")
        #expect(run.code == 104 && run.talk.contains("needs AUTHCTL_PROFILE=blog"), "\(run.talk)")
        #expect(run.talk.contains("missing: user name (-u NAME)"), "\(run.talk)")
        #expect(run.talk.contains("--password-command CMD)"), "\(run.talk)")
    }

    @Test(arguments: [["request", "/me"], ["exec", "--", "/bin/true"], ["whoami"]])
    func `a URL in the environment is for login, and the others say so`(arguments: [String]) throws {
        let world = try TestWorld()
        world.variables["AUTHCTL_VERIFY_URL"] = "https://api.example/me"
        let run = world.run(arguments, server: [])
        #expect(run.code % 100 == 4 && run.talk.contains("AUTHCTL_VERIFY_URL"), "\(run.talk)")
        #expect(run.talk.contains("authctl login\n"), "\(run.talk)")
    }
}
