/// The response of the pushed authorization request endpoint (RFC 9126, section 2.2).
package struct PushedRequest: Equatable, Sendable {
    /// For one use, in the place of the parameters.
    package let requestURI: String

    /// - Throws: `busy`; `oauth` with the refusal, or for a response without a `request_uri`.
    package init(_ response: HTTPResponse) throws(LoginFault) {
        let step = OAuthStep.pushedAuthorization
        let body = OAuthBody(response)
        if let busy = body.busy { throw .busy(busy) }
        if body.hasError || (400..<500).contains(response.status) { throw .oauth(.refused(body.refusal(at: step))) }
        try response.refuseRedirect(at: step)
        guard let requestURI = body.text("request_uri") else {
            throw .oauth(
                .unusableResponse(step, body.members == nil ? body.unreadable : .missing(member: "request_uri")))
        }
        self.requestURI = requestURI
    }
}
