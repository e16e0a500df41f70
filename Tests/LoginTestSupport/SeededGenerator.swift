import Foundation

/// The same numbers in each run (SplitMix64), for tests that make up their inputs.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// Returns true once in `count` times.
    mutating func isOne(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
}

extension Thoroughness {
    /// The seeds of a test that makes up its inputs, one for each. `AUTHCTL_TEST_CASES` is how many, and `AUTHCTL_TEST_SEED` the
    /// first: a failure names its seed, which with a count of 1 is that input alone.
    static var seeds: Range<UInt64> {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["AUTHCTL_TEST_SEED"].flatMap { UInt64($0) } ?? 1
        return first..<first + (environment["AUTHCTL_TEST_CASES"].flatMap { UInt64($0) } ?? 2000)
    }
}
