import Testing

@testable import LoginKit

/// The rules for GraphQL: what they are, and what they let through beside those for paths.
@Suite struct `A rule for GraphQL` {
    private func set(allow: [String] = [], ask: [String] = [], deny: [String] = []) throws -> ServeRuleSet {
        ServeRuleSet(
            allow: try allow.map { try ServeRule($0) }, ask: try ask.map { try ServeRule($0) },
            deny: try deny.map { try ServeRule($0) })
    }

    /// - Parameter fields: `KIND FIELD`, of a POST to the endpoint.
    private func judge(_ fields: String..., by sets: ServeRuleSet...) throws -> String {
        let acts = fields.map { text in
            let words = text.split(separator: " ").map(String.init)
            return GraphQLKind(rawValue: words[0])?.act(on: words[1])
        }
        let own = ServedAct(method: "POST", path: try ServedPath("/graphql"), hasFields: true)
        switch ServeRules(sets).decision(on: [own] + acts.compactMap { $0 }) {
        case .allowed(let rule): return "allowed by \(rule?.text ?? "none")"
        case .ask(let rules): return "asks by \(rules.map(\.text).joined(separator: "; "))"
        case .refused(let act, let rule): return "refuses \(act.method) \(act.path.text) by \(rule?.text ?? "none")"
        }
    }

    @Test(arguments: [
        "GRAPHQL query *", "GRAPHQL mutation delete*,close_*,x", "GRAPHQL query __schema", "GRAPHQL mutation **",
    ])
    func `a rule is the word, a kind and names`(text: String) throws {
        let rule = try ServeRule(text, forMCP: false)
        #expect(rule.isForGraphQL && !rule.isForMCP && rule.text == text)
    }

    @Test(arguments: [
        "GRAPHQL", "GRAPHQL ", "GRAPHQL query", "GRAPHQL query ", "GRAPHQL *", "GRAPHQL * *", "GRAPHQL /graphql",
        "GRAPHQL Query a",
        "GRAPHQL subscription a", "GRAPHQL query a b", "GRAPHQL query a,,b", "GRAPHQL query a-b", "GRAPHQL query /a",
        "GRAPHQL query é",
        "GRAPHQL query,mutation a", "GRAPHQL query a, b",
    ])
    func `anything else is no rule`(text: String) {
        #expect(throws: ServeRuleFault.notFields) { try ServeRule(text) }
        #expect(throws: ServeRuleFault.self) { try ServeRule(text, forMCP: true) }
    }

    @Test func `all root fields have to pass, deny comes first, then ask, then allow`() throws {
        let rules = try set(
            allow: ["GRAPHQL query *", "GRAPHQL mutation add*"], ask: ["GRAPHQL mutation close*"],
            deny: ["GRAPHQL mutation *key*"])
        #expect(try judge("query a", "query b", by: rules) == "allowed by GRAPHQL query *")
        #expect(try judge("mutation addA", by: rules) == "allowed by GRAPHQL mutation add*")
        #expect(try judge("mutation addA", "mutation b", by: rules) == "refuses GRAPHQL mutation b by none")
        #expect(try judge("mutation addA", "mutation closeB", by: rules) == "asks by GRAPHQL mutation close*")
        #expect(
            try judge("mutation CLOSEB", by: rules) == "asks by GRAPHQL mutation close*",
            "names in another case are asked about")
        #expect(try judge("mutation AddA", by: rules) == "refuses GRAPHQL mutation AddA by none")
        #expect(
            try judge("mutation addDeployKey", by: rules)
                == "refuses GRAPHQL mutation addDeployKey by GRAPHQL mutation *key*")
        #expect(try judge("subscription a", by: rules) == "refuses GRAPHQL subscription a by none")
    }

    @Test func `rules for paths do not let a document through, but refuse it`() throws {
        #expect(
            try judge("query a", by: set(allow: ["* /**", "GRAPHQL mutation b"])) == "refuses GRAPHQL query a by none")
        #expect(
            try judge("query a", by: set(allow: ["GRAPHQL query *"], ask: ["POST /**"])) == "allowed by GRAPHQL query *"
        )
        #expect(
            try judge("query a", by: set(allow: ["GRAPHQL query *"], deny: ["POST /Graphql/"]))
                == "refuses POST /graphql by POST /Graphql/")
    }

    @Test func `each place judges by its own rules, and both have to let a document through`() throws {
        let paths = try set(allow: ["POST /**"]), fields = try set(allow: ["GRAPHQL query *"])
        #expect(try judge("query a", by: paths, fields) == "allowed by POST /**")
        #expect(try judge("mutation a", by: paths, fields) == "refuses GRAPHQL mutation a by none")
        #expect(try judge("query a", by: fields, set(allow: ["GET /**"])) == "refuses POST /graphql by none")
        #expect(try judge("query a", by: fields, set(ask: ["POST /**"])) == "asks by POST /**")
    }

    @Test func `rules for GraphQL are for nothing else`() throws {
        let rules = ServeRules([try set(allow: ["GRAPHQL query *", "GRAPHQL mutation *"])])
        let act = ServedAct(method: "POST", path: try ServedPath("/query"))
        #expect(rules.decision(on: [act]) == .refused(act, by: nil))
        #expect(ServeRules([try set(allow: ["GRAPHQL query *"])], forMCP: true).isEmpty)
        #expect(try !ServeRules([set(allow: ["* /**"])]).haveGraphQL && rules.haveGraphQL)
    }

    @Test(arguments: [
        ("/graphql", true), ("/GraphQL", true), ("/graphql/", true), ("/graphql.json", true), ("/GRAPHQL.x.y/", true),
        ("/%67raphql", true), ("/graphql%2F", true), ("/graphql/a", true), ("/graphql.php/a/b", true),
        ("/graphql%2Fa", true), ("/graphql%20", true), ("/graphql%C2%A0/x", true), ("/graphql..........", true),
        ("/graphqls", false), ("/a/graphql", false), ("/", false), ("/graph/ql", false), ("/v4/graphql", false),
    ])
    func `the endpoint is found in all its spellings`(path: String, isFound: Bool) throws {
        for written in ["/graphql", "/graphql/", "/GraphQL", "/graphql.json"] {
            let endpoint = try #require(GraphQLEndpoint(written))
            #expect(try endpoint.concerns(ServedPath(path)) == isFound, "\(written)")
        }
    }

    @Test func `an endpoint is a path that every service reads in the same way`() throws {
        for path in ["", "graphql", "/a//b", "/a?b", "/a;b", "/a/../b", "/a%2Fb", "/%"] {
            #expect(GraphQLEndpoint(path) == nil)
        }
        let root = try #require(GraphQLEndpoint("/")), deep = try #require(GraphQLEndpoint("/api/v3/graphql"))
        #expect(try root.concerns(ServedPath("/")) && root.concerns(ServedPath("/a")))
        #expect(try deep.concerns(ServedPath("/API/v3/graphql/")) && !deep.concerns(ServedPath("/api/v3")))
    }
}
