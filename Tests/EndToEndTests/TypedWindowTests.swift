import Foundation
@testable import LoginTestSupport
import Testing

/// Logins in a window on a screen, in which somebody types: nothing of a site logs in by itself here.
@Suite(
    .onOwnThreads, Thoroughness.isNeeded, RealServer.require("chromium"), RealServer.require("Xvfb"),
    RealServer.require("xdotool"))
struct `A window in which a person types` {
    /// Root has no sandbox.
    private static let browser = "chromium --no-sandbox --disable-gpu --disable-dev-shm-usage"

    private func begin(
        _ authctl: Installation, _ profile: String, on screen: Screen, _ more: String...
    ) throws -> TerminalRun {
        try authctl.onTerminal(
            ["login", profile, "--browser", Self.browser] + more, environment: ["DISPLAY": screen.display])
    }

    /// Logs in by what is typed, which waits so many seconds once a page has its title: the form comes later, and takes the
    /// focus when it does. Where the machine is busy a key gets lost now and then; a person would begin again then, and so
    /// does this.
    private func logIn(
        _ authctl: Installation, _ profile: String, on screen: Screen, _ type: (_ pause: UInt32) throws -> Void
    ) throws {
        for pause in [3, 8, 15, 30] as [UInt32] {
            let run = try begin(authctl, profile, on: screen)
            try type(pause)
            if let ending = try? run.pty.waitForEnd(within: 60) {
                return #expect(ending == .exited(0), "\(run.pty.text)")
            }
            run.pty.type("\u{3}")
            _ = try run.end()
        }
        Issue.record("not logged in by four tries")
    }

    private func left(_ authctl: Installation) -> [String] {
        let found = try? FileManager.default.contentsOfDirectory(atPath: authctl.state + "/run")
        return (found ?? []).filter { $0.hasPrefix("browser-") }
    }

    @Test func `logs in at a provider on another origin, after a wrong password`() throws {
        let screen = try Screen(), sites = try SingleSignOn(isAutomatic: false)
        let authctl = try Installation(config: sites.profile(.wiki))
        try logIn(authctl, "wiki", on: screen) { pause in
            try screen.focus("Log in")
            sleep(pause)
            try screen.typeIn("ann", "wrong horse")
            // A lost key left the window where it was: the next try begins at its first page again.
            guard (try? screen.focus("Try again", within: 30)) != nil else { return }
            try screen.typeIn("ann", "correct horse")
        }
        #expect(try authctl.run("whoami", "wiki").output == "ann\n")
        #expect(left(authctl).isEmpty)
    }

    @Test(RealServer.require("php"), RealServer.requireDebian(with: "simplesamlphp"))
    func `logs in by SAML, writes, logs in again once the session has ended, and logs out`() throws {
        let screen = try Screen(), sites = try SAMLSites()
        let authctl = try Installation(config: sites.profile)
        for isFirst in [true, false] {
            try logIn(authctl, "saml", on: screen) { pause in
                try screen.focus("username and password")
                sleep(pause)
                guard isFirst, !sites.hasRefused else { return try screen.typeIn("ada", SAMLSites.password) }
                try screen.typeIn("ada", "wrong horse")
                guard eventually(within: 30, { sites.hasRefused }) else { return }
                // The page comes with the name in its place and the password next; its title stays.
                sleep(pause)
                try screen.type(SAMLSites.password)
                try screen.press("Return")
            }
            #expect(try authctl.run("whoami", "saml").output == "ada\n")
            let write = try authctl.run("request", "POST", "/notes", "-P", "saml", "-d", "hello")
            #expect(write.code == 0 && write.output.contains("saved"), "\(write.error)")
            if isFirst {
                try sites.endSessions()
                #expect(try authctl.run("whoami", "saml").code == 4)
            }
        }
        #expect(try authctl.run("logout", "saml").code == 0)
        #expect(try authctl.run("whoami", "saml").code == 4)
        #expect(left(authctl).isEmpty)
    }

    @Test(PresetServer.required)
    func `logs in by OpenID Connect to an Apache httpd, logs in again once the session has ended, and logs out`() throws
    {
        let screen = try Screen(), port = try FreePort.next(), site = "http://localhost:\(port)"
        let provider = try PresetServer("lemonldap-ng-oidc", "\(site)/private/back", ready: "/")
        let httpd = try HttpdSite(host: "localhost", port: port, modules: ["auth_openidc"], pages: ["private"]) { _ in
            """
            OIDCProviderMetadataURL http://127.0.0.1:\(provider.port)/.well-known/openid-configuration
            OIDCClientID site
            OIDCClientSecret \(PresetServer.password)
            OIDCRedirectURI \(site)/private/back
            OIDCCryptoPassphrase \(UUID().uuidString)
            OIDCRemoteUserClaim sub
            <Location /private>
                AuthType openid-connect
                Require valid-user
            </Location>

            """
        }
        let authctl = try Installation(
            config: """
                [profiles.apache]
                url = "\(site)"
                method = "browser"
                verify = { get = "/private/whoami.json", username = "/user" }
                login = { page = "/private/" }
                logout = { get = "/private/back?logout=\(site)/up.txt" }

                """)
        #expect(try authctl.run("whoami", "apache").code == 4)
        for isFirst in [true, false] {
            try logIn(authctl, "apache", on: screen) { pause in
                try screen.focus("Authentication portal")
                // In between come scripts that the portal is slow to say it does not have.
                sleep(2 + pause)
                try screen.typeIn("ada", PresetServer.password)
            }
            #expect(try authctl.run("whoami", "apache").output.hasPrefix("ada"), "\(httpd.logs)")
            if isFirst {
                _ = try authctl.run("request", "-P", "apache", "/private/back?logout=\(site)/up.txt")
                #expect(try authctl.run("whoami", "apache").code == 4)
            }
        }
        #expect(try authctl.run("logout", "apache").code == 0)
        #expect(try authctl.run("whoami", "apache").code == 4)
        #expect(left(authctl).isEmpty)
    }

    @Test func `ends the login where it is closed, with 5 and nothing left`() throws {
        let screen = try Screen(), sites = try SingleSignOn(isAutomatic: false)
        let authctl = try Installation(config: sites.profile(.wiki))
        let run = try begin(authctl, "wiki", on: screen)
        try screen.focus("Log in")
        for _ in 1...3 {
            try screen.press("ctrl+w")
            if (try? run.pty.waitForEnd(within: 20)) != nil { break }
        }
        #expect(try run.end() == .exited(5), "\(run.pty.text)")
        #expect(left(authctl).isEmpty)
    }

    @Test func `ends by Ctrl-C in the middle of a password, and when the time is over with 13`() throws {
        let screen = try Screen(), sites = try SingleSignOn(isAutomatic: false)
        let authctl = try Installation(config: sites.profile(.wiki))
        let run = try begin(authctl, "wiki", on: screen)
        try screen.focus("Log in")
        try screen.type("ann\tcorrect ho")
        run.pty.type("\u{3}")
        #expect(try run.end() == .signalled(SIGINT))
        let late = try begin(authctl, "wiki", on: screen, "--prompt-timeout", "8")
        #expect(try late.end() == .exited(13), "\(late.pty.text)")
        #expect(left(authctl).isEmpty)
    }
}

extension Screen {
    /// As a person fills in a form of two fields, of which the first has the focus.
    fileprivate func typeIn(_ name: String, _ password: String) throws {
        try press("ctrl+a")
        try type(name)
        try press("Tab", "ctrl+a")
        try type(password)
        try press("Return")
    }
}
