/// The argument parser's own words for a usage error, without the values that it would repeat: what stands where no
/// value belongs may be a password.
struct ParserWords {
    let arguments: [String]

    func redacted(_ text: String) -> String {
        guard Self.repeating.contains(where: { text.contains($0) }) else { return text }
        return values.reduce(text) { $0.replacing("'\($1)'", with: "'…'") }
    }

    /// What a message of the parser holds before such a value.
    private static let repeating = [
        "nexpected argument", "does not take any value, but ", "The value '",
    ]

    /// The longest first, since one may be part of another.
    private var values: [String] {
        let given = arguments.flatMap { argument in
            [argument]
                + argument.indices.filter { argument[$0] == "=" }.prefix(1)
                .map { String(argument[argument.index(after: $0)...]) }
        }
        return given.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
    }
}
