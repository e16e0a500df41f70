@testable import LoginKit
import Testing

/// The rules of an `exec --serve`: what they are, and what they let through.
@Suite struct `A rule of exec --serve` {
    private func fault(_ text: String) -> ServeRuleFault? {
        do throws(ServeRuleFault) {
            _ = try ServeRule(text)
            return nil
        } catch {
            return error
        }
    }

    private func rules(
        allow: [String] = [], ask: [String] = [], deny: [String] = []
    ) throws -> ServeRuleSet {
        ServeRuleSet(
            allow: try allow.map { try ServeRule($0) }, ask: try ask.map { try ServeRule($0) },
            deny: try deny.map { try ServeRule($0) })
    }

    /// `allowed`, `ask`, `refused`, or `ambiguous`.
    private func judge(_ request: String, _ sets: ServeRuleSet...) throws -> String {
        let words = request.split(separator: " ").map(String.init)
        guard let path = try? ServedPath(words[1]) else { return "ambiguous" }
        switch ServeRules(sets).decision(on: [ServedAct(method: words[0], path: path)]) {
        case .allowed: return "allowed"
        case .ask: return "ask"
        case .refused: return "refused"
        }
    }

    @Test func `a rule that denies or asks for GET means HEAD and a WebSocket, too`() throws {
        for (method, judged) in [
            ("GET", "refused"), ("HEAD", "refused"), ("WEBSOCKET", "refused"), ("POST", "allowed"),
        ] {
            #expect(try judge("\(method) /secret", rules(allow: ["* /**"], deny: ["GET /secret"])) == judged)
        }
        #expect(try judge("WEBSOCKET /x", rules(allow: ["* /**"], ask: ["GET /x"])) == "ask")
        #expect(try judge("GET /x", rules(allow: ["* /**"], deny: ["HEAD /x"])) == "allowed")
        #expect(try judge("HEAD /x", rules(allow: ["GET /x"])) == "refused", "allow is exact")
    }

    @Test(arguments: [
        "GET /", "GET /**", "* /x", "GET,HEAD,M-SEARCH /a/*/b*c*/**/d/", "WEBSOCKET /live", "GET /a%20b", "GET /%2A",
        "GET /ä", "GET /a/.b", "GET /a...b", "GET /*/", "GET /**/", "GET /.*",
    ]) func `a rule is methods, a blank and a path`(text: String) {
        #expect(fault(text) == nil)
    }

    @Test(
        arguments: [
            ("", "a rule is METHODS PATH"), ("GET", "a rule is METHODS PATH"), ("/x", "a rule is METHODS PATH"),
            ("GET ", "a rule is METHODS PATH"),
            (" /x", "a rule is METHODS PATH"), ("GET  /x", "a rule is METHODS PATH"),
            ("GET /x ", "a rule is METHODS PATH"), ("GET /x /y", "a rule is METHODS PATH"),
            ("GET\t/x", "a rule is METHODS PATH"), ("GET, /x", "\"\" is not a method"),
            (",GET /x", "\"\" is not a method"),
            ("GET;POST /x", "\"GET;POST\" is not a method"), ("G*T /x", "\"G*T\" is not a method"),
            ("*,GET /x", "\"*\" is not a method"),
            ("get /x", "methods are written in capitals, not \"get\""),
            ("GET,Post /x", "methods are written in capitals, not \"Post\""), ("GET x", "the path must begin"),
            ("GET *", "the path must begin"), ("GET https://a.example/", "the path must begin"),
            ("GET /x?a=b", "a rule compares paths only"),
            ("GET /x#a", "a rule compares paths only"), ("GET /x**", "'**' must be a whole segment"),
            ("GET /***", "'**' must be a whole segment"),
            ("GET /a/**b/c", "'**' must be a whole segment"), ("GET /%", "a '%' must be followed"),
            ("GET /%2", "a '%' must be followed"),
            ("GET /%zz", "a '%' must be followed"), ("GET /a%2Fb", "no request with the segment \"a%2Fb\" "),
            ("GET /a//b", "no request with the segment \"\" "), ("GET //", "no request with the segment \"\" "),
            ("GET /../x", "no request with the segment \"..\" "), ("GET /%2E", "no request with the segment \"%2E\" "),
            ("GET /a\\b", "no request with the segment \"a\\\\b\" "),
            ("GET /a;b", "no request with the segment \"a;b\" "),
            ("GET /%25", "no request with the segment \"%25\" "), ("GET /%00", "no request with the segment \"%00\" "),
            ("GET /%FF", "no request with the segment \"%FF\" "),
        ] as [(String, String)])
    func `anything else is no rule, and what is wrong is told`(text: String, expected: String) {
        #expect(fault(text)?.words.hasPrefix(expected) == true, "\(String(describing: fault(text)))")
    }

    @Test func `a rule is of at most 1000 bytes`() {
        #expect(fault("GET /" + String(repeating: "a", count: 995)) == nil)
        #expect(fault("GET /" + String(repeating: "a", count: 996)) == ServeRuleFault("a rule has at most 1000 bytes"))
    }

