import Secrets

/// The document at the URL that is a client's identifier, which describes the client to servers that it is not registered at
/// (draft-ietf-oauth-client-id-metadata-document).
package struct ClientMetadata: Equatable, Sendable {
    /// Where the browser brings the response: the first loopback redirect with a port, else the first one. Servers compare it exactly.
    package let redirect: LoopbackRedirect

    /// Reads the document.
    /// - Parameter url: where it was fetched.
    /// - Throws: `busy`; `oauth` with what is wrong with it.
    package init(_ response: HTTPResponse, at url: String) throws(LoginFault) {
        let body = OAuthBody(response)
        if let busy = body.busy { throw .busy(busy) }
        do throws(ClientMetadataFault) {
            guard (200..<300).contains(response.status) else { throw .status(response.status) }
            guard body.members != nil else { throw .notJSON }
            guard let id = body.text("client_id"), id == url else { throw .otherClient(body.text("client_id")) }
            let redirects = body.texts("redirect_uris") ?? []
            let here = redirects.compactMap { LoopbackRedirect($0) }
            guard let redirect = here.first(where: { $0.port != nil }) ?? here.first else {
                throw .noRedirectHere(redirects)
            }
            self.redirect = redirect
        } catch {
            throw .oauth(.clientMetadata(url: url, error))
        }
    }

    /// Whether an identifier is the URL of such a document: https, or http on this machine, with a path, and
    /// nothing that a server would not accept there.
    package static func isURL(_ clientID: String, parse: URLReading) -> Bool {
        guard clientID.hasPrefix("https://") || clientID.hasPrefix("http://"), !clientID.contains("#"),
            let url = parse(clientID), url.query == nil, !["", "/"].contains(url.path), EndpointRule().permits(url)
        else { return false }
        return url.text == clientID
    }

    /// The document for a site to put at a URL that becomes the identifier.
    package static func document(at url: String) throws(LoginFault) -> String {
        // Any port will do, as long as it is always the same: servers compare the redirect exactly.
        let redirect = LoopbackRedirect().uri(port: 8976)
        return try RegistrationRequest(redirect: redirect, scope: nil).json(clientID: url).unprotectedText
    }
}
