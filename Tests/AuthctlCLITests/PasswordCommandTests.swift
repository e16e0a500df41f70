import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

@Suite(.onOwnThreads) struct `A password command` {
    /// A command has the standard error of whoever runs it, and `swift test` waits for everybody who has that of the tests:
    /// what these leave behind has its own.
    private func run(_ script: String, patience: Int = 20) throws(LoginFault) -> Secret {
        let words = ["/bin/sh", "-c", "exec /bin/sh -c \"$0\" 2>/dev/null", script]
        return try PasswordCommand(words: words, patience: patience).run()
    }

    private func fault(_ script: String, patience: Int = 20) -> LoginFault? {
        do throws(LoginFault) {
            _ = try run(script, patience: patience)
            return nil
        } catch {
            return error
        }
    }

    private func time(_ body: () -> Void) -> Duration { ContinuousClock().measure(body) }

    @Test(arguments: ["printf 'a b '", "echo 'a b '", "printf 'a b \\r\\n'", "printf 'a b \\nuser: x\\n'"])
    func `a password command gives its first line`(script: String) throws {
        #expect(try run(script) == Secret("a b "))
    }

    @Test func `a password command that prints without end is given up, and ended`() {
        let time = time {
            let fault = fault("yes")
            #expect(fault == .usage(.badValue(option: "password-command", problem: SecretFile.Problem.tooLong.words)))
            #expect(self.fault("tr '\\0' x </dev/zero")?.exitCode == .usage)
        }
        #expect(time < .seconds(25))
    }

    @Test(arguments: [
        "sleep 100", "echo x; exec sleep 100", "exec >&-; sleep 100", "trap '' TERM; while :; do sleep 1; done",
    ])
    func `a password command that hangs is ended, and is 4`(script: String) {
        let time = time {
            let slow = LoginNeed(why: .passwordCommandTookTooLong(seconds: 1))
            #expect(fault(script, patience: 1) == .loginRequired(slow))
        }
        #expect(time < .seconds(25))
    }

    @Test(arguments: ["echo x; sleep 30 & exit 0", "sleep 30 & echo x"])
    func `a password command may leave something behind that keeps the pipe open`(script: String) throws {
        let begin = ContinuousClock.now
        #expect(try run(script) == Secret("x"))
        #expect(ContinuousClock.now - begin < .seconds(25))
    }

    @Test func `what it leaves behind does not hold the output of the tests`() throws {
        let left = try run("sleep 30 & echo $!").withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let process = try #require(Int32(left))
        defer { kill(process, SIGKILL) }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/2") == "/dev/null")
    }

    @Test func `a password command that fails is 4 with its status, or the number of its signal`() {
        #expect(fault("echo x; exit 7") == .loginRequired(LoginNeed(why: .passwordCommandFailed(status: 7))))
        #expect(fault("kill -9 $$") == .loginRequired(LoginNeed(why: .passwordCommandFailed(status: 137))))
    }
}
