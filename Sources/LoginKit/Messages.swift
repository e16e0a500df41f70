/// What is said beside questions and results.
package struct Messages: Sendable {
    /// What some want to be spared.
    let note: @Sendable (String) -> Void
    /// What nobody should miss.
    let warn: @Sendable (String) -> Void
    /// What a person has to read to go on, a line at a time and as it is: a URL may be copied out of it.
    let show: @Sendable (String) -> Void

    package init(
        note: @escaping @Sendable (String) -> Void, warn: @escaping @Sendable (String) -> Void,
        show: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.note = note
        self.warn = warn
        self.show = show
    }

    /// Nothing is said.
    package static let silent = Messages(note: { _ in }, warn: { _ in })
}
