/// What is said beside questions and results.
package struct Talk: Sendable {
    /// What some want to be spared.
    package let note: @Sendable (String) -> Void
    /// What nobody should miss.
    package let warn: @Sendable (String) -> Void

    package init(note: @escaping @Sendable (String) -> Void, warn: @escaping @Sendable (String) -> Void) {
        self.note = note
        self.warn = warn
    }

    /// Nothing is said.
    package static let silent = Talk(note: { _ in }, warn: { _ in })
}
