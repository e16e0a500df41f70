import Foundation
@testable import LoginTestSupport
import Testing

/// The binary against httpd's own login form, whose cookie holds the name and the password themselves.
@Suite(.onOwnThreads, RealServer.require("apache2"), RealServer.require("htpasswd"))
struct `At the login form of a real httpd` {
    static let accounts = [("ann", "correct horse"), ("bob", "p&a%s+s wörd="), ("guest", "only a guest")]

    private func logIn(
        _ authctl: Installation, _ profile: String, _ user: String, _ password: String
    ) throws -> CommandResult {
        try authctl.run("login", profile, "-u", user, "--password-stdin", input: password + "\n")
    }

    @Test(arguments: [true, false])
    func `right, wrong and forbidden are told apart, though each answers 302 with a cookie`(isEncrypted: Bool) throws {
        let httpd = try FormHttpdServer(accounts: Self.accounts, isEncrypted: isEncrypted)
        defer { httpd.stop() }
        let authctl = try Installation(
            config: httpd.profile("site") + httpd.profile("first", verify: "/first/whoami.json"))
        for (user, password) in Self.accounts.prefix(2) {
            let login = try logIn(authctl, "site", user, password)
            #expect(login.code == 0, "\(login.error)\(httpd.logs)")
            #expect(try authctl.run("whoami", "site").output == user + "\n")
            // Its cookie holds the login itself, and the server goes on accepting it.
            let logout = try authctl.run("logout", "site")
            #expect(logout.code == 15 && logout.error.contains("still accepts the session"), "\(logout.error)")
            #expect(try authctl.run("whoami", "site").code == 4)
        }
        for (user, password) in [("ann", "wrong"), ("nobody", "correct horse")] {
            let login = try logIn(authctl, "site", user, password)
            #expect(login.code == 3, "\(login.error)")
        }
        #expect(try authctl.keptSecrets().isEmpty)
        // The guest's password is good, and this httpd says so.
        #expect(try logIn(authctl, "first", "guest", "only a guest").code == 10)
        #expect(try logIn(authctl, "first", "guest", "wrong").code == 3)
        #expect(try logIn(authctl, "first", "ann", "correct horse").code == 0)
        try LeakSweep(secrets: Self.accounts.map(\.1)).expectClean(["logs": httpd.logs])
    }

    @Test func `a password goes out in the encoding of the page, or not at all`() throws {
        let httpd = try FormHttpdServer(accounts: Self.accounts, isEncrypted: false, isLatin1: true)
        defer { httpd.stop() }
        let authctl = try Installation(config: httpd.profile("site"))
        let (user, password) = Self.accounts[1]
        let login = try logIn(authctl, "site", user, password)
        #expect(login.code == 0, "\(login.error)\(httpd.logs)")
        let lost = try logIn(authctl, "site", "ann", "\u{2192}")
        #expect(lost.code == 2 && lost.error.contains("windows-1252"), "\(lost.error)")
    }
}
