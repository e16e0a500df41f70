/// A finding in the Kerberos credential cache (RFC 4120).
enum TicketFinding: Equatable, Sendable {
    case valid(principal: String)
    case unusable(TicketProblem)
}

/// No ticket can be used. `reason` is in the words of the Kerberos library.
package enum TicketProblem: Equatable, Sendable {
    case missing(reason: String)
    case expired(principal: String)
    /// The ticket belongs to another user than the login is for.
    case ofAnother(principal: String, wanted: String)
}

extension TicketFinding {
    /// The finding, if the ticket belongs to this user: by the principal, with or without its realm.
    /// - Parameter wanted: `nil` for any user.
    func restricted(to wanted: String?) -> TicketFinding {
        guard let wanted, !wanted.isEmpty else { return self }
        if self == .unusable(.expired(principal: "")) { return .unusable(.expired(principal: wanted)) }
        guard case .valid(let principal) = self else { return self }
        let bytes = Array(principal.utf8)
        let local = bytes.lastIndex(of: UInt8(ascii: "@")).map { bytes[..<$0] } ?? bytes[...]
        if bytes.elementsEqual(wanted.utf8) || local.elementsEqual(wanted.utf8) { return self }
        return .unusable(.ofAnother(principal: principal, wanted: wanted))
    }
}

/// The user's Kerberos tickets. Reading them sends no request.
/// The Kerberos library's, or a test's: nothing else is known of it here.
struct TicketCache: Sendable {
    /// The principal of the ticket.
    let find: @Sendable () -> TicketFinding
    /// Whether there is one that has not expired.
    var isValid: Bool { if case .valid = find() { true } else { false } }
    /// Has the Kerberos server give a ticket for the service of a host, such as `intranet.example`, so that a fault is
    /// told in its words and not found out from a 401. Nothing goes to the service.
    let request: @Sendable (_ host: String) throws(LoginFault) -> Void
}
