import LoginCore
import Secrets

extension Service {
    /// Asks to go on in another protocol, with the session attached.
    /// - Parameter name: of the protocol (RFC 9110, section 7.8).
    /// - Returns: the answer, and the connection where the service goes on in that protocol.
    /// - Throws: as `relay`.
    func openTunnel(
        _ request: HTTPRequest, to name: String, with session: Session, username: String
    ) throws(LoginFault) -> (relayed: Relayed, tunnel: (any Tunnel)?) {
        try client.shielded(session.secrets, username: username) { () throws(LoginFault) in
            var request = request
            let session = try fetchingCSRF(for: profile.sessionRule.slots(for: request.method), session, username)
            do throws(FillFault) {
                try request.attach(session, profile.sessionRule, client.values(session, username: username))
            } catch {
                throw error.asLoginFault
            }
            request.hidden = client.hidden
            // The last one: a challenge of Digest may have to be answered once more.
            var tunnel: (any Tunnel)?
            func line(_ request: HTTPRequest) throws(LoginFault) -> HTTPResponse {
                let opened = try client.transport.openTunnel(request, to: name)
                tunnel = opened
                return opened.response
            }
            let sent =
                if let credential = session.credential {
                    try procedure.send(request, with: credential, answersOtherRealms: false, over: line)
                } else {
                    ServiceClient.Sent(response: try line(request))
                }
            let relayed = Relayed(
                response: sent.response, session: session, isProven: sent.isProven,
                carriedPassword: sent.carriedPassword, url: request.url)
            guard sent.response.status == 101 else { return (relayed, nil) }
            guard sent.response.values(of: "Upgrade").map({ $0.lowercased() }) == [name] else {
                throw .network(.brokenResponse("it goes on in a protocol that it was not asked for"))
            }
            return (relayed, tunnel)
        }
    }
}
