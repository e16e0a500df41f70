@testable import LoginKit
import Testing

/// The rules of an `authctl mcp`: what they are, and what they let through.
@Suite struct `A rule of mcp` {
    private func fault(_ text: String) -> ServeRuleFault? {
        do throws(ServeRuleFault) {
            _ = try ServeRule(text)
            return nil
        } catch {
            return error
        }
    }

    private func rules(allow: [String] = [], ask: [String] = [], deny: [String] = []) throws -> ServeRules {
        let set = ServeRuleSet(
            allow: try allow.map { try ServeRule($0) }, ask: try ask.map { try ServeRule($0) },
            deny: try deny.map { try ServeRule($0) })
        return ServeRules([set], forMCP: true)
    }

    private func judge(_ kind: MCPRuleKind, _ subject: String, _ rules: ServeRules) -> String {
        guard let act = kind.act(on: subject) else { return "unreadable" }
        switch rules.decision(on: [act]) {
        case .allowed: return "allowed"
        case .ask: return "ask"
        case .refused: return "refused"
        }
    }

    @Test(arguments: ["TOOL a", "TOOL get_*,list_*", "TOOL *", "PROMPT a*b*c", "RESOURCE data://a/*/b", "RESOURCE **"])
    func `a rule is a kind, a blank, and names or a URI`(text: String) throws {
        #expect(fault(text) == nil)
        #expect(try ServeRule(text).isForMCP)
    }

    @Test(
        arguments: [
            ("TOOL", "a rule for 'authctl mcp' is"), ("TOOL ", "a rule for 'authctl mcp' is"),
            ("TOOL a b", "a rule for 'authctl mcp' is"), ("PROMPT a,,b", "a rule for 'authctl mcp' is"),
            ("TOOL a, b", "a rule for 'authctl mcp' is"), ("tool a", "methods are written in capitals, not \"tool\""),
            ("RESOURCE a/../b", "no request with the segment \"a/../b\" "),
            ("RESOURCE a\\b", "no request with the segment \"a\\\\b\" "),
            ("RESOURCE a/%2E%2e", "no request with the segment \"a/%2E%2e\" "),
            ("RESOURCE a/b**", "'**' must be a whole segment"),
            ("TOOL a\n", "a rule for 'authctl mcp' is"), ("PROMPT a\tb", "a rule for 'authctl mcp' is"),
            ("TOOL a,b\u{7F}", "a rule for 'authctl mcp' is"),
        ] as [(String, String)])
    func `anything else is no rule, and what is wrong is told`(text: String, expected: String) {
        #expect(fault(text)?.words.hasPrefix(expected) == true, "\(String(describing: fault(text)))")
    }

    private func profile(allow: [String]) throws -> Profile {
        var profile = Profile(
            name: "blog", url: "https://blog.example",
            verify: RequestRule(method: "GET", path: Template(literal: "/me")))
        profile.serve.rules = ServeRuleSet(allow: try allow.map { try ServeRule($0) })
        return profile
    }

