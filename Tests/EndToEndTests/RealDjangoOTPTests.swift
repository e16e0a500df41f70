@testable import LoginTestSupport
import Testing

/// The binary against the admin of a real Django whose users have a second factor (django-otp): password and code go to the same
/// address, the second time with what the answer's own form has.
@Suite(.onOwnThreads, RealServer.requirePython("django_otp"), RealServer.require("openssl"))
final class `At a Django with a second factor` {
    private let django: DjangoServer
    private let authctl: Installation

    init() throws {
        django = try DjangoServer(
            users: [.init("ann", "correct horse", codes: ["248163", "907214", "335518"]), .init("bob", "no phone")],
            isSecure: true)
        authctl = try Installation(
            config: """
                [profiles.site]
                url     = "\(django.origin)"
                method  = "cookie"
                ca-file = "\(django.certificate ?? "")"
                keep-password = true
                verify  = { get = "/admin/", logged-out = [{ status = 302, "header:Location" = "/admin/login/*" }] }
                [[profiles.site.login]]
                page    = "/admin/login/"
                post    = "/admin/login/"
                form    = { username = "{username}", password = "{password}" }
                take    = { device = "form:otp_device" }
                second-factor = [{ status = 200, "form:otp_device" = "*" }]
                refused = [200]
                message = ["text", '<p class="errornote">*</p>']
                [[profiles.site.login]]
                post    = "/admin/login/"
                form    = { username = "{username}", password = "{password}", otp_device = "{device}", otp_token = "{otp}" }
                refused = [200]
                message = ["text", '<p class="errornote">*</p>']

                """)
    }

    deinit { django.stop() }

    private func logIn(_ user: String, _ password: String, code: String? = nil, _ more: String...) throws
        -> CommandResult
    {
        var environment = ["AUTHCTL_PASSWORD": password, "AUTHCTL_PROFILE": "site"]
        environment["AUTHCTL_OTP"] = code
        return try authctl.run(["login", "site", "-u", user] + more, environment: environment)
    }

    @Test func `the right code logs in, and a code is good once`() throws {
        let login = try logIn("ann", "correct horse", code: "248163")
        #expect(login.code == 0, "\(login.error)")
        #expect(try authctl.run("whoami", "site").output == "ann\n")
        // Verify without cookies and with the page's, the page once more, then what its own answer has: the token against forged
        // requests, and the device.
        #expect(
            Array(django.requests.prefix(6)) == [
                "GET /admin/ 302", "GET /admin/login/ 200", "GET /admin/ 302", "GET /admin/login/ 200",
                "POST /admin/login/ 200", "POST /admin/login/ 302",
            ], "\(django.requests)")
        let again = try logIn("ann", "correct horse", code: "248163", "--force")
        #expect(again.code == 9, "\(again.error)")
        #expect(again.error.contains("the server refused the code of the second factor"))
        #expect(!again.error.contains("248163") && !again.error.contains("horse"))
    }

    @Test func `wrong three times is 9, and its own words are shown`() throws {
        let run = try authctl.onTerminal("login", "site", "-u", "ann")
        try run.answer("Password for ann: ", "correct horse\r")
        try run.answer("Code: ", "000000\r")
        try run.pty.wait(for: "The server says: \"Invalid token.")
        // It locks the device for a while then, and says so.
        for _ in 0..<2 { try run.answer("Code: ", "000000\r") }
        #expect(try run.end() == .exited(9))
        #expect(!run.pty.text.contains("000000") && !run.pty.text.contains("horse"))
    }

    @Test func `a wrong password is no second factor, and neither is none`() throws {
        #expect(try logIn("ann", "wrong", code: "248163").code == 3)
        let none = try logIn("ann", "correct horse")
        #expect(none.code == 9)
        #expect(none.error.contains("missing: code"))
        let program = try logIn("ann", "correct horse", "--otp-command", "printf 907214")
        #expect(program.code == 0, "\(program.error)")
    }

    @Test func `the password that is kept meets the second factor, and stays`() throws {
        #expect(try logIn("ann", "correct horse", code: "248163").code == 0)
        try django.endSessions()
        #expect(try authctl.run(["request", "GET", "/admin/", "-P", "site"]).code == 9)
        let code = ["AUTHCTL_OTP": "335518", "AUTHCTL_PROFILE": "site"]
        let again = try authctl.run(["request", "GET", "/admin/", "-P", "site"], environment: code)
        #expect(again.code == 0, "\(again.error)")
        #expect(again.output.contains("Site administration"))
    }
}
