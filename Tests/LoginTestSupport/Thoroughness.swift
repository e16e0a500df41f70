import Foundation
import Testing

/// How much the tests try. `make test` takes samples where all of it takes minutes; `make test-all`, which is what CI runs,
/// sets `AUTHCTL_TESTS=all` and takes everything.
enum Thoroughness {
    static let isFull = ProcessInfo.processInfo.environment["AUTHCTL_TESTS"] == "all"

    /// Everything in a full run, else `count` of them, spread evenly from the first to the last.
    static func sample<Element>(_ everything: [Element], _ count: Int) -> [Element] {
        isFull ? everything : spread(everything, count)
    }

    /// At most `count` of them, spread evenly from the first to the last.
    static func spread<Element>(_ everything: [Element], _ count: Int) -> [Element] {
        guard count < everything.count else { return everything }
        guard count > 1 else { return Array(everything.prefix(count)) }
        return (0..<count).map { everything[$0 * (everything.count - 1) / (count - 1)] }
    }

    /// As many of each kind.
    static func sample<Element, Kind: Hashable>(
        _ everything: [Element], _ count: Int, ofEach kind: (Element) -> Kind
    ) -> [Element] {
        Dictionary(grouping: everything, by: kind).values.flatMap { sample($0, count) }
    }

    /// `full` in a full run, else `usual`.
    static func choose<Value>(usual: Value, full: Value) -> Value { isFull ? full : usual }

    /// Runs a test or a suite only in a full run.
    static var isNeeded: ConditionTrait { .enabled(if: isFull, "make test-all has it") }
}
