import LoginCore

/// An engine that several machines reach, with compare-and-swap: etcd and its like.
///
/// It sees sealed values under names that tell nothing (`SharedKey`). Whoever controls it can end logins, but not read them, nor
/// make others of them.
protocol SharedEngine {
    /// The longest value that it takes, in bytes.
    var largest: Int { get }

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

    /// Whether a program may be given this version back: nothing that a shell, an SQL literal or an option could be.
    static func isVersion(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "-")
            && text.utf8.allSatisfy { byte in
                let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                return isLetter || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "._:-".utf8.contains(byte)
            }
    }
}
