@testable import LoginKit
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// Whatever a person's own arguments and variables hold, a message does not control the terminal.
struct OutputEscapingTests {
    private func isHarmless(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0 == "\n" || SafeText.escape(for: $0) == nil }
    }

    @Test(arguments: [
        ["status", "--bogus\u{1B}[31m"], ["login", "blog", "--method", "a\u{9B}31m"], ["\u{1B}]0;x\u{7}"],
        ["login", "blog", "--store", "\u{1B}[31m"], ["whoami", "\u{202E}x"], ["login", "blog", "-P", "x\u{7F}"],
        ["store", "test", "\u{1B}[2J"], ["help", "\u{1B}[2J"], ["--config", "/a\u{1B}[31m", "status"],
    ])
    func `an argument with control characters is escaped in the message about it`(arguments: [String]) throws {
        let world = try TestWorld(config: Examples.config)
        let run = world.run(arguments, server: [])
        #expect(isHarmless(run.talk), "\(run.talk.debugDescription)")
        #expect(isHarmless(run.output), "\(run.output.debugDescription)")
    }

    @Test(arguments: ["HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"])
    func `a folder named by a variable is escaped in the output`(name: String) throws {
        let world = try TestWorld(config: Examples.config)
        world.variables[name] = world.home.path + "/a\u{1B}[31m\u{9B}b"
        for arguments in [["status"], ["store", "list"], ["store", "test", "file"], ["profile", "list"], ["whoami"]] {
            let run = world.run(arguments, server: [])
            #expect(
                isHarmless(run.talk) && isHarmless(run.output),
                "\(arguments): \((run.talk + run.output).debugDescription)")
        }
    }
}
