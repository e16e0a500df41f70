import ArgumentParser
import LoginKit

/// The help pages that are not commands.
enum HelpTopics {
    private static let all: [any ParsableCommand.Type] = [
        TasksHelpCommand.self, ExitCodesCommand.self, ConfigHelpCommand.self, EnvironmentHelpCommand.self,
    ]

    static var names: [String] { all.map { $0._commandName } }

    /// Removes from the parser's page of a topic the usage and the options that only commands have; puts the options of other pages
    /// under their headings.
    /// - Parameter columns: for which the parser has made it; `nil` for as many as it takes by itself.
    static func page(_ text: String, of arguments: [String], columns: Int? = nil) -> String {
        guard let word = arguments.first(where: { $0 != "help" && !$0.hasPrefix("-") }), names.contains(word),
            let end = text.ranges(of: "\nUSAGE: ").last
        else { return HelpGroups.page(UsageLine.short(text), columns: columns) }
        return String(text[..<end.lowerBound].reversed().drop(while: \.isNewline).reversed())
    }

    /// What `authctl` alone prints: the commands by name, so that the examples are seen on a small terminal.
    static var brief: String {
        let configuration = Authctl.configuration
        let groups = configuration.groupedSubcommands.map { group in
            "  \(group.name): \(group.subcommands.map { $0._commandName }.joined(separator: ", "))"
        }
        return """
            \(configuration.abstract)

            \(groups.joined(separator: "\n"))

            \(configuration.discussion)
            What each command does, and the options of all: authctl --help
            """
    }

    /// Whether a word is a command or a topic.
    static func hasPage(of word: String) -> Bool {
        word == "help" || Authctl.configuration.subcommands.contains { CommandNames.goes($0, by: word) }
    }

    /// Whether a word is a command that has no commands of its own: behind it, too, stands what is searched for.
    static func isAlone(_ word: String) -> Bool {
        Authctl.configuration.subcommands.contains {
            CommandNames.goes($0, by: word) && $0.configuration.subcommands.isEmpty
        }
    }

    /// The parser shows the help of everything for a topic that it does not know.
    /// - Parameter others: further words that can be meant by the first one.
    /// - Throws: `usage` for such a topic, with the nearest.
    static func check(_ words: ArraySlice<String>, near others: [String] = []) throws(LoginFault) {
        var commands = Authctl.configuration.subcommands, group = ""
        for word in words where !word.hasPrefix("-") {
            if group.isEmpty, word == "help" { return }
            guard let command = commands.first(where: { CommandNames.goes($0, by: word) }) else {
                guard !commands.isEmpty else {
                    throw .usage("a command has no help topics: authctl help \(group.dropLast())")
                }
                let shown = commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
                let known = shown + (group.isEmpty ? names : [])
                // Of a short word, every other is near.
                let all = known + (word.count > 4 && group.isEmpty ? others : [])
                let near = all.nearest(to: word).first.map { "did you mean 'help \(group)\($0)'?" }
                throw .usage(
                    """
                    no such help topic \(SafeText.quoted(group + word, limit: 40)); \
                    \(near ?? "the topics are: \(known.joined(separator: ", "))")
                    """)
            }
            group += "\(word) "
            commands = command.configuration.subcommands
        }
    }
}

/// A page of the help, not a command.
protocol HelpPage: ParsableCommand {}

extension HelpPage {
    func run() throws { throw CleanExit.helpRequest(self) }
}

/// `authctl help exit-codes`
struct ExitCodesCommand: HelpPage {
    static let about = "The exit codes, and what to do about each."
    static let configuration = CommandConfiguration(
        commandName: "exit-codes",
        abstract: about,
        discussion: table,
        shouldDisplay: false)

    /// In lines that fit into 80 columns as they are: this is put together at every start, so it does no more than that.
    private static var table: String {
        var table = ""
        for code in ExitCode.allCases {
            let (meaning, advice) = code.words
            table += code.rawValue < 10 ? "  " : " "
            table += "\(code.rawValue)  \(code.name)\n      \(meaning)\n      → \(advice)\n"
        }
        for (signal, name) in [(129, "SIGHUP"), (130, "SIGINT"), (143, "SIGTERM")] {
            table += "\(signal)  signal\n      died by \(name)\n"
        }
        table += """
            exec: the code of its command; 126 if it cannot be run, 127 if not found;
            100 plus a code above if the login failed and the command never ran.

            """
        return table
    }
}

