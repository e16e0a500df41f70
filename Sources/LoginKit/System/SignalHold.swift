import CProcess

/// Postpones the signals that would end this process, for 5 seconds at most; a second one ends it at once. Calls nest.
enum SignalHold {
    /// - Parameter notice: what is written to standard error when a signal is postponed, if that is a terminal.
    static func begin(_ notice: String?) {
        if let notice { cprocess_hold_signals(notice) } else { cprocess_hold_signals(nil) }
    }

    /// Dies of the signal that was postponed, if there is one.
    package static func end() { cprocess_release_signals() }
}
