import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Synchronization
import Testing

/// What the rules let through, what a person is asked, and what the log gets: all of it but the sockets.
struct RequestReviewTests {
    /// Keeps what it is told, and may fail.
    private final class Log: ServeLog {
        let lines = Mutex<[String]>([])
        let entries = Mutex<[ServeLogEntry]>([])
        let isBroken = Mutex(false)

        func began(_ entry: ServeLogEntry) throws(LoginFault) {
            if isBroken.withLock({ $0 }) { throw .failure(.other("full")) }
            let rule = entry.rule.map { " by \($0)" } ?? ""
            let text = "\(entry.method) \(entry.path) \(entry.query) \(entry.decision.rawValue)\(rule)"
            lines.withLock { $0.append(text) }
            entries.withLock { $0.append(entry) }
        }

        func ended(_ end: ServeLogEnd) throws(LoginFault) {
            let text = "\(end.status.map(String.init) ?? "-") \(end.sent) \(end.received)"
            lines.withLock { $0.append(text) }
        }

        func warned(_ text: String) { lines.withLock { $0.append(text) } }

        var all: [String] { lines.withLock { $0 } }
    }

    /// Answers by a script, and then with no.
    private final class Approver: ServeApprover {
        let answers: Mutex<[ServeAnswer]>
        let questions = Mutex<[ServeQuestion]>([])

        init(_ answers: ServeAnswer...) {
            self.answers = Mutex(answers)
        }

        func answer(to question: ServeQuestion, unless isWithdrawn: () -> Bool) -> ServeAnswer {
            questions.withLock { $0.append(question) }
            return answers.withLock { $0.isEmpty ? .no : $0.removeFirst() }
        }
    }

    private static func limits(
        allow: [String] = [], ask: [String] = [], deny: [String] = [], log: Log? = nil, approver: Approver? = nil
    ) throws -> ServeLimits {
        let set = ServeRuleSet(
            allow: try allow.map { try ServeRule($0) }, ask: try ask.map { try ServeRule($0) },
            deny: try deny.map { try ServeRule($0) })
        var limits = ServeLimits()
        (limits.rules, limits.command, limits.log, limits.approver) = (ServeRules([set]), "agent", log, approver)
        return limits
    }

