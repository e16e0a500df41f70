/// The command line of demo-backend.
struct Options: Sendable {
    enum Task: Sendable {
        case serve
        case printAccounts
        case printProfiles
        case printOAuthProfiles
        case printHelp
    }

    /// A command line that means nothing.
    struct Mistake: Error {
        let words: String
    }

    var task = Task.serve
    /// 0 stands for any free port.
    var port: UInt16 = 0
    var quiet = false
    /// One answer in so many goes wrong; nothing for none.
    var every: UInt64?
    var untilEndOfInput = false

    static let help = """
        usage: demo-backend [--port N] [--quiet] [--until-eof] [--fail-every N]
               demo-backend --accounts | --profiles --port N | --oauth-profiles --port N | --help

        Serves every kind of login on 127.0.0.1, for demos and tests. It prints where it listens on stdout,
        and what it sees, secrets masked, on stderr. SIGTERM or SIGINT ends it.

          --port N      the port; 0, which is usual, stands for any free one
          --quiet       does not print what it sees
          --fail-every N  lets one answer in N go wrong: lost, cut short, late, 429, 500, or a token that is over
          --until-eof   ends when its stdin is closed too
          --accounts    prints who may log in, and ends
          --profiles    prints authctl profiles (TOML) for the services on port N, and ends
          --oauth-profiles  prints those whose method is oauth, and ends

        """

    /// - Throws: ``Mistake`` for an unknown option or a value that is not a port.
    init(_ arguments: some Sequence<String>) throws(Mistake) {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--port": port = try Self.port(rest.popFirst())
            case "--quiet": quiet = true
            case "--fail-every": every = try Self.rate(rest.popFirst())
            case "--until-eof": untilEndOfInput = true
            case "--accounts": task = .printAccounts
            case "--profiles": task = .printProfiles
            case "--oauth-profiles": task = .printOAuthProfiles
            case "--help", "-h": task = .printHelp
            default: throw Mistake(words: "unknown argument: \(argument)")
            }
        }
        switch task {
        case .printProfiles, .printOAuthProfiles:
            if port == 0 { throw Mistake(words: "profiles need --port N") }
        case .serve, .printAccounts, .printHelp: break
        }
    }

    private static func rate(_ text: String?) throws(Mistake) -> UInt64 {
        guard let text, let rate = UInt64(text), rate > 0 else { throw Mistake(words: "--fail-every needs a number") }
        return rate
    }

    private static func port(_ text: String?) throws(Mistake) -> UInt16 {
        guard let text, let port = UInt16(text) else { throw Mistake(words: "--port needs a number up to 65535") }
        return port
    }
}
