/// The sentences about a refresh.
enum RefreshWords {
    /// After a signal.
    static let postponed = "Finishing the refresh before stopping…"
}