    /// A login to `shop` with the token `t-12345678901234`, or by Basic to `wire`.
    private func scene(
        _ limits: ServeLimits, _ server: [HTTPResponse] = [], of profile: String = "shop",
        _ body: (ServedScene, TestWorld) throws -> Void
    ) throws {
        let basic = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"r\""])
        let login =
            profile == "shop"
            ? [HTTPResponse.answer(401), ServedScene.issued("t-12345678901234", "r-1"), ServedScene.me]
            : [basic, .answer(200)]
        try ServedScene.play(profile, login: login, limits: limits, server, body)
    }

    private func sent(_ world: TestWorld) -> [String] {
        world.requests.map { String($0.prefix { $0 != "\n" }).replacing("https://shop.example", with: "") }
    }

    @Test func `a request that no rule names is refused in JSON, and nothing is sent`() throws {
        let limits = try Self.limits(allow: ["GET,HEAD /v1/**", "POST /v1/items"])
        try scene(limits, [.answer(200, "yes")]) { (scene, world) throws in
            let got = try scene.send("DELETE", "/v1/items?x=y", body: "long", isChunked: true)
            #expect(got.status == 403 && got.isWhole)
            #expect(got.fields == ["Content-Type: application/json", "Cache-Control: no-store"])
            let expected = """
                {"error":{"code":"not-allowed","message":"no rule allows DELETE /v1/items","method":"DELETE",\
                "path":"/v1/items","allowed":["GET,HEAD /v1/**","POST /v1/items"]}}\n
                """
            #expect(got.body == expected)
            #expect(world.requests.isEmpty)
            #expect(try scene.send("GET", "/v1/items").body == "yes")
            #expect(sent(world) == ["GET /v1/items"])
        }
    }

    @Test(arguments: [
        ("GET", "/v1/a/../b", "", 400, "ambiguous-path"), ("GET", "/v1//b", "", 400, "ambiguous-path"),
        ("GET", "/v1/b?_method=DELETE", "", 400, "override"), ("POST", "/v1/b", "_method=DELETE", 403, "not-allowed"),
        ("POST", "/v1/b", "_method=", 400, "override"), ("GET", "/v1/no", "", 403, "not-allowed"),
    ]) func `what rules cannot judge, or deny, is not sent`(
        method: String, target: String, body: String, status: Int, code: String
    ) throws {
        try scene(try Self.limits(allow: ["GET,POST /**"], deny: ["* /v1/NO"])) { (scene, world) throws in
            let form = [("Content-Type", "application/x-www-form-urlencoded")]
            let got = try scene.send(method, target, body: body.isEmpty ? nil : body, with: form)
            #expect(got.status == status && got.body.contains("\"code\":\"\(code)\""), "\(got.body)")
            #expect(world.requests.isEmpty)
        }
    }

    @Test func `the session is not touched for what is refused`() throws {
        let world = try TestWorld(config: ServedScene.config)
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "hunter22")])
        let login = [HTTPResponse.answer(401), ServedScene.issued("t-1", "r-1"), ServedScene.me]
        #expect(world.run(["login", "shop"], server: login.map { .success($0) }).code == 0)
        world.pace = 4000
        try world.withWorld(server: [.answer(200)]) { dependencies in
            let scene = try ServedScene(dependencies, "shop", limits: Self.limits(allow: ["GET /x"]))
            #expect(try scene.send("GET", "/x").status == 200)
            #expect(try scene.send("GET", "/y").status == 403)
            #expect(world.requests.count == 1 && scene.warnings.isEmpty, "an expired session is not refreshed for it")
        }
    }

    @Test func `a body is searched and then sent as it is`() throws {
        let limits = try Self.limits(allow: ["POST,PUT /**"])
        try scene(limits, [.answer(200), .answer(200), .answer(200)]) { (scene, world) throws in
            let json = [("Content-Type", "application/json")]
            #expect(try scene.send("POST", "/v1/a", body: #"{"_method":"PUT"}"#, with: json).status == 200)
            #expect(try scene.send("POST", "/v1/b", body: #"{"_method":"DELETE"}"#, with: json).status == 403)
            let long = #"{"a":""# + String(repeating: "x", count: 300_000) + #"","_method":"DELETE"}"#
            let got = try scene.send("POST", "/v1/c", body: long, isChunked: true, with: json)
            #expect(got.status == 200, "behind 64 KiB it passes by its own method")
            #expect(world.requests.last?.hasSuffix(long) == true)
            #expect(sent(world) == ["POST /v1/a", "POST /v1/c"])
        }
    }

    @Test func `with overrides switched off bodies are not searched, and headers are`() throws {
        var limits = try Self.limits(allow: ["POST /**"])
        limits.searchesBodies = false
        try scene(limits, [.answer(200)]) { (scene, world) throws in
            let form = [("Content-Type", "application/x-www-form-urlencoded"), ("Content-Encoding", "gzip")]
            #expect(try scene.send("POST", "/v1/a", body: "_method=DELETE", with: form).status == 200)
            #expect(try scene.send("POST", "/v1/a", with: [("X-HTTP-Method-Override", "PUT")]).status == 400)
            #expect(sent(world) == ["POST /v1/a"])
        }
    }

    @Test func `a long body is asked about by HEAD only where HEAD is allowed`() throws {
        try scene(try Self.limits(allow: ["POST,HEAD /**"]), [.answer(200), .answer(200)], of: "wire") {
            (scene, world) throws in
            #expect(try scene.send("POST", "/other", body: "long", isChunked: true).status == 200)
            #expect(sent(world).map { $0.prefix(4) } == ["HEAD", "POST"])
        }
        for other in [try Self.limits(allow: ["POST /**"]), try Self.limits(allow: ["* /**"], ask: ["HEAD /**"])] {
            try scene(other, [.answer(200)], of: "wire") { (scene, world) throws in
                #expect(try scene.send("POST", "/other", body: "long", isChunked: true).status == 200)
                #expect(sent(world).map { $0.prefix(4) } == ["POST"])
                #expect(!world.requests[0].contains("basic "), "and no password goes where none was asked for")
            }
        }
    }

    @Test func `a person is asked once for each request, or once for a rule`() throws {
        let approver = Approver(.yes, .no, .yesForRule)
        let limits = try Self.limits(allow: ["GET /**"], ask: ["DELETE /v1/*", "POST /**"], approver: approver)
        let server = [HTTPResponse.answer(201), .answer(202), .answer(203), .answer(200)]
        try scene(limits, server) { (scene, world) throws in
            #expect(try scene.send("DELETE", "/v1/1").status == 201)
            let refused = try scene.send("DELETE", "/v1/2")
            #expect(refused.status == 403 && refused.body.contains("\"not-allowed\""))
            #expect(try scene.send("DELETE", "/v1/3").status == 202)
            #expect(try scene.send("DELETE", "/v1/4").status == 203, "a rule that was answered for")
            #expect(try scene.send("POST", "/v1/5").status == 403, "the other rule still asks")
            #expect(try scene.send("GET", "/v1/6").status == 200)
            #expect(
                sent(world) == ["DELETE /v1/1", "DELETE /v1/3", "DELETE /v1/4", "GET /v1/6"])
        }
        let questions = approver.questions.withLock { $0 }
        #expect(questions.map(\.url) == [1, 2, 3, 5].map { "https://shop.example/v1/\($0)" })
        #expect(questions.map(\.rule) == ["DELETE /v1/*", "DELETE /v1/*", "DELETE /v1/*", "POST /**"])
        #expect(questions.allSatisfy { $0.command == "agent" && $0.body == .none })
        #expect(Set(questions.map(\.id)).count == 4)
    }

    @Test func `an answer for a rule is one for what that rule names, letter by letter`() throws {
        let approver = Approver(.yesForRule, .yesForRule, .yesForRule, .yesForRule, .yesForRule)
        let composed = "POST /\u{E9}", decomposed = "POST /e\u{301}"
        let limits = try Self.limits(ask: ["POST /deploy", composed, decomposed], approver: approver)
        try scene(limits, (1...8).map { _ in .answer(200) }) { (scene, _) throws in
            let targets = ["/deploy", "/deploy.sh", "/%C3%A9", "/e%CC%81"]
            for target in targets + targets { #expect(try scene.send("POST", target).status == 200) }
        }
        let questions = approver.questions.withLock { $0 }
        let asked = ["/deploy", "/deploy.sh", "/%C3%A9", "/e%CC%81", "/deploy.sh"]
        #expect(questions.map(\.url) == asked.map { "https://shop.example\($0)" })
        #expect(questions.map(\.isCovered) == [true, false, true, true, false])
    }

    @Test func `a person sees the beginning of a body`() throws {
        let approver = Approver()
        let limits = try Self.limits(ask: ["POST /**"], approver: approver)
        try scene(limits) { (scene, _) throws in
            let plain = [("Content-Type", "text/plain")]
            _ = try scene.send("POST", "/v1/a", body: "a\u{1B}[2Jb\nc", with: plain)
            _ = try scene.send("POST", "/v1/a", body: String(repeating: "ä", count: 300), with: plain)
            _ = try scene.send("POST", "/v1/a", body: String(repeating: "x", count: 2000), isChunked: true, with: plain)
            _ = try scene.send("POST", "/v1/a", body: "\0\u{1}", with: [("Content-Type", "image/png\u{7}")])
        }
        #expect(
            approver.questions.withLock { $0 }.map(\.body) == [
                .text("a\u{1B}[2Jb\nc", of: 8), .text(String(repeating: "ä", count: 256), of: 600),
                .text(String(repeating: "x", count: 512), of: nil), .other(type: "image/png\\u{7}", of: 2),
            ])
    }

    /// A request whose body comes a piece at a time.
    private func slowCall(_ fields: (String, String)...) -> ServerCall {
        let plain = [ServedField("Content-Type", "text/plain")] + fields.map { ServedField($0.0, $0.1) }
        return ServerCall(ServedHead(method: "POST", target: "/x", fields: plain), target: "/x", socket: -1)
    }

    private func review(_ limits: ServeLimits) -> RequestReview {
        let origin = Origin(scheme: "https", host: "shop.example", port: 443)
        let headers = ServedHeaders(root: "http://127.0.0.1:40404/5e63e7", origin: origin, rule: SessionRule())
        return RequestReview(limits, headers, origin)
    }

    @Test(arguments: [("Content-Length", "35"), ("Transfer-Encoding", "chunked")])
    func `a body is asked about only when what is shown of it has come`(name: String, value: String) throws {
        let approver = Approver(.yes), call = slowCall((name, value))
        Thread {
            for piece in ["amount=1&to=ann", "&amount=1000&to=mal"] {
                usleep(100_000)
                Array(piece.utf8).withUnsafeBytes { _ = call.body.write($0) }
                call.body.flush()
            }
            usleep(100_000)
            call.body.finish()
        }.start()
        let result = review(try Self.limits(ask: ["POST /**"], approver: approver)).review(call) { RepeatedSecrets() }
        #expect(result.objection == nil)
        let body = ServeQuestion.Body.text("amount=1&to=ann&amount=1000&to=mal", of: 34)
        #expect(approver.questions.withLock { $0 }.map(\.body) == [body])
    }

    @Test func `what has not come of the part that is shown cannot be approved`() throws {
        let approver = Approver(.yes), call = slowCall(("Content-Length", "35"))
        Array("amount=1&to=ann".utf8).withUnsafeBytes { _ = call.body.write($0) }
        call.body.flush()
        var limits = try Self.limits(ask: ["POST /**"], approver: approver)
        limits.bodyPatience = .milliseconds(100)
        let rule = try ServeRule("POST /**")
        #expect(review(limits).review(call) { RepeatedSecrets() }.objection == .lateBody(rule))
        #expect(approver.questions.withLock { $0 }.isEmpty)
        let refused = RefusedRequest(objection: .lateBody(rule), method: "POST", path: "/x", allowed: [])
        #expect(refused.text.contains("\"needs-approval\"") && refused.text.contains("did not come in time"))
    }

    @Test func `without anybody who answers a request is refused with a code of its own`() throws {
        let limits = [
            try Self.limits(ask: ["* /**"]), try Self.limits(ask: ["* /**"], approver: Approver(.timedOut)),
        ]
        for limits in limits {
            try scene(limits) { (scene, world) throws in
                let got = try scene.send("GET", "/v1/a")
                #expect(got.status == 403 && got.body.contains("\"needs-approval\""))
                #expect(world.requests.isEmpty)
            }
        }
    }

    @Test func `the log has a line before each request and one after it, also of those that are refused`() throws {
        let log = Log()
        let limits = try Self.limits(
            allow: ["* /v1/**"], ask: ["PUT /**"], deny: ["DELETE /**"], log: log, approver: Approver(.yes))
        let server = [HTTPResponse.answer(201, "made"), .answer(204)]
        try scene(limits, server) { (scene, world) throws in
            _ = try scene.send("POST", "/v1/a?b=secret&c&d=", body: "12345")
            _ = try scene.send("PUT", "/v1/a")
            _ = try scene.send("PUT", "/v1/a")
            _ = try scene.send("DELETE", "/v1/a")
            _ = try scene.send("GET", "/v1/a//b")
            _ = try scene.send("GET", "/v1/t-12345678901234/x?t-12345678901234=1")
            #expect(world.requests.count == 3)
        }
        #expect(
            log.all == [
                "POST /v1/a [\"b\", \"***\", \"d\"] allowed by * /v1/**", "201 5 4",
                "PUT /v1/a [] asked-yes by PUT /**", "204 0 0", "PUT /v1/a [] asked-no by PUT /**", "403 0 0",
                "DELETE /v1/a [] refused by DELETE /**", "403 0 0", "GET /v1/a//b [] refused", "400 0 0",
                "GET /v1/***/x [\"***\"] allowed by * /v1/**", "502 0 0",
            ])
    }

    @Test(arguments: [
        ("hunter22", "GET", "/v1/***/x", "***"), ("hun%7456er22", "GET", "/v1/hun%7456er22/x", "hun"),
        ("hun%74er22", "GET", "/v1/***/x", "***"), ("xhunter22", "GET", "/v1/***/x", "***"),
        ("YW5uOmh1bnRlcjIy", "GET", "/v1/***/x", "***"), ("aHVudGVyMjI", "GET", "/v1/***/x", "***"),
        ("hunter", "hunter22", "/v1/hunter/x", "hunter"),
    ])
    func `the log has no password, wherever the command writes it`(
        text: String, method: String, path: String, name: String
    ) throws {
        let log = Log()
        try scene(try Self.limits(log: log), of: "wire") { (scene, _) throws in
            _ = try scene.send(method, "/v1/\(text)/x?\(text)=1&a=hunter22")
        }
        let entry = try #require(log.entries.withLock { $0 }.first)
        #expect(entry.path == path && entry.query == [name, "a"], "\(entry)")
        #expect(entry.method == (method == "GET" ? "GET" : "***"))
    }

    @Test func `the log says why a request was not sent, with the member of the body that was the reason`() throws {
        let log = Log()
        let limits = try Self.limits(allow: ["POST /**"], ask: ["PUT /**"], log: log, approver: Approver(.no))
        try scene(limits) { (scene, _) throws in
            let form = [("Content-Type", "application/x-www-form-urlencoded")]
            _ = try scene.send("POST", "/v1/a", body: "_method=DELETE", with: form)
            _ = try scene.send("POST", "/v1/a?%5Fmethod=DELETE")
            _ = try scene.send("POST", "/v1/a", body: "_method=", with: form)
            _ = try scene.send("DELETE", "/v1/a")
            _ = try scene.send("PUT", "/v1/a")
            _ = try scene.send("GET", "/v1//a")
        }
        let reasons = log.entries.withLock { $0.map { $0.reason ?? "" } }
        #expect(reasons.count == 6 && reasons.prefix(3).allSatisfy { $0.contains("'_method'") }, "\(reasons)")
        #expect(reasons[0].hasSuffix("no rule allows DELETE /v1/a") && reasons[3] == "no rule allows DELETE /v1/a")
        #expect(reasons[4].contains("refused") && reasons[5].contains("different ways"), "\(reasons)")
    }

    @Test func `a line of the log is bounded, whatever the request`() throws {
        let log = Log()
        var limits = ServeLimits()
        limits.log = log
        let long = String(repeating: "ab/", count: 100_000)
        try scene(limits, [.answer(200)]) { (scene, _) throws in
            let query = (1...500).map { "name\($0)\(long.prefix(1000))=1" }.joined(separator: "&")
            _ = try scene.send(String(repeating: "M", count: 5000), "/v1/\(long)?\(query)")
        }
        let entry = try #require(log.entries.withLock { $0.first })
        #expect(entry.path.hasPrefix("/v1/ab/ab/") && entry.path.hasSuffix("…") && entry.path.utf8.count < 4200)
        #expect(entry.query.count == 100 && entry.query.allSatisfy { $0.utf8.count < 210 && $0.hasSuffix("…") })
        let line = ServeLogLine.began(entry, time: 1, origin: .init(profile: "p", account: "a", pid: 1)).text
        #expect(line.utf8.count < 32_000)
    }

    @Test func `the manual has the members that are searched for, and no others`() throws {
        let page = try String(contentsOfFile: Repository.path + "/man/authctl-exec.1", encoding: .utf8)
        let lines = page.split(separator: "\n").map(String.init)
        let place = try #require(lines.firstIndex { $0.hasSuffix("a member of one of these names:") })
        let listed = lines[place + 1].dropFirst(".Li ".count).split { " ,.".contains($0) }.map(String.init)
        #expect(listed == ServedBody.overrides)
    }

    @Test func `what the log cannot tell is not done, until it can`() throws {
        let log = Log()
        var limits = ServeLimits()
        limits.log = log
        try scene(limits, [.answer(200)]) { (scene, world) throws in
            log.isBroken.withLock { $0 = true }
            let got = try scene.send("GET", "/v1/a")
            #expect(got.status == 503 && got.body.contains("\"not-logged\"") && world.requests.isEmpty)
            log.isBroken.withLock { $0 = false }
            #expect(try scene.send("GET", "/v1/a").status == 200)
        }
        #expect(log.all == ["GET /v1/a [] allowed", "200 0 0"])
    }
}
