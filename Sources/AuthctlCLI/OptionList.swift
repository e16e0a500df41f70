import ArgumentParser

/// A type that tells the argument parser itself which options it has. The parser otherwise reflects on it, several times in
/// one start, and a reflection's generic types alone cost nine searches among all conformances of the program.
///
/// One that lacks an option here does not have it: the snapshots of `--help` show that.
protocol OptionList: ParsableArguments, CustomReflectable {
    /// The wrappers in the order of the help, by the names that a reflection would give.
    var options: KeyValuePairs<String, Any> { get }
}

extension OptionList {
    var customMirror: Mirror {
        Mirror(self, children: options.map { (label: $0.key, value: $0.value) } as [Mirror.Child])
    }
}

/// A length of time. It says itself how its default is shown: an Int64 is asked by two questions of type.
struct Seconds: ExpressibleByArgument, ExpressibleByIntegerLiteral, Equatable {
    let count: Int64

    init(integerLiteral count: Int64) {
        self.count = count
    }

    init?(argument: String) {
        guard let count = Int64(argument) else { return nil }
        self.count = count
    }

    var defaultValueDescription: String { count.description }
}
