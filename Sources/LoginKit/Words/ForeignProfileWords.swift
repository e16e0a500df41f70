import LoginCore

extension ForeignProfileFault {
    /// - Parameter url: where the profile was fetched.
    func message(_ url: String) -> Message {
        let place = SafeText.escaped(url)
        switch self {
        case .redirected(let target):
            return Message(
                "\(place) points to \(SafeText.quoted(target)), which was not followed; nothing was added",
                next: "if the profile is there now, use that URL")
        case .tooLarge(let limit):
            return Message("\(place) has more than \(limit) bytes; nothing was added", next: "check the URL")
        case .otherChecksum(let found):
            return Message(
                "checksum mismatch: \(place) has \(found); nothing was added",
                next: "look at the file before you take the new checksum")
        case .unseen(let found):
            return Message(
                "\(place) was not added: there is no terminal to confirm it",
                next: "look at it, then: \(ShellCommand("authctl", "profile", "add", "--from", url, "--sha256", found))"
            )
        }
    }
}
