extension SharedRefresh {
    /// What the engine has of a login, unsealed.
    package struct Value: Equatable, Hashable, Sendable {
        /// What the engine calls this state of it, for the next compare-and-swap.
        package var version: Int
        /// The number of sessions that there were.
        package var generation: Int
        /// Who is refreshing it.
        package var holder: String?
        /// The first machine that began a refresh of this generation and did not end it: it may have the next session.
        package var unfinished: String?
        /// Whether the provider has refused a refresh after that one: nobody asks it again.
        package var isRefused: Bool
        /// Whether somebody has logged out: what is left says only that there is no session of an earlier generation any more.
        package var isErased: Bool

        package init(
            version: Int, generation: Int, holder: String? = nil, unfinished: String? = nil, isRefused: Bool = false,
            isErased: Bool = false
        ) {
            (self.version, self.generation, self.holder) = (version, generation, holder)
            (self.unfinished, self.isRefused, self.isErased) = (unfinished, isRefused, isErased)
        }
    }

    /// What a look at this machine and then at the engine tells.
    package struct Look: Equatable, Hashable, Sendable {
        /// The highest generation that this machine has seen, read before the value.
        package var mark: Int
        package var value: Value
        /// The generation of a session that the provider has given to this machine, and that did not reach the engine.
        package var journal: Int?
        /// Whether the value's lock has run out, by this machine's clock since it first saw the lock.
        package var lockIsOver: Bool
        /// Whether the session in it has to be refreshed.
        package var isOver: Bool

        package init(mark: Int, value: Value, journal: Int? = nil, lockIsOver: Bool = false, isOver: Bool) {
            (self.mark, self.value, self.journal) = (mark, value, journal)
            (self.lockIsOver, self.isOver) = (lockIsOver, isOver)
        }
    }
}
