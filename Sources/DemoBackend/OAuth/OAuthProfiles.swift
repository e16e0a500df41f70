/// Profiles whose logins a person makes in a browser, pointed at this server; ``Profiles`` has the others.
enum OAuthProfiles {
    /// TOML.
    static func toml(port: UInt16) -> String {
        let origin = "http://127.0.0.1:\(port)"
        return """

            [profiles.notes]                                 # a browser login; everything else is in the issuer's metadata
            url    = "\(origin)/notes"
            method = "oauth"
            oauth  = { issuer = "\(origin)/id", client-id = "authctl", scope = "openid notes:read" }
            verify = { get = "/me", username = "/name" }

            [profiles.pad]                                   # nothing configured: found by metadata, then registered
            url    = "\(origin)/notes"
            method = "oauth"
            verify = { get = "/me", username = "/name" }

            [profiles.tv]                                    # no metadata; a code on another device; no name but in the id_token
            url    = "\(origin)/tv"
            method = "oauth"
            verify = { get = "/v1/status", username = "id-token:preferred_username" }

            [profiles.tv.oauth]
            device-authorization-endpoint = "\(origin)/id/device_authorization"
            token-endpoint                = "\(origin)/id/token"
            revocation-endpoint           = "\(origin)/id/revoke"
            client-id     = "4711"
            client-secret = "comes with the program"         # not a secret, see RFC 8252, 8.5
            scope         = "openid watch"

            [profiles.cloud]                                 # a page that the service names; a person approves there
            url     = "\(origin)/cloud"
            method  = "token"
            session = { basic = "{name}:{token}" }
            verify  = { get = "/me", username = "/name" }
            logout  = { post = "/logout" }
            login   = [
              { post = "/login", take = { page = "/login", poll = "/poll/token" }, open = "{page}" },
              { post = "/poll", form = { token = "{poll}" }, pending = [404], interval = 1, take = { name = "/name" }, token = "/password" },
            ]

            [profiles.intranet]                              # behind single sign-on at another origin; a window of a browser
            url    = "http://intranet.localhost:\(port)/intranet"
            method = "browser"
            verify = { get = "/me", username = "/name" }
            logout = { post = "/logout" }

            """
    }
}
