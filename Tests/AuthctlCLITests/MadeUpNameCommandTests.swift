@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// A service whose cookie and header are named after its installation, and one that wants the password in a header.
struct MadeUpNameCommandTests {
    private static let config = """
        [profiles.sync]
        url    = "https://sync.example"
        method = "cookie"
        verify = { get = "/rest/config", logged-out = [403] }

        [profiles.sync.session]
        cookies      = true
        write-header = "X-CSRF-Token-{id}: {cookie:CSRF-Token-*}"

        [[profiles.sync.login]]
        post = "/login"
        json = { username = "{username}", password = "{password}" }

        [[profiles.sync.login]]
        get  = "/meta.js"
        take = { id = ["text", '"deviceIDShort":"*"'] }

        [profiles.store]
        url    = "https://store.example"
        method = "token"
        login  = { get = "/auth/v1.0", header = ["X-Auth-User: {username}", "X-Auth-Key: {password}"], token = "header:X-Auth-Token" }
        session = { header = "X-Auth-Token: {token}" }
        verify = { get = "/v1/me" }

        """

    private func world(_ profile: String) throws -> TestWorld {
        let world = try TestWorld(config: Self.config)
        world.variables.merge(["AUTHCTL_PROFILE": profile, "AUTHCTL_USERNAME": "ann"]) { $1 }
        world.password = Secret("p w")
        return world
    }

    private let cookies: [Cookie] = [.named("sessionid", "s1"), .named("CSRF-Token-AB12", "c1")]

    @Test func `the login takes the name, and a post has the header`() throws {
        let world = try world("sync")
        let server = [
            HTTPResponse.answer(403), .answer(204, cookies: cookies),
            .answer(200, #"var metadata = {"deviceID":"AB12-CD","deviceIDShort":"AB12"};"#, cookies: cookies),
            .answer(200, cookies: cookies), .answer(403), .answer(200, cookies: cookies),
        ]
        let run = world.run("request", "POST", "/rest/scan", server: server)
        #expect(run.code == 0, "\(run.talk)")
        #expect(world.requests.last?.contains("\nX-CSRF-Token-AB12: c1") == true)
        #expect(world.requests.filter { $0.contains("X-CSRF") }.count == 1)
    }

    @Test func `two cookies that begin so are a failure, and nothing is sent`() throws {
        let world = try world("sync")
        let many = cookies + [.named("CSRF-Token-XY", "c2")]
        let server = [
            HTTPResponse.answer(403), .answer(204, cookies: many),
            .answer(200, #"{"deviceIDShort":"AB12"}"#, cookies: many),
            .answer(200, cookies: many),
        ]
        let run = world.run("request", "POST", "/rest/scan", server: server)
        #expect(run.code == 1 && run.talk.contains("several cookies for {cookie:CSRF-Token-*}"), "\(run.talk)")
        #expect(!world.requests.contains { $0.contains("/rest/scan") })
    }

    @Test(arguments: ["header = \"{id}: x\"", "header = \"{username}-X: x\"", "header = \"X {id}: x\""])
    func `the name of a header begins with text, and ends in what was taken`(line: String) throws {
        let text = Self.config.replacing("cookies      = true", with: "cookies = true\n\(line)")
        let run = try TestWorld(config: text).run("profile", "show", "sync")
        #expect(run.code == 2 && run.talk.contains("must be \"Name: value\""), "\(run.talk)")
    }

    @Test func `a password goes in a header of the login, and in no other`() throws {
        let world = try world("store")
        let server = [
            HTTPResponse.answer(401), .answer(200, headers: ["X-Auth-Token: t1"]), .answer(200), .answer(200),
        ]
        let run = world.run("request", "/v1/x", server: server)
        #expect(run.code == 0, "\(run.talk)")
        #expect(world.requests.map { $0.contains("X-Auth-Key: p w") } == [false, true, false, false])
    }

    @Test func `a password that a header cannot carry is not sent`() throws {
        let world = try world("store")
        world.password = Secret("pw ")
        let run = world.run("request", "/v1/x", server: [.answer(401)])
        #expect(run.code == 2 && run.talk.contains("a header cannot carry it"), "\(run.talk)")
        #expect(world.requests.count == 1)
    }
}
