import LoginCore

extension TicketProblem {
    var words: String {
        switch self {
        case .missing(let reason):
            "there is no Kerberos ticket" + (reason.isEmpty ? "" : " (\(SafeText.quoted(reason)))")
        case .expired(let principal):
            principal.isEmpty
                ? "the Kerberos ticket has expired" : "the Kerberos ticket of \(SafeText.quoted(principal)) has expired"
        case .ofAnother(let principal, let wanted):
            "the Kerberos ticket is for \(SafeText.quoted(principal)), not for \(SafeText.quoted(wanted))"
        }
    }

    /// The principal for `kinit`, with a blank before it.
    var user: String {
        switch self {
        case .missing: ""
        case .expired(let principal): principal.isEmpty ? "" : " \(ShellCommand.quoted(principal))"
        case .ofAnother(_, let wanted): " \(ShellCommand.quoted(wanted))"
        }
    }
}
