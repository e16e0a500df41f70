import RegexBuilder

/// What examples name, as it is at the demo server.
enum ExampleWords {
    /// Profiles, and the one of the demo server that each is like.
    static let profiles = [
        "admin": "admin", "api": "blog", "blog": "blog", "chat": "chat", "deploy": "blog", "forge": "forge",
        "git": "wire", "github": "forge", "index": "index", "notes": "notes", "npm": "forge", "rabbitmq": "wire",
        "screencast": "screencast", "site": "blog", "tv": "tv", "vault": "vault", "wiki": "blog", "work": "wire",
    ]

    /// Those whose service knows its own address, and is where that is.
    static let local: Set = ["admin", "notes", "tv"]

    /// What is written, and what it is here; in this order.
    private static let table = [
        ("NAME --device", "tv --device"), ("NAME --otp-command", "vault --otp-command"),
        ("-P NAME --unchanged -- gh", "-P github --unchanged -- gh"),
        ("-P NAME --env", "-P forge --env"), ("-P wiki --env", "-P forge --env"), ("token NAME\n", "token forge\n"),
        ("token NAME --as exec", "token forge --as exec"), ("token wiki --min-ttl", "token screencast --min-ttl"),
        ("@a.zip URL", "@a.zip https://blog.example/posts"), ("PUT /files/a.zip", "POST /posts"),
        ("site) URL", "site) https://site.example/users/me"), (" URL", " https://blog.example/users/me"),
        // What somebody else does with the file.
        ("profile add NAME.toml", "profile add --name other NAME.toml"),
        ("profile add blog.toml", "profile add --name other blog.toml"),
        // Pages.
        ("wiki.example/api/me", "wiki.example/me"),
        ("discover https://wiki.example\n", "discover http://wiki.localhost:PORT/me\n"),
        ("discover --save https://wiki.example/\n", "discover --save http://wiki.localhost:PORT/me\n"),
        ("--name wiki https://wiki.example", "--name wiki http://wiki.localhost:PORT"),
        ("registry.example/v2/", "registry.example/me"), ("git.example/api/user", "git.example/me"),
        ("request /me\n", "request /account/verify_credentials.json\n"), (" /me ", " /users/me "),
        ("example/me", "example/account/verify_credentials.json"), ("PORT/me", "PORT/account/verify_credentials.json"),
        ("admin.example/admin/", "admin.example/"), ("https://admin.example/", "http://admin.localhost:PORT/api/me/"),
        ("-K - https://wiki.example/", "-K - https://wiki.example/users/me"),
        ("/api/pages", "/posts"), ("SERVE_URL\"pages", "SERVE_URL\"posts"), ("/api/export", "/posts"),
        ("next=/issues", "next=/user"),
        ("--anonymous https://forge.example/api/v4/projects", "--anonymous https://forge.example/open.json"),
        ("forge.example/api/v4/projects", "forge.example/api/v4/user"),
        ("forge.example/svn/a", "forge.example/api/v4/user"),
        ("screencast.example/home", "screencast.example/home/index.json"),
        ("site.example/a.zip", "site.example/users/me"),
        ("PUT /upload", "POST /posts"),
        // Programs that call authctl themselves, and one that knows the service's own URL.
        ("-P blog -- ./deploy", "-P blog -- authctl request /users/me"),
        ("0) ./deploy", "0) authctl request /users/me -P blog"),
        ("-P blog -- backup", "-P blog -- authctl request /users/me"),
        ("--unchanged -- python3 report.py", "--unchanged -- python3 sdk.py"),
        // Places and stores of this machine.
        ("/usr/local/bin:", "$HOME/bin:"), ("/run/secrets/blog", "$HOME/.blog.password"),
        ("keyring file", "plaintext file"),
    ]

    /// A command of an example as it is run, without what it says of itself.
    static func here(_ command: String, port: Int) -> String {
        let paths = table.reduce(command.replacing(/\ +# .*$/, with: "") + "\n") { $0.replacing($1.0, with: $1.1) }
        return [("NAME", "blog"), ("ada", "ann"), ("grace", "bob"), ("ben", "bob")]
            .reduce(paths) { $0.replacing(word($1.0), with: $1.1) }
            .replacing("PORT", with: "\(port)")
    }

    private static func word(_ word: String) -> Regex<Substring> {
        Regex {
            Anchor.wordBoundary; word; Anchor.wordBoundary
        }.wordBoundaryKind(.simple)
    }
}
