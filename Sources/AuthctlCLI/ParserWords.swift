import LoginCore
import LoginKit

/// The argument parser's own words for a usage error, without the values that may be a password: those that stand where no
/// value belongs.
struct ParserWords {
    let arguments: [String]

    func redacted(_ text: String) -> String {
        let isRepeated = Self.repeating.contains { text.contains($0) }
        return values.reduce(text) { text, value in
            let safe = SafeText.escaped(value)
            // A line break in an argument is none of the message's own.
            let shown = safe == value || value.count < 2 ? text : text.replacing(value, with: safe)
            return isRepeated ? shown.replacing("'\(safe)'", with: "'…'") : shown
        }
    }

    /// The parser's message in the form of our own: a small first letter, and no full stop.
    func message(_ text: String) -> String {
        let place = repeats(text) ? onePlace : ""
        let text = UnknownOption(text, in: arguments)?.words ?? redacted(text)
        return text.prefix(1).lowercased() + text.dropFirst().dropLast(text.hasSuffix(".") ? 1 : 0) + place
    }

    /// What to do with a second argument where a command takes one.
    private var onePlace: String {
        guard let (command, path) = CommandShape.root()?.command(of: arguments), !path.isEmpty,
            command.positionals.count == 1, let name = command.positionals[0].valueName,
            arguments.dropFirst(path.count + 1).contains(where: { !$0.hasPrefix("-") })
        else { return "" }
        if path == ["login"] { return "; a user name goes behind -u" }
        return "; '\(path.joined(separator: " "))' takes one \(name), so run it once for each"
    }

    /// The message for the person, with the program's name.
    /// - Parameters:
    ///   - message: the parser's.
    ///   - text: all that it says about it, which begins with that.
    func told(_ message: String, in text: String) -> StyledText {
        let opening = "Error: \(message)"
        guard text.hasPrefix(opening) else { return StyledText(redacted(text)) }
        let rest = UsageLine.short(redacted(String(text.dropFirst(opening.count))))
        return "\(isGood: false)authctl: \(self.message(message), .bold)\(rest)"
    }

    /// Whether it is about an argument for which there is no place.
    func repeats(_ text: String) -> Bool { text.contains(Self.repeating[0]) }

    /// The words of the parser before such a value.
    private static let repeating = [
        "nexpected argument", "does not take any value, but ",
    ]

    /// The longest first, since one may be part of another.
    private var values: [String] {
        let supplied = arguments.flatMap { argument in
            [argument]
                + argument.indices.filter { argument[$0] == "=" }.prefix(1)
                .map { String(argument[argument.index(after: $0)...]) }
        }
        return supplied.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
    }
}
