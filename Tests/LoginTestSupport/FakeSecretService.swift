/// A Secret Service of one item, for what GNOME's cannot be made to do.
enum FakeSecretService {
    enum Behaviour: String, Sendable, CaseIterable {
        /// Knows no encryption.
        case plain
        /// Locked, and the person unlocks it.
        case unlocked
        /// Locked, and the person closes the dialogue.
        case dismissed
        /// Locked, and nobody is there.
        case unanswered
        /// Finds items that are gone when they are asked for.
        case vanishing
        /// Answers a search with what does not match.
        case careless
        /// Has no default collection.
        case homeless
        /// Creates nothing.
        case full
        /// Is killed while it creates an item.
        case dying
    }
}
