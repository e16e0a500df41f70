import LoginCore

/// An engine that several machines reach, with compare-and-swap: etcd and its like.
///
/// It sees sealed values under names that tell nothing (`SharedKey`), and is trusted with nothing else: it may be read, written
/// and put back by others.
protocol SharedEngine {
    /// - Returns: `nil` if the key has no value.
    func get(_ key: String) throws(StoreFault) -> SharedItem?

    /// Puts a value in the place of the version that was read; where there was none, only if there still is none.
    /// - Returns: its version; `nil` if the engine has another one by now.
    func put(_ value: String, for key: String, over version: String?) throws(StoreFault) -> String?
}

/// What an engine has of one key.
struct SharedItem: Equatable {
    let value: String
    /// What the engine calls this state of it; only the engine knows how these compare.
    let version: String
}
