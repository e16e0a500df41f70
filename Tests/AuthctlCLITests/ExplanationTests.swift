import ArgumentParser
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// `whoami --explain` and `login --explain`.
struct ExplanationTests {
    private static let config = """
        [profiles.notes]
        url    = "https://notes.example/api"
        method = "token"
        login  = { post = "/login", json = { n = "{username}", p = "{password}" }, token = "/t", expires-in = "/s", message = "/e" }
        verify = { get = "/me", query = { view = "k3y" }, username = "/name", message = "/e" }
        """
    private static let json = "Content-Type: application/json"
    private static let asked =
        "Asked: GET https://notes.example/api/me?… with Authorization: Bearer …."
    private let welcome = HTTPResponse.answer(200, "{\"name\":\"ada\"}", headers: [json])

    /// Logged in as ada with the token `t0ken-value`, three days ago.
    private func world(
        _ config: String = config, withoutLogin: HTTPResponse = .answer(401)
    ) throws -> TestWorld {
        let world = try TestWorld(config: config)
        world.person = ScriptedPerson([ScriptedPerson.types("ada", "hunter22")])
        let token = HTTPResponse.answer(200, "{\"t\": \"t0ken-value\", \"s\": 260400}")
        let run = world.run("login", "notes", server: [withoutLogin, token, welcome])
        #expect(run.code == 0, "\(run.talk)")
        world.person = ScriptedPerson()
        world.now += 259_200
        return world
    }

    private func explain(_ answer: Result<HTTPResponse, LoginFault>, _ more: String...) throws -> Run {
        let run = try world().run(["whoami", "notes", "--explain"] + more, server: [answer])
        #expect(run.talk.isEmpty, "\(run.talk)")
        return run
    }

    private func explain(_ answer: HTTPResponse) throws -> Run { try explain(.success(answer)) }

    @Test(arguments: [Int64.min, .max, 67_768_036_191_676_800])
    func `times beyond all calendars are told, and end nothing`(time: Int64) throws {
        let world = try world()
        try world.withWorld { real in
            _ = try Invocation(real, try GlobalOptions.parse([])).context.registry.update { document in
                document.profiles[0].accounts[0].savedAt = time
                document.profiles[0].accounts[0].expires = time
            }
        }
        for command in [
            ["whoami", "--explain", "--offline"], ["status", "--offline"], ["token"], ["logout", "--local"],
        ] {
            #expect(world.run(command, server: []).code >= 0, "\(command)")
        }
    }

