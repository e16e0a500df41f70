/// A fetched profile that is refused.
package enum ForeignProfileFault: Equatable, Sendable {
    case redirected(target: String)
    /// In bytes.
    case tooLarge(limit: Int)
    /// Its SHA-256, in hexadecimal digits.
    case otherChecksum(found: String)
    /// Nobody has seen it, and no checksum was named.
    case unseen(found: String)

    /// The request that fetches one, for messages.
    package static let step = "profile add --from"
}
