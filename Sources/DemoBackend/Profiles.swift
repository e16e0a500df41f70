/// The profiles of authctl's contract, pointed at this server.
enum Profiles {
    /// TOML, word for word as the contract has it but for the URLs.
    static func toml(port: UInt16) -> String {
        let origin = "http://127.0.0.1:\(port)"
        return """
            default = "blog"

            [profiles.wire]                                  # HTTP Basic against a verify-credentials endpoint
            url    = "\(origin)"
            verify = { get = "/account/verify_credentials.json", username = "/screen_name" }

            [profiles.blog]                                  # a posted JSON object; the status decides; a cookie stays
            url    = "\(origin)"
            method = "cookie"
            login  = { post = "/users/login", json = { name = "{username}", password = "{password}" } }
            verify = { get = "/users/me", username = "/name", logged-out = [401, 403] }

            [profiles.screencast]                            # a posted form; a token that expires; its own header
            url     = "\(origin)"
            method  = "token"
            session = { header = "auth_token: {token}" }
            verify  = { get = "/home/index.json", username = "/user/username" }

            [profiles.screencast.login]
            post    = "/auth/login.json"
            form    = { username = "{username}", password = "{password}" }
            query   = { ttl = "{ttl}" }
            token   = "/auth_token"
            expires = "/expires_at"
            message = "/error"

            [profiles.forge]                                 # a personal access token, pasted once
            url     = "\(origin)/api/v4"
            method  = "token"
            session = { header = "PRIVATE-TOKEN: {token}" }
            verify  = { get = "/user", username = "/username" }

            [profiles.admin]                                 # a login page with a CSRF token; its cookie goes into a header
            url     = "\(origin)"
            method  = "cookie"
            session = { cookies = true, write-header = "X-CSRFToken: {cookie:csrftoken}" }
            login   = { page = "/login/", post = "/login/", form = { username = "{username}", password = "{password}" } }
            verify  = { get = "/api/me/", username = "/username", logged-out = [401, { status = 302, "header:Location" = "/login/*" }] }
            logout  = { post = "/logout/" }

            [profiles.chat]                                  # nested; 403 refuses; milliseconds; a rotating refresh token
            url     = "\(origin)/_matrix/client/v3"
            method  = "token"
            verify  = { get = "/account/whoami", username = "/user_id" }
            refresh = { post = "/refresh", json = { refresh_token = "{refresh-token}" }, refused = [{ "/errcode" = "M_UNKNOWN_TOKEN" }] }
            logout  = { post = "/logout" }

            [profiles.chat.login]
            post          = "/login"
            token         = "/access_token"
            refresh-token = "/refresh_token"
            expires-in-ms = "/expires_in_ms"
            message       = "/error"
            refused       = [403]

            [profiles.chat.login.json]
            type          = "m.login.password"
            identifier    = { type = "m.id.user", user = "{username}" }
            password      = "{password}"
            refresh_token = true

            [profiles.index]                                 # the token is a Basic password; the check always answers 200
            url     = "\(origin)"
            method  = "token"
            session = { basic = "{username}:{token}" }
            login   = { post = "/+login", json = { user = "{username}", password = "{password}" }, token = "/result/password", expires-in = "/result/expiration" }
            verify  = { get = "/+api", username = "/result/authstatus/1", logged-out = [{ "/result/authstatus/0" = "noauth" }] }

            """
    }
}
