package import LoginCore

/// The limits within which an `exec --serve` lends its login; none by default.
package struct ServeLimits: Sendable {
    package var rules = ServeRules()
    /// Whether bodies are searched for another method.
    package var searchesBodies = true
    /// The name of the command, for the person who is asked.
    package var command = ""
    package var log: (any ServeLog)?
    /// Without one, what is to be asked about is refused.
    package var approver: (any ServeApprover)?
    /// The time in which the part of a body must come that a person is shown.
    package var bodyPatience = Duration.seconds(30)

    package init() {}

    /// - Parameter options: the rules of the command line.
    package init(_ profile: Profile, _ options: ServeRuleSet, command: String) {
        rules = ServeRules([profile.serve.rules, options])
        (searchesBodies, self.command) = (profile.serve.searchesBodies, command)
    }
}
