@testable import LoginKit
@testable import LoginTestSupport
import Synchronization
import Testing

@testable import AuthctlCLI

/// Requests to an endpoint of GraphQL by rules: all of it but the sockets.
struct GraphQLReviewTests {
    private final class Log: ServeLog {
        let entries = Mutex<[ServeLogEntry]>([])

        func began(_ entry: ServeLogEntry) { entries.withLock { $0.append(entry) } }
        func ended(_ end: ServeLogEnd) {}
        func warned(_ text: String) {}
    }

    private final class Approver: ServeApprover {
        let questions = Mutex<[ServeQuestion]>([])

        func answer(to question: ServeQuestion, unless isWithdrawn: () -> Bool) -> ServeAnswer {
            questions.withLock { $0.append(question) }
            return question.url == "closeIssue" ? .yes : .no
        }
    }

    private static let json = [("Content-Type", "application/json; charset=utf-8")]

    private static func profile(_ graphql: String?) -> Profile {
        var profile = Profile(
            name: "shop", url: "https://shop.example/v1",
            verify: RequestRule(method: "GET", path: Template(literal: "/me")))
        profile.graphql = graphql
        return profile
    }

    private static func limits(
        allow: [String] = [], ask: [String] = [], readOnly: Bool = false, graphql: String? = "/graphql"
    ) throws -> ServeLimits {
        var set = try ServeRuleSet(
            allow: (readOnly ? [ServeRule.readOnly.text] : []) + allow, ask: ask, deny: [])
        set.isReadOnly = readOnly
        return try ServeLimits(profile(graphql), set, command: "gh")
    }

    private func scene(
        _ limits: ServeLimits, _ server: [HTTPResponse], _ body: (ServedScene, TestWorld) throws -> Void
    ) throws {
        try ServedScene.play("shop", login: ServedScene.shopLogin, limits: limits, server, body)
    }

