import ArgumentParser
import LoginCore
import LoginKit

/// The help pages that are not commands.
enum HelpTopics {
    private static let all: [any ParsableCommand.Type] = [
        ExitCodesCommand.self, ConfigHelpCommand.self, EnvironmentHelpCommand.self,
    ]

    static var names: [String] { all.map { $0._commandName } }

    /// Removes from the parser's page of a topic the usage and the options that only commands have; returns other pages
    /// unchanged.
    static func page(_ text: String, of arguments: [String]) -> String {
        guard let word = arguments.first(where: { $0 != "help" && !$0.hasPrefix("-") }), names.contains(word),
            let end = text.ranges(of: "\nUSAGE: ").last
        else { return UsageLine.short(text) }
        return String(text[..<end.lowerBound].reversed().drop(while: \.isNewline).reversed())
    }

    /// The parser shows the help of everything for a topic that it does not know.
    /// - Throws: `usage` for such a topic, with the nearest.
    static func check(_ words: ArraySlice<String>) throws(LoginFault) {
        var commands = Authctl.configuration.subcommands, group = ""
        for word in words where !word.hasPrefix("-") {
            if group.isEmpty, word == "help" { return }
            guard let command = commands.first(where: { CommandNames.goes($0, by: word) }) else {
                guard !commands.isEmpty else {
                    throw .usage(.other("a command has no help topics: authctl help \(group.dropLast())"))
                }
                let shown = commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
                let known = shown + (group.isEmpty ? names : [])
                let near = known.nearest(to: word).first.map { "did you mean 'help \(group)\($0)'?" }
                throw .usage(
                    .other(
                        """
                        no such help topic \(SafeText.quoted(group + word, limit: 40)); \
                        \(near ?? "the topics are: \(known.joined(separator: ", "))")
                        """))
            }
            group += "\(word) "
            commands = command.configuration.subcommands
        }
    }
}

/// `authctl help exit-codes`: a page of the help, not a command.
struct ExitCodesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exit-codes",
        abstract: "The exit codes, and what to do about each.",
        discussion: table,
        shouldDisplay: false)

    func run() throws {
        throw CleanExit.helpRequest(self)
    }

    /// In lines that fit into 80 columns as they are: this is put together at every start, so it does no more than that.
    private static var table: String {
        var table = ""
        for code in ExitCode.allCases {
            table += code.rawValue < 10 ? "  " : " "
            table += "\(code.rawValue)  \(code.name)\n      \(code.meaning)\n      → \(code.advice)\n"
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
struct ConfigHelpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "A summary of the configuration; see man authctl-config",
        discussion: page,
        shouldDisplay: false)

    func run() throws {
        throw CleanExit.helpRequest(self)
    }

    private static let page = """
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
        method    auto (default), certificate, negotiate, digest, basic, cookie, token, oauth
        login     the request that logs in: get, post or send, with form, json or body
        verify    the request that tells who is logged in
        refresh   logout   session   user   certificate   key   ca-file   allow-http
        proxy     timeout   store   persist   keep-password   password-command
        otp-command   oauth   browser

        Examples for each kind of service: man authctl-config
        To try a profile: authctl profile test NAME

        """
}
