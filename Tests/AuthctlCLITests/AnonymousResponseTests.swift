@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// A service that answers anonymous clients 403, with a profile that says nothing of that, from one command to the next.
@Suite struct `A service that sends anonymous clients away with 403` {
    private static let config = """
        [profiles.torrents]
        url    = "https://torrents.example"
        method = "cookie"
        login  = { post = "/login", form = { username = "{username}", password = "{password}" } }
        verify = { get = "/version" }

        """

    private let anonymous = HTTPResponse.answer(403)

    private func cookie(_ value: String) -> HTTPResponse { .answer(200, "Ok.", cookies: [.named("sid", value)]) }

    private func world() throws -> TestWorld {
        let world = try TestWorld(config: Self.config)
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")])
        #expect(world.run("login", server: [anonymous, cookie("one"), .answer(200), anonymous]).code == 0)
        world.person = ScriptedPerson()
        return world
    }

    @Test func `a session that has ended is 4, and a login follows`() throws {
        let world = try world()
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")])
        let run = world.run(
            "request", "POST", "/add", "-d", "x",
            server: [
                .answer(403, cookies: cookie("one").cookies), anonymous, anonymous, cookie("two"), cookie("two"),
                anonymous,
                .answer(200, "added"),
            ])
        #expect(run.code == 0 && run.output == "added", "\(run.talk)")
        world.person = ScriptedPerson()
        #expect(world.run("whoami", server: [anonymous]).code == 4)
    }

    @Test func `a request that is forbidden is 10 as long as verify takes the session`() throws {
        let world = try world()
        let run = world.run("request", "POST", "/add", "-d", "x", server: [.answer(403), .answer(200)])
        #expect(run.code == 10, "\(run.talk)")
    }

    @Test func `A password that nothing has judged is 2, and may be typed again`() throws {
        let answers = [anonymous, .answer(200, "Fails."), anonymous]
        for (retry, code) in [([false], Int32(2)), ([true, false], 2)] {
            let world = try TestWorld(config: Self.config)
            world.person = ScriptedPerson(
                retry.map { _ in ScriptedPerson.types("ann", "no") }, retry: retry)
            let run = world.run(
                "login", "--max-attempts", "2", server: answers + (retry.count > 1 ? Array(answers.dropFirst()) : []))
            #expect(run.code == code, "\(run.talk)")
            #expect(world.person.prompt.challenges.allSatisfy { $0.attempt == 1 && $0.previousFailureCount == 0 })
        }
    }
}