    @Test func `--read-only lets queries through, and nothing that changes something`() throws {
        try scene(try Self.limits(readOnly: true), [.answer(200, "1"), .answer(200, "2")]) { (scene, world) throws in
            let query = #"{"query":"query Q{viewer{login}}"}"#
            #expect(try scene.send("POST", "/v1/graphql", body: query, with: Self.json).body == "1")
            #expect(try scene.send("GET", "/v1/graphql?query=%7Bviewer%7Bid%7D%7D").body == "2")
            let got = try scene.send(
                "POST", "/v1/graphql", body: #"{"query":"mutation{a:deleteRef}"}"#, with: Self.json)
            #expect(got.status == 403)
            let expected = """
                {"error":{"code":"not-allowed","message":"no rule allows GRAPHQL mutation deleteRef",\
                "method":"GRAPHQL mutation","path":"deleteRef","allowed":["GET,HEAD,OPTIONS /**","GRAPHQL query *"]}}\n
                """
            #expect(got.body == expected)
            #expect(try scene.send("POST", "/v1/other", body: query, with: Self.json).status == 403)
            #expect(world.requests.count == 2 && world.requests[0].contains("query Q{viewer{login}}"))
        }
    }

    @Test(arguments: [
        ("POST", "/v1/graphql", "application/graphql", "{viewer}"),
        ("POST", "/v1/graphql", "application/json", "{viewer}"),
        ("POST", "/v1/graphql?query={a}", "application/json", #"{"query":"{a}"}"#),
        ("POST", "/v1/GraphQL/", "application/json", #"{"query":"{a}","query":"{b}"}"#),
        ("POST", "/v1/graphql.json", "application/json", #"{"extensions":{"persistedQuery":{}}}"#),
        ("POST", "/v1/%67raphql/x", "application/json", #"{"query":"query A{a} query B{b}"}"#),
        ("PUT", "/v1/graphql", "application/json", #"{"query":"{a}"}"#),
        ("HEAD", "/v1/graphql", "application/json", ""),
        ("GET", "/v1/graphql", "application/json", ""), ("GET", "/v1/graphql?query=mutation{a}", "", ""),
    ])
    func `what cannot be judged is refused, in every spelling of the endpoint, whatever rules for paths say`(
        method: String, target: String, type: String, body: String
    ) throws {
        let limits = try Self.limits(allow: ["* /**", "GRAPHQL query *"])
        try scene(limits, []) { (scene, world) throws in
            let got = try scene.send(method, target, body: body.isEmpty ? nil : body, with: [("Content-Type", type)])
            #expect(
                got.status == 400 && (method == "HEAD" || got.body.contains("\"unreadable-graphql\"")), "\(got.body)")
            #expect(world.requests.isEmpty)
        }
    }

    @Test func `a WebSocket and a body that is too long are refused there`() throws {
        try scene(try Self.limits(allow: ["WEBSOCKET,POST /**", "GRAPHQL query *"]), []) { (scene, world) throws in
            let upgrade = [("Upgrade", "websocket"), ("Connection", "Upgrade")]
            #expect(try scene.send("GET", "/v1/graphql", with: upgrade).status == 400)
            let long = #"{"query":"{a#\#(String(repeating: "x", count: GraphQLRequest.longest))"}"#
            let got = try scene.send("POST", "/v1/graphql", body: long, with: Self.json)
            #expect(got.status == 400 && got.body.contains("too long"), "\(got.body)")
            #expect(world.requests.isEmpty)
        }
    }

    @Test func `a person is asked with the operation, its fields and variables, and the log has the former`() throws {
        var limits = try Self.limits(allow: ["GRAPHQL query *"], ask: ["GRAPHQL mutation *Issue"])
        let log = Log(), approver = Approver()
        (limits.log, limits.approver) = (log, approver)
        try scene(limits, [.answer(200), .answer(200)]) { (scene, world) throws in
            for (name, status) in [("closeIssue", 200), ("deleteIssue", 403), ("deleteRef", 403)] {
                let body = #"{"query":"mutation M($i:I!){a:\#(name)(input:$i){id}}","variables":{"i":{"id":"I_1"}}}"#
                #expect(try scene.send("POST", "/v1/graphql", body: body, with: Self.json).status == status)
            }
            let batch = #"[{"query":"{viewer{id} node(id:\"t-1\"){id}}"},{"query":"query B{t:viewer{id}}"}]"#
            #expect(try scene.send("POST", "/v1/graphql", body: batch, with: Self.json).status == 200)
            #expect(world.requests.count == 2)
        }
        let question = try #require(approver.questions.withLock { $0 }.first)
        #expect(question.method == "GRAPHQL mutation" && question.url == "closeIssue" && question.isCovered)
        guard case .text(let text, _) = question.body else {
            Issue.record("no text")
            return
        }
        #expect(text.hasPrefix("{\n  \"variables\": {\n    \"i\": {\n      \"id\": \"I_1\"\n"), "\(text)")
        let entries = log.entries.withLock { $0 }
        #expect(
            entries.map(\.operations) == [
                ["mutation M { closeIssue }"], ["mutation M { deleteIssue }"], ["mutation M { deleteRef }"],
                ["query { viewer node }", "query B { viewer }"],
            ])
        #expect(entries.map(\.decision) == [.askedYes, .askedNo, .refused, .allowed])
        let line = ServeLogLine.began(entries[0], time: 1, origin: .init(profile: "p", account: "a", pid: 1))
        #expect(line.text.contains(#""operations":["mutation M { closeIssue }"]"#))
        #expect(Array(line.text.utf8).withUnsafeBytes { ServeLogLine($0) } == line)
    }

    @Test func `rules for GraphQL need an endpoint, and --read-only does without`() throws {
        #expect {
            try Self.limits(allow: ["GRAPHQL query *"], graphql: nil)
        } throws: { error in
            "\(error)".contains("names none")
        }
        #expect(try !Self.limits(readOnly: true, graphql: nil).rules.haveGraphQL)
        #expect(try Self.limits(allow: ["POST /**"]).graphQL == nil, "without such rules it is a path as others")
    }
}
