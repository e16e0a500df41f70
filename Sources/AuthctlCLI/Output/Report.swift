import FoundationEssentials
import LoginCore
import LoginKit

extension Streams {
    /// Exactly one JSON value.
    func result(json value: some Encodable) throws(LoginFault) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else {
            throw .failure(.other("the result cannot be written as JSON"))
        }
        try result(Self.harmless(String(decoding: data, as: UTF8.self)))
    }

    /// A failure in its words, and as the one JSON value where that is what is printed.
    func tell(_ error: LoginFault, about topic: ErrorContext, printsJSON: Bool) {
        say(error, about: topic)
        // A standard output that is gone cannot be told so; the exit code still says what happened.
        if printsJSON { try? result(json: ErrorReport(error, about: topic)) }
    }

    /// Writes control characters as JSON escapes; the value stays the same.
    private static func harmless(_ json: String) -> String {
        json.unicodeScalars.reduce(into: "") { text, scalar in
            guard scalar.value >= 0x7F, SafeText.escape(for: scalar) != nil else {
                text.unicodeScalars.append(scalar)
                return
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
}

/// The output of `--json` for a failure.
struct ErrorReport: Encodable {
    struct Facts: Encodable {
        let code: String
        let exit: Int32
        let message: String
        let profile: String?
        let next: String?
    }

    let error: Facts

    init(_ error: LoginFault, about topic: ErrorContext) {
        let message = error.message(about: topic)
        self.error = Facts(
            code: error.exitCode.name, exit: error.exitCode.rawValue,
            message: ([message.what] + message.details).joined(separator: "; "),
            profile: topic.profile,
            next: message.next.isEmpty ? nil : message.next)
    }
}

extension Duration {
    /// A length of time for people, to the nearest unit: `3 hours`.
    static func inWords(_ seconds: Int64) -> String {
        let units: [(name: String, length: Int64)] = [("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)]
        let seconds = max(0, seconds)
        let unit = units.first { seconds >= 2 * $0.length } ?? units[3]
        let count = seconds / unit.length + (seconds % unit.length >= (unit.length + 1) / 2 ? 1 : 0)
        return "\(count) \(unit.name)\(count == 1 ? "" : "s")"
    }
}
