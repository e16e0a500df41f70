import Foundation
@testable import LoginTestSupport
import Testing

/// The fixture of a real httpd, asked by curl.
@Suite(.onOwnThreads, RealServer.require("apache2")) struct `A real httpd` {
    @Test func `a real httpd lets the right password in, and no other`() throws {
        let httpd = try HttpdServer(accounts: [("ann", "correct horse")])
        defer { httpd.stop() }
        let answer = try Curl("-u", "ann:correct horse", httpd.whoami)
        #expect(answer.status == 200)
        #expect(answer.json("user") == "ann")
        let refused = try Curl("-u", "ann:wrong", httpd.whoami)
        #expect(refused.status == 401)
        #expect(refused.headers["www-authenticate"] == "Basic realm=\"Real httpd\"")
        #expect(try Curl(httpd.whoami).status == 401)
        #expect(try Curl(httpd.open).status == 200)
    }

    @Test func `a real httpd takes passwords with colons, UTF-8 and blanks at the ends`() throws {
        let accounts = [("bob", "pä:ss%wörd&+\"\\ünïcode"), ("zoë müller@wire", "  blank ends ")]
        let httpd = try HttpdServer(accounts: accounts)
        defer { httpd.stop() }
        for (user, password) in accounts {
            #expect(try Curl("-u", "\(user):\(password)", httpd.whoami).json("user") == user)
        }
    }

    @Test func `a real httpd sends a realm full of escapes: what httpd lets through itself, and the rest by a script`()
        throws
    {
        let polite = "a \"quoted\" \\ realm \u{202E}\u{9B}31m"
        let httpd = try HttpdServer(realm: polite, accounts: [("ann", "correct horse")])
        defer { httpd.stop() }
        let header = try #require(try Curl(httpd.whoami).headers["www-authenticate"])
        #expect(header.contains("\u{202E}\u{9B}31m"))
        let wild = "\u{1B}]0;owned\u{7}\u{1B}[31m %s \\x \u{8}realm"
        let other = try HttpdServer(realm: wild, accounts: [("ann", "correct horse")])
        defer { other.stop() }
        #expect(try Curl(other.whoami).status == 500)
        let raw = try Curl(other.rawRealm)
        #expect(raw.status == 401)
        #expect(raw.headers["www-authenticate"] == "Basic realm=\"\(wild)\"")
    }

    @Test func `a real httpd logs who asked and whether credentials were sent, but not the credentials`() throws {
        let httpd = try HttpdServer(accounts: [("ann", "correct horse")])
        defer { httpd.stop() }
        _ = try Curl(httpd.whoami)
        _ = try Curl("-u", "ann:correct horse", httpd.whoami)
        let seen = try httpd.accesses(expecting: 2)
        #expect(seen.map(\.user) == [nil, "ann"])
        #expect(seen.map(\.scheme) == [nil, "Basic"])
        #expect(seen.map(\.path) == ["/private/whoami.json", "/private/whoami.json"])
        #expect(seen.map(\.status) == [401, 200])
        try LeakSweep(secrets: [], pairs: [("ann", "correct horse")]).expectClean(["logs": httpd.logs])
    }

    @Test func `a real httpd is gone after its end`() throws {
        let httpd = try HttpdServer(accounts: [("ann", "correct horse")])
        // Until then it keeps the port from others.
        defer { withExtendedLifetime(httpd) {} }
        httpd.stop()
        let failure = #expect(throws: Curl.Failure.self) { try Curl(httpd.open) }
        #expect(failure?.status == 7)
    }
}