    @Test func `a person is warned of rules that are for the other command`() throws {
        let rules = ["TOOL get_*", "GET,HEAD /**"]
        for (forMCP, idle, command) in [(false, rules[0], "authctl mcp"), (true, rules[1], "exec --serve")] {
            let own = try profile(allow: [idle == rules[0] ? rules[1] : rules[0]])
            #expect(ServeRules([own.serve.rules], forMCP: forMCP).warnings(about: own, forMCP: forMCP).isEmpty)
            for allow in [[idle], rules] {
                let profile = try profile(allow: allow)
                let found = ServeRules([profile.serve.rules], forMCP: forMCP).warnings(about: profile, forMCP: forMCP)
                #expect(found.count == 1)
                #expect(
                    found.first?.hasPrefix(
                        "warning: blog has rules for \(command) alone, which restrict nothing here: \(idle); ") == true,
                    "\(found)")
            }
        }
    }

    @Test(arguments: [
        (["TOOL *"], ["TOOL delete_*"], []), (["TOOL Delete_x"], ["TOOL delete_*"], []),
        (["RESOURCE **"], ["RESOURCE data://a"], []), (["TOOL get_*"], ["TOOL make_*", "TOOL delete_*"], [String]()),
    ])
    func `a person is warned of names that a rule does not ask about for their case alone`(
        allow: [String], ask: [String], deny: [String]
    ) throws {
        let found = try rules(allow: allow, ask: ask, deny: deny).warnings(about: try profile(allow: []), forMCP: true)
        #expect(found.count == (allow == ["TOOL get_*"] ? 0 : 1), "\(found)")
        #expect(found.allSatisfy { $0.contains("'\(ask[0])' does not ask about names in another case") })
        #expect(
            try rules(allow: allow, ask: ask, deny: ask).warnings(about: try profile(allow: []), forMCP: true).isEmpty)
    }

    @Test func `rules of mcp do not count for exec --serve, nor the other way round`() throws {
        let set = ServeRuleSet(allow: [try ServeRule("TOOL a"), try ServeRule("GET /a")])
        #expect(ServeRules([set]).allowed == ["GET /a"])
        #expect(ServeRules([set], forMCP: true).allowed == ["TOOL a"])
        #expect(ServeRules([ServeRuleSet(allow: [try ServeRule("* /**")])], forMCP: true).isEmpty)
        #expect(try !ServeRule("TOOL,GET /a").isForMCP)
    }

    @Test(arguments: [
        ("get_a", "allowed"), ("get_", "allowed"), ("GET_a", "refused"), ("get", "refused"), ("xget_a", "refused"),
        ("get_a\n", "unreadable"), ("get_é", "allowed"), ("exact", "allowed"), ("exact ", "refused"),
        ("exact\0", "unreadable"),
        ("caf\u{e9}", "allowed"), ("cafe\u{301}", "refused"), ("get_delete_x", "refused"), ("get_DELETE_x", "refused"),
        ("make_a", "ask"), ("MAKE_a", "refused"), ("", "unreadable"),
    ])
    func `allow and ask compare byte for byte, and deny without case`(name: String, decision: String) throws {
        let rules = try rules(
            allow: ["TOOL get_*,exact,caf\u{e9}"], ask: ["TOOL make_*"], deny: ["TOOL *_delete_*"])
        #expect(judge(.tool, name, rules) == decision)
    }

    @Test func `a kind without a rule of its own is refused`() throws {
        let rules = try rules(allow: ["TOOL *"])
        #expect(judge(.prompt, "a", rules) == "refused")
        #expect(judge(.resource, "a", rules) == "refused")
        #expect(!rules.mayName(template: "a://{b}"))
    }

    private func judge(resource uri: String) throws -> String {
        let rules = try rules(
            allow: ["RESOURCE data://a/*", "RESOURCE file:///**", "RESOURCE data://p/*/q"],
            deny: ["RESOURCE file:///secret/**"])
        return judge(.resource, uri, rules)
    }

    @Test(arguments: [
        ("data://a/b", "allowed"), ("data://a/b/c", "refused"), ("DATA://a/b", "refused"), ("data://a/", "refused"),
        ("file:///x/y/z", "allowed"), ("file:///x", "allowed"), ("file:///secret/y", "refused"),
        ("file:///SECRET/y", "refused"), ("file:///%73ecret/y", "refused"), ("data://p/x/q", "allowed"),
        ("data://a/b?c", "allowed"), ("data://a/%C3%A9", "allowed"), ("data://p/secret?/q", "refused"),
        ("data://p/secret#/q", "refused"),
    ])
    func `a star in a URI is one segment, and two are any number`(uri: String, decision: String) throws {
        #expect(try judge(resource: uri) == decision)
    }

    @Test(arguments: [
        "data://a/../a/b", "data://a/%2e%2e", "data://a/b%2Fc", "data://a\\b", "data://a/.", "data://a/b c",
        "data://a/b%2f\u{301}c", "data://a/..\u{200D}", "data://a\\\u{301}b", "data://p/.?/q", "data://p/.#/q",
        "data://a/%%32%65", "data://a/\u{FF0E}\u{FF0E}", "data://a/%c0%af", "data://a/%u002f", "data://a/%3fb",
        "data://a/" + String(repeating: "b", count: 5000),
    ])
    func `a URI that services read in different ways is refused`(uri: String) throws {
        #expect(try judge(resource: uri) == "unreadable")
    }

    @Test(arguments: [
        ("data://a/{b}", true), ("data://{a}/b", true), ("data://a/b{c}/{d}", true), ("data://b/{c}", false),
        ("{a}", true), ("data://a/b/c/{d}", false), ("file:///{x}", true), ("file:///a/b/{c}", true),
        ("data://a/../{b}", false),
    ])
    func `a template is seen if it could stand for an allowed URI`(template: String, isSeen: Bool) throws {
        let rules = try rules(allow: ["RESOURCE data://a/*"], ask: ["RESOURCE file:///**"])
        #expect(rules.mayName(template: template) == isSeen)
    }

    @Test func `a template that is denied as it is written is not seen`() throws {
        let rules = try rules(allow: ["RESOURCE **"], deny: ["RESOURCE wiki://secret/**"])
        #expect(!rules.mayName(template: "wiki://secret/{id}"))
        #expect(rules.mayName(template: "wiki://open/{id}"))
        #expect(!rules.mayName(template: "wiki://open/..{\u{301}id}"))
    }

    @Test func `--read-only allows known read-only tools, all prompts and all resources`() throws {
        let set = ServeRuleSet(allow: ServeRule.readOnly(tools: ["a", "b*"]), deny: [try ServeRule("TOOL A")])
        let rules = ServeRules([set], forMCP: true)
        #expect(judge(.tool, "a", rules) == "refused")
        #expect(judge(.tool, "b*", rules) == "allowed")
        #expect(judge(.tool, "bc", rules) == "refused", "a name of the service's is no pattern")
        #expect(judge(.prompt, "any", rules) == "allowed")
        #expect(judge(.resource, "any://b/c", rules) == "allowed")
        #expect(!ServeRules([ServeRuleSet(allow: ServeRule.readOnly(tools: []))], forMCP: true).isEmpty)
    }
}
