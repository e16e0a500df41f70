import LoginCore
import Secrets

/// The content of the plain file in memory: which accounts there are, and all their secrets in one guarded block.
struct PlaintextTable: Sendable {
    private let places: [AccountID: Range<Int>]
    /// The secrets in base64, one after the other.
    private let texts: Secret

    init(_ entries: [(account: AccountID, text: String)]) {
        var places: [AccountID: Range<Int>] = Dictionary(minimumCapacity: entries.count)
        var count = 0
        for (account, text) in entries {
            let place = count..<count + text.utf8.count
            places[account] = places[account] ?? place
            count = place.upperBound
        }
        self.places = places
        texts = Secret(count: count) { buffer in
            var rest = buffer[...]
            for (_, text) in entries {
                var text = text
                text.withUTF8 {
                    UnsafeMutableRawBufferPointer(rebasing: rest).copyMemory(from: UnsafeRawBufferPointer($0))
                }
                rest = rest.dropFirst(text.utf8.count)
            }
        }
    }

    func contains(_ account: AccountID) -> Bool { places[account] != nil }

    /// The secret of an account in base64.
    func text(of account: AccountID) -> String? {
        places[account].map { place in texts.withUnsafeBytes { String(decoding: $0[place], as: UTF8.self) } }
    }
}
