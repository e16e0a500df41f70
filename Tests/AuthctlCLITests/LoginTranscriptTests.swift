@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// `profile test`.
struct LoginTranscriptTests {
    private static let config = """
        [profiles.blog]
        url = "https://blog.example"
        method = "cookie"
        verify = { get = "/me", username = "/name", logged-out = [401, { status = 302, "header:Location" = "/in*" }] }
        login = { post = "/in", json = { n = "{username}", p = "{password}" }, refused = [418], message = "/error" }
        logout = { post = "/out" }
        """
    private let cookie = Cookie(
        name: "sid", value: Secret("s3ss10n-value"),
        record: Secret("blog.example\tFALSE\t/\tTRUE\t0\tsid\ts3ss10n-value"),
        expires: nil)

    private func world() throws -> TestWorld {
        let world = try TestWorld(config: Self.config)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "hunter22")])
        return world
    }

    private func login() -> Redirect {
        let origin = Origin(scheme: "https", host: "blog.example", port: 443)
        return Redirect(url: "\(origin)/in?next=/me", origin: origin, target: "/in?next=/me")
    }

    private func answers() -> [HTTPResponse] {
        [
            .answer(302, redirect: login()), .answer(204, cookies: [cookie]),
            .answer(200, "{\"name\": \"Anna\"}", cookies: [cookie]), .answer(204), .answer(302, redirect: login()),
        ]
    }

    @Test func `the rules that are missing are proposed as lines to paste`() throws {
        let config = """
            [profiles.torrents]
            url    = "https://torrents.example"
            method = "cookie"
            login  = { post = "/login", form = { username = "{username}", password = "{password}" } }
            verify = { get = "/version" }
            """
        let world = try TestWorld(config: config)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "hunter22")])
        let failed = world.run("profile", "test", server: [.answer(403), .answer(403)])
        #expect(failed.code == 1)
        #expect(failed.talk.contains("Suggested rule for 'login' of torrents:\nrefused = [403]\n"), "\(failed.talk)")
        #expect(
            failed.talk.contains("Suggested rule for 'verify' of torrents:\nlogged-out = [403]\n"), "\(failed.talk)")
        let second = try TestWorld(config: config)
        second.person = ScriptedPerson([ScriptedPerson.types("anna", "hunter22")])
        let works = second.run("profile", "test", "--json", server: [.answer(403), answers()[1], .answer(200)])
        #expect(works.code == 0 && works.output.contains("logged-out = [403]"), "\(works.output)")
    }

    @Test func `a page that asks anonymous clients for a password is no login, and its field is proposed`() throws {
        let world = try TestWorld(
            config: """
                [profiles.blog]
                url    = "https://blog.example"
                method = "cookie"
                login  = { post = "/login", form = { u = "{username}", pw = "{password}" } }
                verify = { get = "/profile", logged-out = [403] }
                """)
        world.person = ScriptedPerson([])
        let page = "<form method=post><input name=u><input type=password name=pw></form>"
        let run = world.run(
            "profile", "test", "blog", server: [.answer(200, page, headers: ["Content-Type: text/html"])])
        #expect(run.code == 2)
        let proposal = "Suggested rule for 'verify' of blog:\nlogged-out = [403, { \"form:pw\" = \"*\" }]\n"
        #expect(run.talk.contains(proposal), "\(run.talk)")
    }

    @Test func `a place of the name that finds nothing is said to`() throws {
        let world = try world()
        let nameless = HTTPResponse.answer(200, "{\"nick\": \"a\"}")
        let run = world.run(
            "profile", "test", "blog", "--max-attempts", "1",
            server: [nameless, .answer(204, cookies: [cookie]), nameless])
        #expect(
            run.code == 2
                && run.output.contains("= undecided (status 200); there is no name of the person's own at \"/name\""),
            "\(run)")
    }

    @Test func `Basic that answers a wrong password with 403 is proposed a rule`() throws {
        let world = try TestWorld(
            config: """
                [profiles.packages]
                url    = "https://packages.example"
                method = "basic"
                verify = { get = "/simple/" }
                """)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "wrong")])
        let challenge = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"r\""])
        let run = world.run("profile", "test", server: [challenge, .answer(403)])
        #expect(run.code == 10, "\(run.talk)")
        let proposal = "Suggested rule for 'verify' of packages:\nlogged-out = [401, 403]\n"
        #expect(run.talk.contains(proposal), "\(run.talk)")
    }

    @Test func `a logout that proves nothing is checked, and told as it is`() throws {
        let world = try world()
        var answers = answers()
        answers.removeLast()
        answers[3] = .answer(200, "Do you want to log out?", headers: ["Content-Type: text/html"])
        let run = world.run("profile", "test", "blog", server: answers + [answers[2], answers[2]])
        let steps = run.output.split(separator: "\n").filter { !$0.hasPrefix("   ") }
        #expect(steps.suffix(3).first == "4. logout" && steps.last == "6. verify, with the ended session")
        #expect(run.code == 15 && run.talk.contains("the server still accepts the session"), "\(run.talk)")
        let second = try self.world()
        #expect(second.run("profile", "test", "blog", server: answers + [answers[0]]).code == 0)
    }

    @Test func `a login is walked step by step, told by its rules, ended, and nothing is kept`() throws {
        let world = try world()
        let run = world.run("profile", "test", "blog", server: answers())
        #expect(run.code == 0, "\(run.talk)")
        let steps = run.output.split(separator: "\n").filter { !$0.hasPrefix("   ") }
        #expect(
            steps == [
                "1. verify, without a login", "2. login", "3. verify", "4. logout", "5. verify, with the ended session",
            ])
        let judgements = run.output.split(separator: "\n").filter { $0.hasPrefix("   = ") }
        #expect(
            judgements == [
                "   = logged out (status 302), by rule 2 of 'logged-out'", "   = accepted (status 204)",
                "   = accepted (status 200)", "   = accepted (status 204)",
                "   = logged out (status 302), by rule 2 of 'logged-out'",
            ])
        #expect(run.talk.contains("The login works as Anna; nothing was stored."))
        #expect(!(run.output + run.talk).contains("hunter22") && !(run.output + run.talk).contains("s3ss10n"))
        #expect(world.run("whoami", "blog").code == 4)
        #expect(!world.home.files.contains { $0.hasPrefix("state/authctl/plaintext") })
    }

    @Test func `a walk that stops says whether there was an answer`() {
        let silent = LoginTranscript(beginsAnonymously: true)
        silent.add("> GET https://blog.example/me")
        silent.stop(.network(.handshakeLost))
        #expect(TextLook.plain.text(silent.text).hasPrefix("1. no response\n   > GET"))
        let broken = LoginTranscript(beginsAnonymously: true)
        broken.add("> GET https://blog.example/me")
        broken.add("< 200")
        broken.stop(.network(.answerTooLarge(limit: 1)))
        #expect(TextLook.plain.text(broken.text).hasPrefix("1. the last response\n"))
        let nothing = LoginTranscript(beginsAnonymously: true)
        nothing.stop(.cancelled)
        #expect(TextLook.plain.text(nothing.text).isEmpty)
    }

    @Test func `a login that is refused shows how, with the code of the login`() throws {
        let world = try world()
        let refusal = HTTPResponse.answer(418, "{\"error\": \"no such person\"}")
        let run = world.run(
            "profile", "test", "blog", "--max-attempts", "1", server: [.answer(401), refusal])
        #expect(run.code == 3)
        #expect(run.output.contains("   = logged out (status 401), by rule 1 of 'logged-out'"))
        #expect(
            run.output.contains("   = refused (status 418), by rule 1 of 'refused': the server says \"no such person\"")
        )
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "hunter22")])
        let json = world.run(
            "profile", "test", "blog", "--max-attempts", "1", "--json", server: [.answer(401), refusal])
        #expect(json.code == 3 && json.output.contains("\"rejected\"") && !json.output.contains("1. verify"))
    }

    @Test(arguments: ["hunter22", "aHVudGVy", "%68unter22", "YW5uYTpodW50ZXIy"])
    func `words of the server that repeat a secret are shown in no step and in no error`(repeated: String) throws {
        for status in [418, 400, 503] {
            let world = try world()
            let refusal = HTTPResponse.answer(status, "{\"error\": \"no anna with \(repeated)\"}")
            let run = world.run("profile", "test", "blog", "--max-attempts", "1", server: [.answer(401), refusal])
            #expect(run.code != 0 && !(run.output + run.talk).contains(repeated), "\(run.output) \(run.talk)")
        }
        let world = try world()
        let answers = Array(answers().prefix(3)) + [.answer(500, "{\"error\": \"s3ss10n-value\"}")]
        let logout = world.run("profile", "test", "blog", server: answers)
        #expect(logout.code == 15 && !(logout.output + logout.talk).contains("s3ss10n"))
    }

    @Test func `JSON holds nothing that a terminal obeys, and means the same`() throws {
        var answers = answers()
        answers[2] = .answer(200, "{\"name\": \"A\u{9B}31m\u{7F}\u{202E}ß😀\"}", cookies: [cookie])
        let run = try world().run("profile", "test", "blog", "--json", server: answers)
        #expect(run.code == 0 && run.output.contains("\"A\\u009b31m\\u007f\\u202eß😀\""), "\(run.output)")
    }

    @Test func `a login's explanation as JSON is one value`() throws {
        let run = try world().run("profile", "test", "blog", "--json", server: answers())
        #expect(run.code == 0 && run.output.contains("\"judgement\" : \"accepted (status 204)\""))
    }
}
