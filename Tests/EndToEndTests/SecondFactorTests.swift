@testable import LoginTestSupport
import Testing

/// A code after the password, a code beside it, and an approval on another device; each code is good once.
@Suite(.onOwnThreads) final class `A second factor` {
    private let demo: DemoBackendProcess
    private let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(
            config: """
                [profiles.shop]
                url     = "\(demo.origin)/shop"
                method  = "token"
                session = { header = "X-Session-Token: {token}" }
                verify  = { get = "/api/me", username = "/username" }
                keep-password = true
                [[profiles.shop.login]]
                post          = "/auth/login"
                json          = { username = "{username}", password = "{password}" }
                token         = "/meta/session_token"
                refused       = [400]
                message       = "/errors/0/message"
                second-factor = [{ status = 401, "/data/flows/[id=mfa_authenticate]/is_pending" = true }]
                [[profiles.shop.login]]
                post    = "/auth/2fa"
                header  = "X-Session-Token: {token}"
                json    = { code = "{otp}" }
                token   = "/meta/session_token"
                refused = [400]
                message = "/errors/0/message"

                \(demo.vaultProfile(login: "message = '/message'\n" + DemoBackendProcess.vaultWantsCode))
                \(demo.vaultProfile("pair"))
                [profiles.bank]
                url    = "\(demo.origin)/bank"
                method = "token"
                verify = { get = "/me", username = "/username" }
                [[profiles.bank.login]]
                post          = "/login"
                json          = { username = "{username}", password = "{password}" }
                token         = "/ticket"
                second-factor = [{ status = 202 }]
                [[profiles.bank.login]]
                get      = "/approval"
                header   = "X-Ticket: {token}"
                token    = "/token"
                pending  = [{ status = 202 }]
                interval = 1

                """)
    }

    deinit { demo.stop() }

    private func logIn(_ profile: String, _ more: String..., environment: [String: String] = [:]) throws
        -> CommandResult
    {
        let password = environment.merging(["AUTHCTL_PASSWORD": "correct horse", "AUTHCTL_PROFILE": profile]) { $1 }
        return try authctl.run(["login", profile, "-u", "ann"] + more, environment: password)
    }

    @Test func `a second factor is asked for after the password; a wrong code is told, and the next one logs in`()
        throws
    {
        let run = try authctl.onTerminal("login", "shop", "-u", "ann")
        try run.answer("Password for ann: ", "correct horse\r")
        try run.pty.wait(for: "asks for a second factor.")
        try run.answer("Code: ", "000000\r")
        try run.pty.wait(for: "Wrong code. Attempt 2 of 3.")
        try run.pty.wait(for: "The server says: \"Incorrect code.\"")
        try run.answer("Code: ", "248163\r")
        #expect(try run.end() == .exited(0))
        #expect(run.lines.contains { $0.hasSuffix("as ann.") })
        #expect(!run.pty.text.contains("248163") && !run.pty.text.contains("horse"))
        #expect(try authctl.run(["whoami", "shop"]).output == "ann\n")
        #expect(try demo.requests().map(\.status) == [401, 401, 400, 200, 200, 200])
    }

    @Test func `an empty line at the code uses up no attempt`() throws {
        let run = try authctl.onTerminal("login", "vault", "-u", "ann")
        try run.answer("Password for ann: ", "correct horse\r")
        try run.answer("Code: ", "111111\r").pty.wait(for: "Attempt 2 of 3")
        try run.answer("Code: ", "\r").answer("Code: ", "\r")
        try run.pty.wait(for: "The code was left blank; nothing was sent.")
        try run.answer("Code: ", "907214\r")
        #expect(try run.end() == .exited(0))
    }

    @Test func `wrong three times is 9, and the password stands`() throws {
        let run = try authctl.onTerminal("login", "vault", "-u", "ann")
        try run.answer("Password for ann: ", "correct horse\r")
        for _ in 0..<3 { try run.answer("Code: ", "111111\r") }
        #expect(try run.end() == .exited(9))
        #expect(run.said.contains("the server refused the code of the second factor (status 401)"))
    }

    @Test func `a code that was given is sent once; used twice it is 9`() throws {
        let first = try logIn("shop", environment: ["AUTHCTL_OTP": "248163"])
        #expect(first.code == 0, "\(first.error)")
        let again = try logIn("shop", "--force", environment: ["AUTHCTL_OTP": "248163"])
        #expect(again.code == 9)
        #expect(again.error.contains("the server refused the code of the second factor"))
        #expect(!again.error.contains("248163"))
        #expect(try demo.requests().filter { $0.status == 400 }.count == 1)
    }

    @Test func `none and no terminal is 9, and says how to give one`() throws {
        let login = try logIn("vault")
        #expect(login.code == 9)
        #expect(login.error.contains("the server says \"OTP required: open your app\""))
        #expect(login.error.contains("missing: code (--otp-stdin, --otp-command CMD, AUTHCTL_OTP)"))
    }

    @Test func `a second factor comes from a program, or from standard input`() throws {
        let command = try logIn("vault", "--otp-command", "printf 907214")
        #expect(command.code == 0, "\(command.error)")
        let password = ["AUTHCTL_PASSWORD": "correct horse", "AUTHCTL_PROFILE": "shop"]
        let standard = try authctl.run(
            ["login", "shop", "-u", "ann", "--otp-stdin"], input: "335518\n", environment: password)
        #expect(standard.code == 0, "\(standard.error)")
        for words in [["--otp", "335518"], ["--otp=335518"], ["--code", "335518"]] {
            let refused = try authctl.run(["login", "shop"] + words)
            #expect(refused.code == 2 && refused.error.contains("--otp-command") && !refused.error.contains("335518"))
        }
    }

    @Test func `a kept password that meets it is neither refused nor marked`() throws {
        #expect(try logIn("shop", environment: ["AUTHCTL_OTP": "248163"]).code == 0)
        // The sessions are gone.
        try demo.reset()
        #expect(try authctl.run(["request", "GET", "/api/me", "-P", "shop"]).code == 9)
        let again = try authctl.run(
            ["request", "GET", "/api/me", "-P", "shop"],
            environment: ["AUTHCTL_OTP": "907214", "AUTHCTL_PROFILE": "shop"])
        #expect(again.code == 0, "\(again.error)")
        #expect(again.output.contains("ann"))
    }

    @Test func `whoami takes a given code, too`() throws {
        #expect(try logIn("shop", environment: ["AUTHCTL_OTP": "248163"]).code == 0)
        try demo.reset()
        #expect(try authctl.run(["whoami", "shop"]).code == 9)
        let code = ["AUTHCTL_OTP": "660427", "AUTHCTL_PROFILE": "shop"]
        let whoami = try authctl.run(["whoami", "shop"], environment: code)
        #expect(whoami.code == 0 && whoami.output == "ann\n", "\(whoami.error)")
    }

    @Test func `a given code that went along with a wrong password is asked for with the right one`() throws {
        let code = ["AUTHCTL_OTP": "907214", "AUTHCTL_PROFILE": "pair"]
        let run = try authctl.onTerminal(["login", "pair", "-u", "ann"], environment: code)
        try run.answer("Password for ann: ", "mistyped\r")
        try run.pty.wait(for: "Attempt 2 of 3.")
        try run.answer("Password for ann: ", "correct horse\r")
        try run.answer("Code (empty for none): ", "907214\r")
        #expect(try run.end() == .exited(0), "\(run.pty.text)")
    }

    @Test func `an approval is waited for, and 13 when it does not come`() throws {
        #expect(try logIn("bank", "--force").code == 0)
        let run = try authctl.onTerminal("login", "bank", "-u", "ann", "--force")
        try run.answer("Password for ann: ", "correct horse\r")
        try run.pty.wait(for: "Approve the login on your other device")
        #expect(try run.end() == .exited(0))
        #expect(run.lines.contains { $0.hasSuffix("as ann.") })
        let late = try authctl.onTerminal("login", "bank", "-u", "ann", "--force", "--prompt-timeout", "1")
        try late.answer("Password for ann: ", "correct horse\r")
        #expect(try late.end() == .exited(13))
    }
}
