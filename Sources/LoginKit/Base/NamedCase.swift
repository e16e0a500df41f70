/// An enum for messages that name its case, but must not show what is in it.
protocol NamedCase {}

extension NamedCase {
    /// The case alone, in words: `lookedUp(…)` is "looked up".
    var caseName: String {
        let name = Mirror(reflecting: self).children.first?.label ?? "\(self)"
        return name.reduce(into: "") { $0 += $1.isUppercase ? " " + $1.lowercased() : String($1) }
    }

    var name: String { caseName }
}
