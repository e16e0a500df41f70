@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// What is said of the end of a session that authctl refreshes by itself.
struct RefreshWordsTests {
    private static let config = """
        [profiles.chat]
        url = "https://chat.example"
        method = "token"
        verify = { get = "/me", username = "/name" }
        refresh = { post = "/again", form = { r = "{refresh-token}" } }
        login = { post = "/in", form = { u = "{username}", p = "{password}" }, token = "/t", refresh-token = "/r", expires-in = "/e" }
        """

    private func logIn(_ answer: String) throws -> (world: TestWorld, login: Run) {
        let world = try TestWorld(config: Self.config)
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "hunter22")])
        let run = world.run(
            "login", "chat", "--store", "plaintext",
            server: [.answer(401), .answer(200, answer), .answer(200, "{\"name\": \"ann\"}")])
        #expect(run.code == 0, "\(run.talk)")
        world.person = ScriptedPerson()
        return (world, run)
    }

    @Test func `a session with a refresh token refreshes, before its end and after it`() throws {
        let tokens = "{\"t\": \"tok\", \"r\": \"ref\", \"e\": 3}"
        let (world, _) = try logIn(tokens)
        for wait: Int64 in [0, 5] {
            world.now += wait
            let answers = (wait == 0 ? [] : [tokens]) + ["{\"name\": \"ann\"}"]
            let run = world.run("status", "chat", server: answers.map { .answer(200, $0) })
            #expect(run.code == 0 && run.output.contains("renews   verified"), "\(run.output)")
        }
        let json = world.run("status", "chat", "--json", server: [.answer(200, "{\"name\": \"ann\"}")])
        #expect(json.output.contains("\"renews\" : true"))
    }

    @Test func `one without has an end, and is called expired after it`() throws {
        let (world, _) = try logIn("{\"t\": \"tok\", \"e\": 300}")
        let before = world.run("status", "chat", "--offline")
        #expect(before.code == 0 && before.output.contains("5 minutes"), "\(before.output)")
        world.now += 400
        let after = world.run("status", "chat", "--offline")
        #expect(after.code == 4 && after.output.contains("expired") && !after.output.contains("renews"))
    }
}
