@testable import LoginTestSupport
import Testing

/// The page where a person can register, at a terminal.
@Suite struct `A service to register at` {
    @Test func `the page to register at is named with the first question alone`() throws {
        let demo = try DemoBackendProcess()
        defer { demo.stop() }
        let authctl = try Installation(
            config: """
                [profiles.notes]
                url    = "\(demo.origin)/"
                method = "cookie"
                signup = "/register?from=authctl"
                login  = { post = "/users/login", json = { name = "{username}", password = "{password}" } }

                """)
        let run = try authctl.onTerminal("login", "notes", "-u", "ann")
        try run.answer("Password for ann: ", "wrong\r").answer("Password for ann: ", "correct horse\r")
        #expect(try run.end() == .exited(0))
        let line = "No account yet? Sign up at \(demo.origin)/register?from=authctl"
        #expect(run.lines.filter { $0 == line }.count == 1)
    }
}