    @Test(arguments: [
        ("GET /", "GET /", true), ("GET /", "GET /x", false), ("GET /x", "GET /x", true), ("GET /x", "GET /x/", false),
        ("GET /x/", "GET /x", false), ("GET /x/", "GET /x/", true), ("GET /x", "GET /X", false),
        ("GET /x", "get /x", false), ("GET /x", "POST /x", false), ("GET,POST /x", "POST /x", true),
        ("* /x", "PURGE /x", true), ("* /x", "WEBSOCKET /x", true), ("GET /x", "WEBSOCKET /x", false),
        ("WEBSOCKET /x", "WEBSOCKET /x", true), ("WEBSOCKET /x", "GET /x", false), ("GET /x", "GET /x?y=/z", true),
        ("GET /*", "GET /x", true), ("GET /*", "GET /", false), ("GET /*", "GET /x/", false),
        ("GET /*", "GET /x/y", false), ("GET /*/", "GET /x/", true), ("GET /a*", "GET /a", true),
        ("GET /a*c", "GET /abc", true), ("GET /a*c", "GET /ac", true), ("GET /a*c", "GET /acb", false),
        ("GET /a*b*c", "GET /aXbYc", true), ("GET /a*b*c", "GET /acb", false), ("GET /a*a", "GET /a", false),
        ("GET /*ab*", "GET /aab", true), ("GET /x/**", "GET /x", true), ("GET /x/**", "GET /x/", true),
        ("GET /x/**", "GET /x/y/z", true), ("GET /x/**", "GET /xy", false), ("GET /x/**", "GET /", false),
        ("GET /**", "GET /", true), ("GET /**", "GET /a/b/", true), ("GET /**/y", "GET /y", true),
        ("GET /**/y", "GET /a/b/y", true), ("GET /**/y", "GET /a/y/b", false), ("GET /a/**/b/**/c", "GET /a/b/c", true),
        ("GET /a/**/b/**/c", "GET /a/x/b/b/x/c", true), ("GET /a/**/b/**/c", "GET /a/x/c/b", false),
        ("GET /a/**/b/**/b", "GET /a/b", false), ("GET /**/", "GET /a", false), ("GET /**/", "GET /a/", true),
        ("GET /a%20b", "GET /a%20b", true), ("GET /ä", "GET /%C3%A4", true), ("GET /%C3%A4", "GET /%c3%a4", true),
        ("GET /a\u{308}", "GET /%C3%A4", false), ("GET /%2A", "GET /*", true), ("GET /%2A", "GET /x", false),
        ("GET /abc", "GET /%61%62%63", true),
    ]) func `allow compares method and path exactly`(rule: String, request: String, passes: Bool) throws {
        #expect(try judge(request, rules(allow: [rule])) == (passes ? "allowed" : "refused"))
    }

    @Test(arguments: [
        "DELETE /admin/Users", "DELETE /Admin/users", "delete /admin/users", "DELETE /admin/users/",
        "DELETE /admin/users.json", "DELETE /admin/users.tar.gz", "DELETE /ADMIN/USERS.JSON/",
        "DELETE /admin/%55sers", "DELETE /admin%2Fusers",
    ]) func `deny and ask compare what services may take for the same path`(request: String) throws {
        let all = ["* /**"]
        #expect(try judge(request, rules(allow: all, deny: ["DELETE /admin/users"])) == "refused")
        #expect(try judge(request, rules(allow: all, ask: ["DELETE /admin/users"])) == "ask")
        #expect(try judge(request, rules(allow: all, deny: ["DELETE /Admin/USERS/"])) == "refused")
        #expect(try judge(request, rules(allow: all, deny: ["GET /admin/users"])) == "allowed")
    }

    @Test(arguments: ["DELETE /admin/user", "DELETE /admin", "DELETE /admin/users/1", "DELETE /x/admin/users"])
    func `deny leaves other paths alone`(request: String) throws {
        #expect(try judge(request, rules(allow: ["* /**"], deny: ["DELETE /admin/users"])) == "allowed")
    }

    @Test func `each reading of a path has to be asked about or allowed`() throws {
        let target = "DELETE /issues/8%2Fcomments%2F1"
        let issues = "DELETE /issues/*", comments = "DELETE /issues/*/comments/*"
        #expect(try judge(target, rules(ask: [issues])) == "refused")
        #expect(try judge(target, rules(ask: [comments])) == "refused")
        #expect(try judge(target, rules(allow: [comments], ask: [issues])) == "ask")
        #expect(try judge(target, rules(allow: [issues], ask: [comments])) == "ask")
        #expect(try judge(target, rules(allow: ["* /**"], ask: [issues], deny: [comments])) == "refused")
        let both = ServeRules([try rules(ask: [issues, comments])])
        let act = ServedAct(method: "DELETE", path: try ServedPath("/issues/8%2Fcomments%2F1"))
        let expected = ServeDecision.ask([try ServeRule(issues), try ServeRule(comments)])
        #expect(both.decision(on: [act]) == expected, "an answer for one of them is none for the other")
    }

