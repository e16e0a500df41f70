import LoginCore

extension HelperRequestFault {
    var message: Message {
        switch self {
        case .tooLong(let limit): Self.refused("longer than \(limit) bytes")
        case .noEqualsSign: Self.refused("a line without '='")
        case .controlCharacter: Self.refused("a value contains a control character")
        case .repeated(let attribute): Self.refused("\(SafeText.quoted(attribute)) occurs twice")
        case .missing(let attribute): Self.refused("missing \(SafeText.quoted(attribute))")
        case .notUTF8(let attribute): Self.refused("\(SafeText.quoted(attribute)) is not UTF-8")
        case .notAURL: Self.refused("invalid URL")
        case .notJSON: Self.refused("not the JSON of docker's protocol")
        case .tookTooLong(let seconds): Self.refused("it did not end within \(seconds) seconds")
        case .unreadable(let errno): Self.refused("it cannot be read: \(SystemWords.of(errno))")
        }
    }

    /// The message about a refused request, which is not repeated: it may hold a password.
    private static func refused(_ problem: String) -> Message {
        Message(
            "malformed request: \(problem)",
            next:
                "git and docker run this command themselves; see authctl-git-credential(1) and docker-credential-authctl(1)"
        )
    }
}
