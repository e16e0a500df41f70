import LoginCore

/// Shows a person a certificate that does not verify: the origin, what is wrong, what can be compared.
struct TrustDialogue {
    let trust: ServerTrust
    /// The width of the terminal.
    package let columns: Int

    static let question = "Trust it? Type reject, once, always or its fingerprint [reject]: "
    static let help = "Type one of the three words in full, or the fingerprint; nothing has been sent yet."
    static let otherFingerprint = "That is not the fingerprint of this certificate."

    package var lines: [String] {
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

    /// As `--trust-fingerprint` takes it; in lines of equal length where one has no room for it.
    private var fingerprint: [String] {
        let whole = "  \(trust.fingerprint)", digits = trust.fingerprint.digits
        guard TextWidth.of(whole) >= columns else { return [whole] }
        let perLine = columns > 36 ? 32 : 16
        return ["  sha256:"]
            + stride(from: 0, to: digits.count, by: perLine).map { "  " + digits.dropFirst($0).prefix(perLine) }
    }

    /// Reads the typed answer: one of the words, or the fingerprint, as ssh takes it. Another fingerprint is a no.
    /// - Returns: `nil` for anything else.
    func answer(_ typed: String) -> TrustAnswer? {
        if typed.isEmpty { return .reject }
        if let answer = TrustAnswer(rawValue: typed) { return answer }
        return Fingerprint(typed: typed).map { $0 == trust.fingerprint ? .always : .reject }
    }
}
