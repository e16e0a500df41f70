/// The `algorithm` of a Digest challenge (RFC 7616, section 3.3).
package struct DigestAlgorithm: Equatable, Sendable {
    /// The hash functions that are understood, weakest first.
    package enum Hash: String, CaseIterable, Sendable, Comparable {
        case md5 = "MD5"
        case sha256 = "SHA-256"
        case sha512256 = "SHA-512-256"

        package static func < (left: Hash, right: Hash) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .md5: 0
            case .sha256: 1
            case .sha512256: 2
            }
        }
    }

    /// The hash function.
    package let hash: Hash
    /// Whether a key for the whole session takes the place of the password's hash (`-sess`).
    package let isSession: Bool

    /// - Parameter isSession: as `-sess` behind the name says.
    package init(hash: Hash, isSession: Bool = false) {
        self.hash = hash
        self.isSession = isSession
    }

    /// - Parameter name: in any case.
    /// - Returns: `nil` for an algorithm that is not understood.
    package init?(_ name: String) {
        let upper = name.uppercased(), suffix = "-SESS"
        isSession = upper.hasSuffix(suffix)
        guard let hash = Hash(rawValue: String(isSession ? upper.dropLast(suffix.count) : upper[...])) else {
            return nil
        }
        self.hash = hash
    }
}
