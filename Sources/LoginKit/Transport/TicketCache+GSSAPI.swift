import CGSSAPI
import Glibc
import Secrets

extension TicketCache {
    /// The default credential of GSSAPI: `KRB5CCNAME`, `KRB5_CONFIG` and the system's own settings say which.
    static let gssapi = TicketCache(
        find: { Finding().finding },
        request: { (host) throws(LoginFault) in try Finding(requesting: "HTTP@\(host)").check() })

    /// The token that a request to a host begins Negotiate with (RFC 4559, section 4.1). The server's own
    /// token is not looked at: that it is the right server is for TLS to prove.
    static func token(for host: String) throws(LoginFault) -> Secret {
        var bytes: UnsafeMutableRawPointer?
        var count = 0
        defer { free(bytes) }
        try Finding(beginning: "HTTP@\(host)", &bytes, &count).check()
        return Secret(copying: UnsafeRawBufferPointer(start: bytes, count: count))
    }
}

/// Converts the library's finding.
private struct Finding {
    private var ticket = cgssapi_ticket()
    private let state: cgssapi_state

    init() { state = cgssapi_find(&ticket) }

    init(requesting service: String) { state = cgssapi_request(service, &ticket) }

    init(beginning service: String, _ token: inout UnsafeMutableRawPointer?, _ count: inout Int) {
        state = cgssapi_begin(service, &ticket, &token, &count)
    }

    var finding: TicketFinding {
        switch state {
        case CGSSAPI_VALID: .valid(principal: principal)
        case CGSSAPI_EXPIRED: .unusable(.expired(principal: principal))
        case CGSSAPI_NO_LIBRARY: .unusable(.missing(reason: "libgssapi_krb5.so.2 is not installed"))
        default: .unusable(.missing(reason: reason))
        }
    }

    func check() throws(LoginFault) {
        switch state {
        case CGSSAPI_VALID: return
        case CGSSAPI_UNREACHABLE: throw .network(.noKerberosServer(reason: reason))
        case CGSSAPI_REFUSED: throw .noTicketForService(reason: reason)
        default:
            if case .unusable(let problem) = finding { throw .loginRequired(LoginNeed(why: .ticket(problem))) }
        }
    }

    private var principal: String { String(upToNUL: ticket.principal) }
    private var reason: String { String(upToNUL: ticket.reason) }
}