    @Test(arguments: [
        ("POST /deploy", "POST /deploy", true), ("POST /deploy", "POST /deploy.sh", false),
        ("POST /deploy", "POST /Deploy", false), ("POST /deploy", "POST /deploy/", false),
        ("POST /deploy", "post /deploy", false), ("GET /x", "HEAD /x", false), ("GET /x", "WEBSOCKET /x", false),
        ("* /x", "WEBSOCKET /x", true), ("DELETE /a/*", "DELETE /a/b%2Fc", true),
        ("DELETE /a/*", "DELETE /A/b%2Fc", false),
    ]) func `a rule covers what it names, and nothing that merely may be taken for that`(
        rule: String, request: String, isCovered: Bool
    ) throws {
        let words = request.split(separator: " ").map(String.init)
        let act = ServedAct(method: words[0], path: try ServedPath(words[1]))
        #expect(try ServeRule(rule).covers([act]) == isCovered)
    }

    @Test func `deny comes first, then ask, then allow, and what no rule names is refused`() throws {
        let set = try rules(allow: ["* /a/**"], ask: ["* /a/b/**"], deny: ["* /a/b/c"])
        #expect(try judge("GET /a/b/c", set) == "refused")
        #expect(try judge("GET /a/b", set) == "ask")
        #expect(try judge("GET /a", set) == "allowed")
        #expect(try judge("GET /x", set) == "refused")
        #expect(try judge("GET /x", rules(deny: ["GET /y"])) == "refused", "one deny is a rule")
        #expect(try judge("GET /x", rules(ask: ["GET /x"])) == "ask")
    }

    @Test func `without any rule everything passes`() throws {
        #expect(try judge("DELETE /x", ServeRuleSet()) == "allowed")
        #expect(try judge("DELETE /x") == "allowed")
        #expect(ServeRules([ServeRuleSet()]).isEmpty)
    }

    @Test func `read only is GET, HEAD and OPTIONS anywhere`() throws {
        let set = ServeRuleSet(allow: [.readOnly])
        #expect(try ServeRule("GET,HEAD,OPTIONS /**") == .readOnly)
        for method in ["GET", "HEAD", "OPTIONS"] { #expect(try judge("\(method) /a/b", set) == "allowed") }
        for method in ["POST", "PUT", "PATCH", "DELETE", "PROPFIND", "WEBSOCKET", "get"] {
            #expect(try judge("\(method) /a/b", set) == "refused")
        }
    }

    @Test func `the rules of the profile and those of the command line both have to let a request through`() throws {
        let profile = try rules(allow: ["GET /**"], ask: ["GET /b"]), line = try rules(allow: ["* /a", "GET /b"])
        #expect(try judge("GET /a", profile, line) == "allowed")
        #expect(try judge("POST /a", profile, line) == "refused")
        #expect(try judge("GET /x", profile, line) == "refused")
        #expect(try judge("GET /b", profile, line) == "ask", "ask in either asks")
        #expect(try judge("GET /b", line, profile) == "ask")
        #expect(try judge("GET /b", profile, rules(deny: ["GET /b"])) == "refused")
        #expect(ServeRules([profile, line]).allowed == ["GET /**", "* /a", "GET /b"])
    }

    @Test func `an ẞ is an ß, whatever upper case that has`() throws {
        let set = ServeRules([try rules(allow: ["POST /**"], ask: ["POST /stra%C3%9Fe"])])
        for path in ["/stra%E1%BA%9Ee", "/STRASSE", "/stra%C3%9Fe"] {
            let decision = set.decision(on: [ServedAct(method: "POST", path: try ServedPath(path))])
            #expect(decision == .ask([try ServeRule("POST /stra%C3%9Fe")]), "\(path)")
        }
    }

    @Test func `all that a request may do has to pass`() throws {
        let set = ServeRules([try rules(allow: ["MOVE,PUT /a/**"], ask: ["PUT /a/b"])])
        func act(_ method: String, _ path: String) throws -> ServedAct {
            ServedAct(method: method, path: try ServedPath(path))
        }
        #expect(set.decision(on: [try act("MOVE", "/a/x"), try act("PUT", "/a/y")]) != .allowed(by: nil))
        #expect(
            set.decision(on: [try act("MOVE", "/a/x"), try act("PUT", "/a/b")]) == .ask([try ServeRule("PUT /a/b")]))
        let other = try act("PUT", "/b")
        #expect(set.decision(on: [try act("PUT", "/a/b"), other]) == .refused(other, by: nil))
    }

    @Test func `a hostile path takes no longer than its length is worth`() throws {
        let clock = ContinuousClock()
        let stars = String(repeating: "*a", count: 200), segments = String(repeating: "/**/a", count: 150)
        let set = try rules(allow: ["GET /\(stars)b", "GET \(segments)/b"], deny: ["GET /\(stars)c"])
        let start = clock.now
        #expect(try judge("GET /" + String(repeating: "a", count: 16_000), set) == "refused")
        #expect(try judge("GET /" + String(repeating: "a/", count: 8000), set) == "refused")
        #expect(try judge("GET /" + String(repeating: "a.", count: 8000), set) == "refused")
        let time = clock.now - start
        #expect(time < .seconds(10), "\(time)")
    }
}
