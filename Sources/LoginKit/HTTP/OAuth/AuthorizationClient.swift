import LoginCore
import Secrets

/// Sends what an authorization server is asked, to the origin of each URL.
struct AuthorizationClient: AuthorizationTransport {
    let client: ServiceClient
    let others: OriginTransports
    /// Whether the profile or an earlier login names the server; one that a service far away names steers no request to this
    /// machine or its network.
    let isNamed: Bool
    /// The URL of the client's document, which the person has written.
    var document: String?
    /// Whether no proxy of the environment is used: the request is for the identity of a machine.
    var takesNamedProxyAlone = false

    /// In bytes: no metadata is longer.
    private static let longestMetadata = 256 << 10

    func send(_ request: HTTPRequest) throws(LoginFault) -> HTTPResponse {
        client.hide(request.hidden)
        let origin = try URLParser.parsed(request.url).origin
        let transport =
            origin == client.endpoint.origin && !takesNamedProxyAlone
            ? client.transport
            : try others.transport(
                to: origin, mayBeLocal: isNamed || request.url == document || client.transport.reachedLocal,
                takesNamedProxyAlone: takesNamedProxyAlone)
        let response = try transport.send(request)
        guard request.method != "GET" || response.body.count <= Self.longestMetadata else {
            throw .network(.answerTooLarge(limit: Self.longestMetadata))
        }
        return response
    }

    func read(_ url: String) -> EndpointURL? { Self.read(url) }

    static func read(_ url: String) -> EndpointURL? {
        guard let parsed = try? URLParser.parsed(url), parsed.user == nil, parsed.password == nil else { return nil }
        return EndpointURL(origin: parsed.origin, path: parsed.path, query: parsed.query)
    }

    func random(_ count: Int) throws(LoginFault) -> Secret { Secret.random(count: count) }

    func digits(_ hash: DigestAlgorithm.Hash, of secret: Secret) throws(LoginFault) -> Secret {
        try HashLibrary.digits(hash, of: secret)
    }
}