/// `authctl help config`: authctl-config(5) in short.
struct ConfigHelpCommand: HelpPage {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "A summary of the configuration; see man authctl-config",
        discussion: page,
        shouldDisplay: false)

    static let page = """
        Write ~/.config/authctl/config.toml (mkdir -p the folder); authctl only reads
        it. Or pipe one profile to: authctl profile add -


          default = "blog"            the default profile
          store = "file"              for all profiles; also: persist, proxy

          [profiles.blog]
          url    = "https://blog.example"
          method = "cookie"
          login  = { post = "/in", json = { u = "{username}", p = "{password}" } }
          verify = { get = "/me", username = "/name", logged-out = [401, 403] }
          logout = { post = "/out" }

        url       the origin, with a base path if there is one
        method    auto (default), certificate, negotiate, digest, basic, cookie, token,
                  oauth, browser
        login     the request that logs in: get, post or send, with form, json or body
        verify    the request that tells who is logged in
        serve     what exec --serve lets through
        mcp       the path of an MCP endpoint
        refresh   logout   session   user   certificate   key   ca-file   allow-http
        proxy     timeout   store   persist   keep-password   password-command
        otp-command   oauth   browser   signup   user-agent   lend-to   graphql

        Examples for each kind of service: man authctl-config
        To try a profile: authctl profile test NAME

        """
}

/// `authctl help environment`: ENVIRONMENT of authctl(1) in short.
struct EnvironmentHelpCommand: HelpPage {
    static let configuration = CommandConfiguration(
        commandName: "environment",
        abstract: "The environment variables; see man authctl.",
        discussion: table + "\nWhat the command of exec --unchanged finds set:\n\n\n" + UnchangedVariables.help,
        shouldDisplay: false)

    /// A variable that authctl reads, or several of a kind, and what it means. authctl(1) has the same ones in the same order, and
    /// begins with the same sentence. It is written out, in lines that fit into 80 columns, since every start would otherwise put it
    /// together.
    static let table = """
        An option overrides its variable, and a variable overrides the configuration.


          AUTHCTL_CONFIG
              As --config.
          AUTHCTL_PROFILE
              As -P.
          AUTHCTL_VERIFY_URL
              The URL for authctl login, if it has no argument.
          AUTHCTL_USERNAME, AUTHCTL_PASSWORD, AUTHCTL_PASSWORD_FILE
              The user name, the password, or a file with the password on one line.
          AUTHCTL_OTP
              The code of a second factor, for the same profile.
          AUTHCTL_METHOD, AUTHCTL_STORE, AUTHCTL_PERSIST, AUTHCTL_PROXY,
          AUTHCTL_CA_FILE
              As the options --method, --store, --persist, --proxy and --ca-file of
              authctl-login(1).
          AUTHCTL_STORE_PASSPHRASE_FILE
              A file with the passphrase of the encrypted store on one line, closed to
              other users.
          AUTHCTL_NO_PROMPT
              Anything but 0 means --no-prompt.
          AUTHCTL_MASK
              Shown for each character of a password at the prompt; an empty value
              shows nothing.
          BROWSER
              The program for browser logins, as --browser of authctl-login(1).
          https_proxy, HTTPS_PROXY, all_proxy, ALL_PROXY
              The proxy for https; plain http and this machine never go through it.
          no_proxy, NO_PROXY
              What is reached without that proxy.
          KRB5CCNAME, KRB5_CONFIG
              The Kerberos ticket cache and configuration for negotiate; see
              kerberos(7).
          NO_COLOR, TERM
              No colors if the first is set or the second is dumb.
          XDG_CONFIG_HOME, XDG_STATE_HOME
              Parent folders of the configuration and the state; by default
              ~/.config and ~/.local/state.
          XDG_RUNTIME_DIR
              Parent folder of the sockets of exec --serve; without it they are in
              the state.

        """
}

extension ExitCode {
    /// The meaning, in one line, and the advice for a script.
    var words: (meaning: String, advice: String) {
        switch self {
        case .ok: ("done; whoami: verified and usable; status: every login is, shown or not", "continue")
        case .failure: ("any other failure", "report it")
        case .usage:
            (
                "wrong options, unknown profile, bad file, endpoint that proves nothing",
                "fix the command or the configuration"
            )
        case .rejected: ("the server refused the credential", "correct the credential")
        case .loginRequired: ("no usable session, and asking is not allowed or not possible", "authctl login")
        case .cancelled: ("the user cancelled", "stop")
        case .network: ("no connection, no response or a broken one; the credential was not judged", "retry later")
        case .untrusted:
            ("certificate not trusted, plain http, weaker method, another origin", "somebody has to decide")
        case .store: ("store locked, missing, damaged or timed out", "fix the store, or --persist none")
        case .secondFactor: ("a code is needed and was missing or refused", "supply the code")
        case .forbidden: ("the credential is good, but the account has no permission", "ask for the permission")
        case .http: ("the response to 'request' has another status of 400 or above", "see the body")
        case .busy: ("429, 5xx or 'try later' ('request': 429 and 503)", "wait")
        case .expired: ("nobody answered in time", "start again")
        case .locked: ("another authctl held the account's lock too long", "retry")
        case .partial: ("the logout failed at the server; the local copy is erased", "end the session at the service")
        }
    }
}
