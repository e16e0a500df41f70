public import LoginCore

extension LoginError {
    /// What happened, as the part of a sentence for a person; nothing in it that a terminal would obey.
    public var summary: String { message(about: ErrorContext()).what }
}
