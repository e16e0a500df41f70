/// What a profile says about `exec --serve`.
package struct ServeSettings: Equatable, Sendable {
    package var rules = ServeRuleSet()
    /// Whether there is a log in the state folder.
    package var hasLog = false
    /// Whether bodies are searched for another method.
    package var searchesBodies = true

    package init() {}
}
