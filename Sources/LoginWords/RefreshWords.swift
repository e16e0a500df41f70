/// The sentences about a refresh.
package enum RefreshWords {
    /// After a signal.
    package static let postponed = "Finishing the refresh before stopping…"
}
