package import LoginCore
internal import Secrets

extension Service {
    /// Asks to go on in another protocol, with the session attached.
    /// - Parameter name: of the protocol (RFC 9110, section 7.8).
    /// - Returns: the answer, and the connection where the service goes on in that protocol.
    /// - Throws: as `relay`; and where the credential goes along in a dialogue, which such a request has no time for.
    package func openTunnel(
        _ request: HTTPRequest, to name: String, with session: Session, username: String
    ) throws(LoginError) -> (relayed: Relayed, tunnel: (any Tunnel)?) {
        try client.shielded(session.secrets, username: username) { () throws(LoginError) in
            var request = request
            let session = try fetchingCSRF(for: profile.sessionRule.slots(for: request.method), session, username)
            do throws(FillFault) {
                try request.attach(session, profile.sessionRule, client.values(session, username: username))
            } catch {
                throw error.asLoginError
            }
            if let credential = session.credential {
                switch try procedure.method(for: credential) {
                case .basic: request.basic = credential.pair
                case .certificate: break
                case .digest, .negotiate, .cookie, .token, .oauth, .auto:
                    throw .failure(.other("a WebSocket cannot be opened with this kind of login"))
                }
            }
            request.hidden = client.hidden
            let tunnel = try client.transport.openTunnel(request, to: name)
            let relayed = Relayed(
                response: tunnel.response, session: session, isProven: false,
                carriedPassword: request.basic != nil && session.credential != nil)
            return (relayed, tunnel.response.status == 101 ? tunnel : nil)
        }
    }
}
