import Foundation

/// The clients that the authorization server knows: some from the start, others registered by themselves (RFC 7591).
struct ClientRegistry: Sendable {
    private var clients = Dictionary(uniqueKeysWithValues: OAuthClient.configured.map { ($0.id, $0) })

    /// The client of that id.
    subscript(id: String?) -> OAuthClient? { id.flatMap { clients[$0] } }

    /// The client that sends this request, once it has proved who it is (RFC 6749, 2.3).
    func authenticated(_ call: Call, _ parameters: Parameters) throws(OAuthError) -> OAuthClient {
        let (id, secret, way) = try Self.credentials(call, parameters)
        guard let client = self[id], client.authentications.contains(way) else {
            throw OAuthError(.invalidClient, "This client is unknown, or has to authenticate in another way")
        }
        guard Doorkeeper.sameBytes(client.secret ?? "", secret) else {
            throw OAuthError(.invalidClient, "The secret of this client is another one")
        }
        return client
    }

    private typealias Credentials = (id: String, secret: String, way: OAuthClient.Authentication)

    private static func credentials(_ call: Call, _ parameters: Parameters) throws(OAuthError) -> Credentials {
        guard call.header("Authorization") != nil else {
            let secret = parameters["client_secret"]
            return (try parameters.required("client_id"), secret ?? "", secret == nil ? .none : .post)
        }
        guard let pair = call.basic, let id = Parameters.decoded(pair.name),
            let secret = Parameters.decoded(pair.password)
        else { throw OAuthError(.invalidClient, "This is not Basic authentication") }
        guard parameters["client_secret"] == nil, parameters["client_id"] ?? id == id else {
            throw OAuthError(.invalidRequest, "The client authenticates twice")
        }
        return (id, secret, .basic)
    }

    /// Adds a client of this description.
    mutating func register(_ wish: ClientMetadata) throws(OAuthError) -> OAuthClient {
        let client = try wish.client()
        clients[client.id] = client
        return client
    }

    /// The registered client that this request is about and has the token for (RFC 7592, 2).
    func registered(_ call: Call, id: String) -> OAuthClient? {
        guard let client = clients[id], let token = client.registrationToken, call.bearer == token else { return nil }
        return client
    }

    /// How many have registered themselves.
    var registeredCount: Int { clients.values.count { $0.registrationToken != nil } }

    mutating func remove(_ client: OAuthClient) { clients[client.id] = nil }
}
