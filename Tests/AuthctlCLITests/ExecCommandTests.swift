@testable import LoginKit
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// `exec`, as far as it needs no process: codes, and the environment of its command.
struct ExecCommandTests {
    private func status(_ ending: AuthctlCLI.Ending) -> Int32 {
        ending.ofExec.status { _ in
            -1
        } dying: {
            128 + $0
        }
    }

    @Test(arguments: LoginKit.ExitCode.allCases) func `a code of ours is 100 more`(_ code: LoginKit.ExitCode) {
        #expect(
            AuthctlCLI.Ending.code(code).status { _ in
                -1
            } dying: { _ in
                -1
            } == code.rawValue)
        #expect(status(.code(code)) == (code == .ok ? 0 : 100 + code.rawValue))
    }

    @Test(arguments: [Int32(0), 1, 100, 126, 127, 255]) func `the code of the command stays`(number: Int32) {
        #expect(status(.status(number)) == number)
        #expect(status(.signal(number)) == 128 + number)
    }

    @Test(arguments: [
        ["exec"], ["exec", "--"], ["exec", "true"], ["exec", "--nonsense", "--", "true"],
        ["exec", "-P", "nope", "--", "true"],
        ["exec", "--env", "A=B", "--", "true"], ["exec", "--env", "AUTHCTL_PASSWORD", "--", "true"],
        ["exec", "--env", "AUTHCTL_PROFILE", "--", "true"], ["exec", "--env", "", "--", "true"],
        ["exec", "--env", "PATH", "--", "true"], ["exec", "--env", "HOME", "--", "true"],
        ["exec", "--env", "LD_PRELOAD", "--", "true"], ["exec", "--env", "IFS", "--", "true"],
        ["exec", "--fd", "2", "--", "true"], ["exec", "--fd", "256", "--", "true"], ["exec", "--json", "--", "true"],
        ["exec", "--ephemeral", "--store", "file", "--", "true"], ["exec", "--name", "x", "--", "true"],
        ["exec", "-psecret", "--", "true"], ["exec", "--ephemeral", "--offline", "--", "true"],
        ["exec", "--unchanged", "--serve", "--", "true"], ["exec", "--unchanged", "--env", "A", "--", "true"],
        ["exec", "--placeholder", "A", "--", "true"], ["exec", "--serve", "--others", "all", "--", "true"],
        ["exec", "--no-proxy-password", "--", "true"], ["exec", "--unchanged", "--others", "some", "--", "true"],
        ["exec", "--unchanged", "--placeholder", "PATH=secret", "--", "true"],
        ["exec", "--unchanged", "--placeholder", "=secret", "--", "true"],
        ["exec", "--serve", "--own-network", "--", "true"],
        ["exec", "--unchanged", "--own-network", "--no-proxy-password", "--", "true"],
        ["ssh"], ["ssh", "--", "true"], ["ssh", "host", "true"], ["ssh", "-P", "nope", "host"], ["ssh", ""],
        ["ssh", "host", "--others", "some"], ["ssh", "host", "--for", "x"], ["ssh", "host", "--log", ""],
        ["ssh", "host", "--placeholder", "PATH=secret"], ["ssh", "host", "--no-proxy-password"],
    ])
    func `a wrong call is 102`(arguments: [String]) throws {
        let run = try TestWorld(config: Examples.config).run(arguments, server: [])
        #expect(run.code == 102 && !run.talk.isEmpty)
        #expect(!run.talk.contains("secret"))
    }

    @Test(arguments: [["exec", "--help"], ["help", "exec"]]) func `exec's help is 0`(arguments: [String]) throws {
        #expect(try TestWorld().run(arguments, server: []).code == 0)
    }

    @Test func `a variable takes the place of those of its name, also one that is withheld`() {
        var environment = ProgramEnvironment(["A": "1", "AB": "2", "AUTHCTL_USERNAME": "bob", "AUTHCTL_PASSWORD": "x"])
        #expect(environment["AUTHCTL_USERNAME"] == nil && environment["AUTHCTL_PASSWORD"] == nil)
        environment.set("A", to: "3")
        environment.set("AUTHCTL_USERNAME", to: "ann")
        #expect(environment["A"] == "3" && environment["AB"] == "2" && environment["AUTHCTL_USERNAME"] == "ann")
    }
}
