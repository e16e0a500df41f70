import FoundationEssentials

extension HTTPResponse {
    /// Whether the server says that it has accepted the ticket, be the request refused or not: the token of its answer is
    /// SPNEGO's `accept-completed` (RFC 4178, section 4.2.2). So a 401 for a missing right tells itself from one for a
    /// bad ticket.
    var acceptsTicket: Bool {
        AuthenticateChallenge.parse(values(of: "WWW-Authenticate")).contains {
            $0.scheme == "negotiate" && $0.token68.map { Self.isAcceptCompleted($0) } ?? false
        }
    }

    /// `NegTokenResp`, tag [1], holds a sequence that begins with `negState`, tag [0]: an enumeration, 0 for accepted.
    static func isAcceptCompleted(_ base64: String) -> Bool {
        guard base64.utf8.count <= 65_536, let token = Data(base64Encoded: base64) else { return false }
        var rest = [UInt8](token)[...]
        for tag: UInt8 in [0xA1, 0x30] {
            guard rest.first == tag, let length = rest.dropFirst().first else { return false }
            // The lengths themselves do not matter; the long form says in its low bits how many bytes follow.
            rest = rest.dropFirst(2 + (length < 0x80 ? 0 : Int(length & 0x7F)))
        }
        return rest.starts(with: [0xA0, 0x03, 0x0A, 0x01, 0x00])
    }
}
