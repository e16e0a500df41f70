import Foundation

/// A small OAuth 2.0 authorization server: codes with PKCE for browsers, device codes, refresh tokens that rotate, pushed
/// requests, revocation and registration. It keeps no session with a browser: each consent needs the password.
struct AuthorizationServer: Sendable {
    static let path = "/id"
    static let routes = [
        "GET  /.well-known/oauth-authorization-server/id   metadata (RFC 8414) of the issuer http://HOST/id",
        "GET  /id/authorize                     a code, with PKCE S256; a page that asks for name and password",
        "POST /id/consent                       form request (hidden in the page), username, password,",
        "                                       decision=approve or deny",
        "POST /id/token [?ttl=SECONDS]          authorization_code, refresh_token, device_code",
        "POST /id/device_authorization          [interval=SECONDS] [code_ttl=SECONDS]; a code for a device",
        "GET  /id/device [?user_code=CODE]      where a person enters it",
        "POST /id/par                           a pushed authorization request (RFC 9126)",
        "POST /id/revoke                        RFC 7009",
        "POST /id/register                      RFC 7591; GET and DELETE /id/register/CLIENT_ID: RFC 7592",
        "                                       clients that need none: authctl (no secret), 4711 (“comes with the",
        "                                       program”, device), desk:1 (“50% off + tax & ünïcode”, basic, code)",
        "                                       ttl=SECONDS as a parameter of a request shortens its access tokens;",
        "                                       id_token (HS256) with the scope openid, for clients with a secret",
    ]

    var clients = ClientRegistry()
    var tokens = TokenFamilies()
    var codes = AuthorizationCodes()
    var devices = DeviceAuthorizations()
    /// By their request URI.
    var pushed: [String: PushedRequest] = [:]
    /// What people are looking at, by the value that their form sends.
    var consents: [String: ConsentSource] = [:]

    mutating func answer(_ call: Call, door: inout Doorkeeper) -> Reply? {
        if call.isFor("GET", "/.well-known/oauth-authorization-server" + Self.path) {
            return .json(200, AuthorizationServerMetadata(origin: call.origin))
        }
        guard call.path.hasPrefix(Self.path + "/") else { return nil }
        if let reply = answerBrowser(call, door: &door) { return reply }
        do throws(OAuthError) {
            return try answerClient(call)
        } catch {
            return error.reply
        }
    }

    private mutating func answerBrowser(_ call: Call, door: inout Doorkeeper) -> Reply? {
        if call.isFor("GET", Self.path + "/authorize") { return authorize(call) }
        if call.isFor("POST", Self.path + "/consent") { return consent(call, door: &door) }
        if call.isFor("GET", Self.path + "/device") { return device(call) }
        return nil
    }

    private mutating func answerClient(_ call: Call) throws(OAuthError) -> Reply? {
        if call.isFor("POST", Self.path + "/token") { return try token(call) }
        if call.isFor("POST", Self.path + "/device_authorization") { return try authorizeDevice(call) }
        if call.isFor("POST", Self.path + "/par") { return try push(call) }
        if call.isFor("POST", Self.path + "/revoke") { return try revoke(call) }
        if call.isFor("POST", Self.path + "/register") { return try register(call) }
        return registration(call)
    }
}

extension Call {
    /// This server as the client names it.
    var origin: String { "http://\(header("Host") ?? "")" }
    /// The issuer of the authorization server as the client names it.
    var issuer: String { origin + AuthorizationServer.path }
}
