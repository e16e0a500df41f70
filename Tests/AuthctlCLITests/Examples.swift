/// The example profiles of the promise to users, as they are written there.
enum Examples {
    static let wire = """
        [profiles.wire]
        url    = "https://api.wire.example"
        verify = { get = "/account/verify_credentials.json", username = "/screen_name" }
        """

    static let blog = """
        [profiles.blog]
        url    = "https://blog.example"
        method = "cookie"
        login  = { post = "/users/login", json = { name = "{username}", password = "{password}" } }
        verify = { get = "/users/me", username = "/name", logged-out = [401, 403] }
        """

    static let screencast = """
        [profiles.screencast]
        url     = "https://screencast.example"
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
        """

    static let forge = """
        [profiles.forge]
        url     = "https://forge.example/api/v4"
        method  = "token"
        session = { header = "PRIVATE-TOKEN: {token}" }
        verify  = { get = "/user", username = "/username" }
        """

    static let admin = """
        [profiles.admin]
        url     = "https://admin.example"
        method  = "cookie"
        session = { cookies = true, write-header = "X-CSRFToken: {cookie:csrftoken}" }
        login   = { page = "/login/", post = "/login/", form = { username = "{username}", password = "{password}" } }
        verify  = { get = "/api/me/", username = "/username", logged-out = [401, { status = 302, "header:Location" = "/login/*" }] }
        logout  = { post = "/logout/" }
        """

    static let chat = """
        [profiles.chat]
        url     = "https://chat.example/_matrix/client/v3"
        method  = "token"
        verify  = { get = "/account/whoami", username = "/user_id" }
        refresh = { post = "/refresh", json = { refresh_token = "{refresh-token}" } }
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
        """

    static let index = """
        [profiles.index]
        url     = "https://index.example"
        method  = "token"
        session = { basic = "{username}:{token}" }
        login   = { post = "/+login", json = { user = "{username}", password = "{password}" }, token = "/result/password", expires-in = "/result/expiration" }
        verify  = { get = "/+api", username = "/result/authstatus/1", logged-out = [{ "/result/authstatus/0" = "noauth" }] }
        """

    static let intranet = """
        [profiles.intranet]
        url     = "https://intranet.example"
        method  = "negotiate"
        session = { cookies = true }
        login   = { get = "/session/" }
        verify  = { get = "/session/whoami" }
        """

    /// Those that this release answers.
    static let config =
        "default = \"blog\"\n\n" + [wire, blog, screencast, forge, admin, chat, index].joined(separator: "\n\n") + "\n"
}
