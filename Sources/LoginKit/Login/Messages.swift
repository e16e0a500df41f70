/// Messages to the person, beside questions and results.
package struct Messages: Sendable {
    /// Prints a note, which -q suppresses.
    let note: @Sendable (String) -> Void
    /// Prints a warning.
    package let warn: @Sendable (String) -> Void
    /// Prints a line that a person needs to go on, unwrapped: it may hold a URL to copy.
    let show: @Sendable (String) -> Void

    package init(
        note: @escaping @Sendable (String) -> Void, warn: @escaping @Sendable (String) -> Void,
        show: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.note = note
        self.warn = warn
        self.show = show
    }

    /// Drops all messages.
    package static let silent = Messages(note: { _ in }, warn: { _ in })
}
