/// Tells whose session a refresh returned, as far as the response says.
package struct RefreshOwner: Equatable, Sendable {
    /// The user name in the answer, where the profile says its place.
    package let named: String?
    /// The subjects of the token before and after the refresh, where both name one (RFC 7519, section 4.1.2).
    package let subjects: Subjects?

    /// The subjects of two tokens.
    package struct Subjects: Equatable, Sendable {
        /// The subject of the token that was refreshed.
        package let old: String
        /// The subject of the token that took its place.
        package let new: String

        /// - Returns: `nil` unless both are known.
        package init?(old: String?, new: String?) {
            guard let old, let new else { return nil }
            (self.old, self.new) = (old, new)
        }
    }

    /// Without arguments: the answer tells nothing.
    package init(named: String? = nil, subjects: Subjects? = nil) {
        self.named = named
        self.subjects = subjects
    }

    /// Compares with what is known of the account. A name is held against the server's own: what was typed may be an address
    /// for what the server calls otherwise.
    /// - Returns: who it was and who it is now; `nil` if it is the same person, or nothing tells.
    package func otherPerson(than known: Identity) -> Replacement? {
        let renamed = Identity(username: known.username, serverName: named)
        if let other = Replacement(of: known, by: renamed) { return other }
        guard let subjects else { return nil }
        return Replacement(
            of: Identity(username: known.username, serverName: subjects.old),
            by: Identity(username: known.username, serverName: subjects.new))
    }
}
