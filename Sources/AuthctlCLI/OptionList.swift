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
        // The parser reads the children alone. One subject for all types spares each of them a search.
        Mirror((), children: options.map { (label: $0.key, value: $0.value) } as [Mirror.Child])
    }
}
