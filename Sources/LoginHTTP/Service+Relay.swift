public import LoginCore
public import Secrets

extension Service {
    /// What came of a request of the person's own.
    public struct Relayed {
        /// With an empty body: that went to the request's sink.
        public let response: HTTPResponse
        /// The session with what the answer renewed in it.
        public let session: Session
        /// Whether the answer itself proves that the server knows the credential.
        let isProven: Bool
    }

    /// Sends a request of the person's own with the session attached; its bodies pass through.
    ///
    /// Once: of an answer that means 'logged out' only the caller can tell what is to follow.
    public func relay(
        _ request: HTTPRequest, with session: Session, username: String
    ) throws(LoginError) -> Relayed {
        hidden.add(session.secrets, username: username)
        return try shielded { () throws(LoginError) in
            var request = request
            do throws(FillFault) {
                try request.attach(session, profile.sessionRule, values(session, username: username))
            } catch {
                throw error.asLoginError
            }
            request.comeFromBrowser(profile.sessionRule, at: endpoint.origin)
            request.hidden = hidden
            isProven = false
            let response =
                if let credential = session.credential {
                    try send(request, with: credential)
                } else {
                    try transport.send(request)
                }
            return Relayed(response: response, session: renewed(session, by: response), isProven: isProven)
        }
    }

    /// What an answer says about the session.
    /// - Parameter body: as much as there is of it; nothing where it was too long to be held.
    public func judge(_ relayed: Relayed, body: Secret?) throws(LoginError) -> RelayJudgement {
        let response = relayed.response
        let whole = HTTPResponse(
            status: response.status, headers: response.headers, body: body ?? Secret(""), cookies: response.cookies,
            redirect: response.redirect)
        let json = profile.proof.rules.readsJSON ? try whole.json() : nil
        return AnswerFacts(response: whole, json: json, origin: endpoint.origin, isProven: relayed.isProven)
            .relayed(by: profile.proof)
    }
}

extension Service {
    /// All that goes along with a request that writes, for a program that sends requests of its own.
    public struct Attachment {
        /// Its headers, cookies and pair of user name and password.
        public let request: HTTPRequest
        /// How the credential goes along where it is the session, or where a token takes its place (Basic); else nothing.
        public let method: AuthenticationMethod?
    }

    /// - Throws: as `relay`, without a request to the server unless that has still to say which method it wants.
    public func attachment(of session: Session, username: String) throws(LoginError) -> Attachment {
        var request = HTTPRequest(method: "POST", url: endpoint.base)
        do throws(FillFault) {
            try request.attach(session, profile.sessionRule, values(session, username: username))
        } catch {
            throw error.asLoginError
        }
        request.comeFromBrowser(profile.sessionRule, at: endpoint.origin)
        guard case .credential(let credential) = session else {
            return Attachment(request: request, method: request.basic == nil ? nil : .basic)
        }
        let method = try method(for: credential)
        if method == .basic || method == .digest { request.basic = credential.pair }
        return Attachment(request: request, method: method)
    }
}
