internal import LoginCore
import LoginWords

/// How a certificate that does not verify is put before a person: the origin, what is wrong, what can be compared.
struct TrustDialogue {
    let trust: ServerTrust
    /// Of the terminal.
    let columns: Int

    static let question = "Trust it? Type reject, once or always [reject]: "
    static let help = "Type one of the three words in full; nothing has been sent yet."

    var lines: [String] {
        ["The certificate of \(SafeText.escaped(trust.origin.description)) cannot be verified:"]
            + trust.reasons.map { "  - \($0.words)" }
            + facts
            + ["SHA-256 fingerprint:"] + fingerprint
            + ["Compare it with the fingerprint from the server's administrator.", "Nothing has been sent yet."]
    }

    /// The names in it are the server's claim; the dates are in words of ours.
    private var facts: [String] {
        trust.facts.flatMap { fact in
            fact.name == "Valid"
                ? ["\(fact.name): \(fact.value)"] : TextLine.pair(fact.name + ":", fact.value, columns: columns)
        }
    }

    /// In lines of equal length that fit, so that it can be compared pair by pair.
    private var fingerprint: [String] {
        let perLine = [16, 8, 4].first { 2 + 3 * $0 - 1 < columns } ?? 4
        let pairs = trust.fingerprint.pairs
        return stride(from: 0, to: pairs.count, by: perLine).map { start in
            "  " + pairs[start..<min(start + perLine, pairs.count)].joined(separator: ":")
        }
    }
}
