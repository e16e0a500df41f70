extension HelperRequestFault {
    var message: Message {
        switch self {
        case .tooLong(let limit): Self.refused("it is longer than \(limit) bytes")
        case .noEqualsSign: Self.refused("a line of it has no '='")
        case .controlCharacter: Self.refused("it holds a control character")
        case .repeated(let attribute): Self.refused("it says \(SafeText.quoted(attribute)) twice")
        case .missing(let attribute): Self.refused("it does not say \(SafeText.quoted(attribute))")
        case .notUTF8(let attribute): Self.refused("its \(SafeText.quoted(attribute)) is not UTF-8")
        case .notAURL: Self.refused("its URL is none")
        case .notJSON: Self.refused("it is not the JSON of docker's helpers")
        case .tookTooLong(let seconds): Self.refused("it did not end within \(seconds) seconds")
        case .unreadable(let errno): Self.refused("it cannot be read: \(SystemWords.of(errno))")
        }
    }

    /// What was asked is not repeated: it may hold a password.
    private static func refused(_ problem: String) -> Message {
        Message(
            "what was asked of this credential helper is damaged: \(problem); nothing was answered",
            next: "git and docker ask by themselves; see authctl-git-credential(1) and docker-credential-authctl(1)")
    }
}
