import ArgumentParser
import LoginKit

/// The rules of `exec` and `ssh` that a person adds to those of the profile.
struct ServeRuleOptions: ParsableArguments {
    @Flag(help: "Let only GET, HEAD and OPTIONS through, and queries of GraphQL.")
    var readOnly = false

    @Option(help: ArgumentHelp("Let these requests through, such as 'GET,HEAD /issues/*'.", valueName: "rule"))
    var allow: [String] = []

    @Option(help: ArgumentHelp("Ask a person about these requests, in 'authctl approve'.", valueName: "rule"))
    var ask: [String] = []

    @Option(help: ArgumentHelp("Refuse these requests, even if another rule allows them.", valueName: "rule"))
    var deny: [String] = []

    /// Whether any is given.
    var areGiven: Bool { readOnly || !(allow + ask + deny).isEmpty }

    /// - Throws: `usage` with the option that is no rule.
    func rules() throws(LoginFault) -> ServeRuleSet {
        var rules = try ServeRuleSet(allow: (readOnly ? [ServeRule.readOnly.text] : []) + allow, ask: ask, deny: deny)
        rules.isReadOnly = readOnly
        return rules
    }
}

extension ServeRuleSet {
    /// The rules of a command line.
    /// - Parameter forMCP: which of the commands it is.
    init(allow: [String], ask: [String], deny: [String], forMCP: Bool = false) throws(LoginFault) {
        func rules(_ texts: [String], of option: String) throws(LoginFault) -> [ServeRule] {
            try texts.map { (text) throws(LoginFault) in
                do throws(ServeRuleFault) {
                    return try ServeRule(text, forMCP: forMCP)
                } catch {
                    throw .usage(.badValue(option: "\(option) \(SafeText.quoted(text))", problem: error.words))
                }
            }
        }
        self.init(
            allow: try rules(allow, of: "--allow"), ask: try rules(ask, of: "--ask"),
            deny: try rules(deny, of: "--deny"))
        guard count <= Self.most else {
            throw .usage(.badValue(option: "--allow", problem: "at most \(Self.most) rules can be given"))
        }
    }
}
