import LoginCore

extension ProposedProfile {
    /// Where the reasons begin; of a longer row the reason stands above it.
    private static let column = 44

    /// The profile as TOML, with the reason of each line behind it.
    /// - Parameters:
    ///   - head: what stands above it, without `#`.
    ///   - isAlone: for a file of its own, without `[profiles.NAME]`.
    package func document(head: String, isAlone: Bool) -> String {
        var text = ["# \(head)"]
        if isUsable {
            if !isAlone { text.append("[profiles.\(ConfigValue.key(name))]") }
            text += rows(of: nil)
            let oauth = rows(of: "oauth")
            if !oauth.isEmpty { text += [isAlone ? "[oauth]" : "[profiles.\(ConfigValue.key(name)).oauth]"] + oauth }
        }
        return (text + remarks.map { "# \($0)" }).joined(separator: "\n")
    }

    private func rows(of table: String?) -> [String] {
        let rows = lines.filter { table == nil ? $0.path.count == 1 : $0.path[0] == table && $0.path.count > 1 }
        let width = rows.map { $0.path[$0.path.count - 1].count }.max() ?? 0
        return rows.flatMap { line in
            let key = line.path[line.path.count - 1]
            let row = key + String(repeating: " ", count: width - key.count) + " = " + line.value.inline
            guard let why = line.why else { return [row] }
            if row.count >= Self.column { return ["# \(why)", row] }
            return [row + String(repeating: " ", count: Self.column - row.count) + "# \(why)"]
        }
    }
}
