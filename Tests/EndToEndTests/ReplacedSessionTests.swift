import Foundation
@testable import LoginTestSupport
import Testing

/// How many sessions live at the demo server after logins that were replaced, failed or interrupted.
@Suite(.onOwnThreads) struct `A session that no login has any more` {
    /// The profile with its verify.
    enum Site: String, CaseIterable {
        case blog = "/users/me"
        case chat = "/_matrix/client/v3/account/whoami"

        var profile: String { self == .blog ? "blog" : "chat" }
    }

    let demo: DemoBackendProcess
    let authctl: Installation
    let person: ScriptedPerson

    init() throws {
        demo = try DemoBackendProcess()
        let verify = #"verify = { get = "/users/me", username = "/name", logged-out = [401, 403] }"#
        let profiles = try demo.profiles().replacing(verify, with: verify + "\nlogout = { post = \"/users/logout\" }")
        authctl = try Installation(config: profiles + demo.oauthProfiles())
        authctl.givesSecretInConfig()
        person = try ScriptedPerson()
    }

    private func living(_ name: String) throws -> Int? { try demo.sessions()[name] }

    /// Lets verify answer wrongly to the first session that it sees; who asks without one comes first.
    private func order(_ fault: DemoBackendProcess.Fault, at path: String) throws {
        var fault = fault
        fault.path = path
        try demo.order(.init(path: path), fault)
    }

    /// Waits until verify is asked about a session.
    private func waitUntilAsked(_ path: String) throws {
        try #require(eventually { demo.output.components(separatedBy: "\(path)  ").count > 2 })
    }

    @Test(arguments: ["blog", "chat", "admin"])
    func `one session lives after login --force, however often, and none after logout`(profile: String) throws {
        for _ in 1...4 {
            try authctl.logIn(profile, "ann", "correct horse", "--force")
            #expect(try living(profile) == 1)
        }
        #expect(try authctl.run("whoami", profile).code == 0)
        #expect(try authctl.run("logout", profile).code == 0)
        #expect(try living(profile) == 0)
    }

    @Test(arguments: Site.allCases, [500, 403, 404])
    func `a session that verify does not accept is ended at the service`(site: Site, status: Int) throws {
        try order(.init(status: status), at: site.rawValue)
        let run = try authctl.run(
            "login", site.profile, "-u", "ann", "--password-stdin", input: "correct horse\n")
        #expect(run.code != 0, "\(run.error)")
        #expect(try living(site.profile) == 0, "\(run.error)")
    }

    @Test(arguments: Site.allCases)
    func `Ctrl-C while verify is waited for ends the session, and then the program`(site: Site) throws {
        try order(.init(delay: 60), at: site.rawValue)
        let run = try authctl.onTerminal("login", site.profile, "-u", "ann")
        try run.answer("Password for ann: ", "correct horse\r")
        try waitUntilAsked(site.rawValue)
        #expect(try living(site.profile) == 1)
        run.pty.type("\u{3}")
        #expect(try run.end() == .signalled(SIGINT))
        #expect(run.pty.settings == Pty.usualSettings && run.pty.echoes)
        #expect(try living(site.profile) == 0)
        #expect(try authctl.keptSecrets().isEmpty)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal at the question whether to try again ends the session, and then the program`(signal: Int32) throws {
        try order(.init(status: 503), at: Site.blog.rawValue)
        let run = try authctl.onTerminal("login", "blog", "-u", "ann")
        try run.answer("Password for ann: ", "correct horse\r").pty.wait(for: "Try again with the same password?")
        #expect(try living("blog") == 1)
        run.pty.child.send(signal: signal)
        #expect(try run.end() == .signalled(signal))
        #expect(run.pty.settings == Pty.usualSettings && run.pty.echoes)
        #expect(try living("blog") == 0)
    }

    @Test func `Ctrl-C before the login is answered ends the program at once`() throws {
        try demo.order(.init(path: "/users/login", delay: 60))
        let run = try authctl.onTerminal("login", "blog", "-u", "ann")
        try run.answer("Password for ann: ", "correct horse\r")
        try #require(eventually { demo.output.contains("/users/login  ") })
        let start = ContinuousClock.now
        run.pty.type("\u{3}")
        #expect(try run.end() == .signalled(SIGINT))
        // Nothing is held for as long as 5 s.
        #expect(ContinuousClock.now - start < .seconds(4))
        #expect(run.pty.settings == Pty.usualSettings && run.pty.echoes)
    }

    @Test func `one grant and one client live after logins by consent, and none after logout`() throws {
        for _ in 1...3 {
            let run = try authctl.login(["login", "pad", "--force", "--no-browser"], opening: "/authorize?") {
                _ = try person.consent(at: $0)
            }
            #expect(run.code == 0, "\(run.error)")
            #expect(try living("grants") == 1 && living("clients") == 1)
        }
        #expect(try authctl.run("logout", "pad").code == 0)
        #expect(try living("grants") == 0 && living("clients") == 0)
    }

    @Test func `Ctrl-C while verify is waited for revokes a grant`() throws {
        try order(.init(delay: 60), at: "/notes/me")
        let run = try authctl.onTerminal("login", "pad", "--browser", person.browser)
        try waitUntilAsked("/notes/me")
        #expect(try living("grants") == 1)
        run.pty.type("\u{3}")
        #expect(try run.end() == .signalled(SIGINT))
        #expect(try living("grants") == 0 && living("clients") == 0)
    }
}