    @Test func `a good login: what was asked, what came back, by which rule`() throws {
        let run = try explain(welcome)
        #expect(run.code == 0)
        #expect(
            run.output == """
                Profile: notes (https://notes.example/api).
                Login: account ada, stored in 'plaintext' 3 days ago: a token; expires in 20 minutes; no refresh token.
                \(Self.asked)
                Answer: 200, application/json, 14 bytes.
                Rule: 200 is not a refusal and verify has no 'logged-out' rule, so: logged in.
                Name: 'username' of verify, "/name", is there.
                So: logged in as ada.

                """)
    }

    @Test func `a refusal says by what, quotes the server, and says what to do; the code stays`() throws {
        let challenge = "WWW-Authenticate: Bearer realm=\"notes\", error=\"invalid_token\""
        let run = try explain(.answer(401, "{\"e\":\"gone \\u001b[2J\"}", headers: [Self.json, challenge]))
        #expect(run.code == 4)
        #expect(run.output.contains("Answer: 401, application/json, 22 bytes, \(challenge)."), "\(run.output)")
        #expect(
            run.output.contains(
                """
                Rule: verify has no 'logged-out' rule, and 401 is a usual refusal: not logged in: the server says \
                "gone \\u{1B}[2J".
                """))
        #expect(
            run.output.hasSuffix(
                """
                So: not logged in: the server no longer accepts the stored session.
                Next: log in: authctl login notes

                """), "\(run.output)")
    }

    @Test func `a 403 for a stored session is explained by both readings`() throws {
        let run = try explain(.answer(403))
        #expect(run.code == 4)
        #expect(run.output.contains("Rule: verify has no 'forbidden' rule, and 403 usually means that: no permission."))
        #expect(
            run.output.contains(
                "answers it with 403 now: it has ended, or the account has lost its permission"))
    }

    @Test func `A response without the name proves nothing, ends nothing, and says so`() throws {
        let nameless = HTTPResponse.answer(200, "{\"user\":\"ada\"}")
        for world in [try world(), try world(withoutLogin: nameless)] {
            let run = world.run("whoami", "notes", "--explain", server: [nameless])
            #expect(run.code == 4)
            #expect(
                run.output.contains(
                    "Rule: there is no name of the person's own at \"/name\", so it proves nothing: undecided."),
                "\(run.output)")
            #expect(world.run("whoami", "notes", server: [.answer(200, "{\"name\":\"ada\"}")]).code == 0)
        }
    }

    @Test func `a redirect that no rule covers judges nothing, and its query is not shown`() throws {
        let origin = Origin(scheme: "https", host: "notes.example", port: 443)
        let target = "/in?sid=CANARY"
        let run = try explain(
            .answer(302, redirect: Redirect(url: "\(origin)\(target)", origin: origin, target: target)))
        #expect(run.code == 1 && !run.output.contains("CANARY"))
        #expect(run.output.contains("Rule: no rule of verify covers 302: neither a login nor a refusal; "))
        #expect(
            run.output.contains("So: unknown, since the login was not judged: the response to verify is a redirect"))
        #expect(run.output.contains("\"/in?…\""), "\(run.output)")
    }

    @Test func `a fault of the network or of the certificate is no answer`() throws {
        let lost = try explain(.failure(.network(.handshakeLost)))
        #expect(lost.code == 6 && lost.output.contains("\(Self.asked)\nAnswer: none.\nSo: unknown, since"))
        let plain = try explain(.failure(.untrusted(.plainHTTP)))
        #expect(plain.code == 7 && plain.output.contains("Answer: none.\nSo: unknown, since"), "\(plain.output)")
    }

    @Test func `nothing stored says where it looked, and asks nothing`() throws {
        let world = try TestWorld(config: Self.config)
        let run = world.run("whoami", "notes", "--explain")
        #expect(run.code == 4 && run.talk.isEmpty)
        #expect(run.output.contains("Login: none; no active account of this profile is in \""), "\(run.output)")
        #expect(
            run.output.contains("state.json\".\nAsked: nothing; no request was sent.\nSo: not logged in.")
        )
        let other = try self.world().run("whoami", "notes", "--explain", "-u", "bob")
        #expect(other.code == 4 && other.output.contains("Login: none; no account \"bob\" of this profile"))
    }

    @Test func `an expired login says since when`() throws {
        let world = try world()
        world.now += 4800
        let run = world.run("whoami", "notes", "--explain", server: [.answer(401)])
        #expect(run.code == 4 && run.output.contains("a token; expired 60 minutes ago; no"), "\(run.output)")
        #expect(run.output.contains("So: not logged in: "), "\(run.output)")
    }

    @Test(arguments: ["t0ken-value", "dDBrZW4tdmFs", "%740ken-value"])
    func `what the server repeats of a secret is not shown`(repeated: String) throws {
        let challenge = "WWW-Authenticate: Bearer realm=\"\(repeated)\""
        let answers = [
            HTTPResponse.answer(200, "{\"name\":\"\(repeated)\"}", headers: ["Content-Type: \(repeated)"]),
            .answer(401, "{\"e\":\"\(repeated)\"}", headers: [challenge]), .answer(403, "{\"e\":\"\(repeated)\"}"),
            .answer(500, "{\"e\":\"\(repeated)\"}"), .answer(404, "{\"e\":\"\(repeated)\"}"),
        ]
        for answer in answers {
            for more in [[], ["--json"]] {
                let run = try world().run(["whoami", "notes", "--explain"] + more, server: [.success(answer)])
                #expect(!(run.output + run.talk).contains(repeated), "\(run.output)")
                #expect(!run.output.contains("t0ken-value") && !run.output.contains("k3y"))
            }
        }
    }

    @Test func `an explanation as JSON is one value with the same parts, also where nobody is logged in`() throws {
        let good = try explain(.success(welcome), "--json")
        #expect(good.code == 0)
        try Snapshot.expect(good.output, "json-whoami-explain")
        let refused = try explain(.success(.answer(401)), "--json")
        #expect(refused.code == 4)
        try Snapshot.expect(refused.output, "json-whoami-explain-refused")
    }

    @Test func `a profile without verify cannot be asked`() throws {
        let config = """
            [profiles.posts]
            url   = "https://posts.example"
            method = "cookie"
            login = { post = "/login", json = { name = "{username}", password = "{password}" } }
            """
        let world = try TestWorld(config: config)
        world.person = ScriptedPerson([ScriptedPerson.types("ada", "hunter22")])
        let cookie = HTTPResponse.answer(204, cookies: [.named("sid", "one")])
        #expect(world.run("login", server: [.answer(404), cookie]).code == 0)
        let run = world.run("whoami", "--explain")
        #expect(run.code == 0 && run.talk.isEmpty)
        #expect(
            run.output.hasSuffix(
                """
                Asked: nothing; no request was sent.
                Name: as stored; the profile has no verify request, so the service was not asked.
                So: a login as ada is stored; nobody knows whether the service accepts it.

                """), "\(run.output)")
    }

    @Test func `where nobody has typed a name, none is said to be as typed`() throws {
        let config = """
            [profiles.notes]
            url    = "https://notes.example"
            method = "token"
            verify = { get = "/me" }
            """
        let world = try TestWorld(config: config)
        world.person = ScriptedPerson([ScriptedPerson.pastes("t0ken-value")])
        #expect(world.run("login", "notes", server: [.answer(401), .answer(200)]).code == 0)
        let run = world.run("whoami", "--explain", server: [.answer(200)])
        #expect(
            run.output.contains(
                "Name: none was typed at login; verify has no 'username', so the service does not say it.\n"),
            "\(run.output)")
    }

    @Test func `a password that a person wrote into the URL of a profile is not shown`() throws {
        let config = Self.config.replacing("https://notes", with: "https://ada:CANARY@notes")
        let run = try TestWorld(config: config).run("whoami", "notes", "--explain")
        #expect(run.code != 0 && !(run.output + run.talk).contains("CANARY"), "\(run.output) \(run.talk)")
    }

    @Test func `--explain and --offline exclude each other`() throws {
        #expect(try world().run("whoami", "notes", "--explain", "--offline").code == 2)
    }

    @Test func `login --explain says on standard error why it failed, before the message`() throws {
        let world = try TestWorld(config: Self.config)
        world.person = ScriptedPerson([ScriptedPerson.types("ada", "hunter22")])
        let refusal = HTTPResponse.answer(401, "{\"e\": \"wrong\"}")
        let run = world.run("login", "--explain", "--max-attempts", "1", server: [.answer(401), refusal])
        #expect(run.code == 3 && run.output.isEmpty)
        #expect(
            run.talk.hasPrefix(
                """
                Profile: notes (https://notes.example/api).
                Asked: GET https://notes.example/api/me?….
                Answer: 401, 0 bytes.
                """), "\(run.talk)")
        #expect(
            run.talk.contains(
                "Asked: POST https://notes.example/api/login with Content-Type: application/json, and a body.\n"))
        #expect(
            run.talk.contains(
                """
                Rule: login has no 'refused' rule, and 401 is a usual refusal: refused: the server says "wrong".
                authctl: notes (https://notes.example): login refused (401): wrong
                """), "\(run.talk)")
        #expect(!run.talk.contains("hunter22"))
        world.person = ScriptedPerson([ScriptedPerson.types("ada", "hunter22")])
        let repeats = HTTPResponse.answer(401, "{\"e\": \"no hunter22\"}")
        let second = world.run("login", "--explain", "--max-attempts", "1", server: [.answer(401), repeats])
        #expect(second.code == 3 && !second.talk.contains("hunter22"))
    }
}
