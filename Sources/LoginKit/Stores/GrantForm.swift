import LoginCore
import Secrets

/// The stored form of a grant beside its tokens: all of it as one secret.
struct GrantForm: Codable {
    private let issuer: String?
    private let tokenEndpoint: String
    private let revocation: RevocationForm?
    private let client: ClientForm
    private let scope: String?
    private let resource: String?
    private let name: String?
    /// Older releases do not write it.
    private let subject: String?

    private struct RevocationForm: Codable {
        let endpoint: String
        let authentication: String
    }

    private struct ClientForm: Codable {
        let id: String
        let secret: String?
        let authentication: String
        let registration: RegistrationForm?
    }

    private struct RegistrationForm: Codable {
        let url: String?
        let token: String?
    }

    init(_ terms: Grant.Terms) {
        issuer = terms.issuer
        tokenEndpoint = terms.tokenEndpoint
        revocation = terms.revocation.map {
            RevocationForm(endpoint: $0.endpoint, authentication: $0.authentication.rawValue)
        }
        let client = terms.client
        self.client = ClientForm(
            id: client.id, secret: client.secret.map(Base64.encode), authentication: client.authentication.rawValue,
            registration: client.registration.map {
                RegistrationForm(url: $0.url, token: $0.token.map(Base64.encode))
            })
        scope = terms.scope
        resource = terms.resource
        name = terms.name
        subject = terms.subject
    }

    /// - Throws: `Malformed` for what no release has written.
    func terms() throws(StoredLoginCodec.Malformed) -> Grant.Terms {
        let secret = try client.secret.map(StoredLoginCodec.secret)
        let token = try client.registration?.token.map(StoredLoginCodec.secret)
        let kept = OAuthClient(
            id: client.id, secret: secret, authentication: try Self.authentication(client.authentication),
            registration: client.registration.map { OAuthClient.Registration(url: $0.url, token: token) })
        var place: Grant.Revocation?
        if let revocation {
            place = Grant.Revocation(
                endpoint: revocation.endpoint, authentication: try Self.authentication(revocation.authentication))
        }
        return Grant.Terms(
            issuer: issuer, tokenEndpoint: tokenEndpoint, revocation: place, client: kept, scope: scope,
            resource: resource, name: name, subject: subject)
    }

    private static func authentication(
        _ name: String
    ) throws(StoredLoginCodec.Malformed) -> ClientAuthentication {
        guard let method = ClientAuthentication(rawValue: name) else { throw StoredLoginCodec.Malformed() }
        return method
    }
}
