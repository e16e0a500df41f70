import ArgumentParser
import Glibc
import LoginKit
import Secrets

/// `authctl profile add FILE`, `-`, `--preset NAME --url URL`, `--from URL`
struct ProfileAddCommand: PlainCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "add",
        abstract: "Import profiles from a file, a preset or a URL.",
        discussion: """
            Keys that can run programs or weaken trust are listed, and imported only if you answer yes or use \
            --accept-commands; no adds the profile without them.

            Examples:
              authctl profile add wiki.toml
              authctl profile add --preset forgejo --url https://git.example
              authctl profile add --from https://wiki.example/authctl.toml
              authctl profile add --name wiki - <wiki.toml
            """)
    static let mayAsk = true

    @Argument(
        help:
            "A TOML file with [profiles.NAME] tables, or with the keys of one profile and --name; '-' for standard input.",
        completion: .file())
    var file: String?

    @Option(help: ArgumentHelp("Use this preset (see: authctl profile presets).", valueName: "preset"))
    var preset: String?

    @Option(help: ArgumentHelp("The service's URL, for a --preset that has none.", valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("Fetch the file from this https URL.", valueName: "url"))
    var from: String?

    @Option(help: ArgumentHelp("Require this SHA-256 checksum, with --from.", valueName: "hex"))
    var sha256: String?

    @Option(help: ArgumentHelp("Name for the imported profile.", valueName: "name"))
    var name: String?

    @Flag(help: "Also import keys that can run programs or weaken trust.")
    var acceptCommands = false

    @Flag(help: .json) var json = false
    @Flag(help: .noPrompt) var noPrompt = false
    @OptionGroup var basic: BasicOptions

    var global: GlobalOptions { basic.all(noPrompt: noPrompt) }

    func validate() throws {
        guard [file, preset, from].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("Name a file, or use --preset or --from.")
        }
        guard url == nil || preset != nil else { throw ValidationError("--url is for --preset.") }
        guard let sha256 else { return }
        guard from != nil else { throw ValidationError("--sha256 is for --from.") }
        guard sha256.utf8.count == 64, sha256.allSatisfy(\.isHexDigit) else {
            throw ValidationError("--sha256 must be 64 hexadecimal digits.")
        }
    }

    func perform(_ invocation: Invocation) throws(LoginFault) {
        guard let offered = try offered(invocation) else { throw .cancelled }
        for (name, table) in offered.profiles { try check(name, table, invocation) }
        let withRisks = try fromUsage(try offered.risks)
        let takesAll = withRisks.isEmpty ? true : try accepts(withRisks + offered.consequences, invocation)
        let taken = takesAll ? offered : offered.withoutRisks
        // Check again: another process may have added this name, and dropping the risky keys may make the profile invalid.
        for (name, table) in taken.profiles {
            do {
                try check(name, table, invocation)
            } catch .usage(.badConfig(_, let path, _, let problem)) where !takesAll {
                let why = [path.map { SafeText.escaped($0) }, problem].compactMap { $0 }.joined(separator: " ")
                throw .usage("nothing was added: without the keys above, this is no valid profile (\(why))")
            }
        }
        for (name, table) in taken.profiles {
            try GeneratedProfiles(invocation.context).write(table.members, as: name, head: offered.origin)
            invocation.say(
                "Added the profile \(SafeText.escaped(name)). Log in: \(ShellCommand("authctl", "login", name))")
        }
        if printsJSON { try invocation.streams.result(json: ["added": offered.profiles.map(\.name)]) }
    }

    /// - Returns: `nil` if the person declines.
    private func offered(_ invocation: Invocation) throws(LoginFault) -> OfferedProfiles? {
        if let from { return try fetched(from, invocation) }
        if file == "-" { return try typed(invocation) }
        if let file { return try fromUsage(try OfferedProfiles(file: file, name: name)) }
        let wanted = preset ?? ""
        return try Presets(invocation.context.dependencies.environment)
            .offered(wanted, url: url, name: name, for: "profile", "add", "--preset", wanted)
    }

    /// Reads standard input.
    private func typed(_ invocation: Invocation) throws(LoginFault) -> OfferedProfiles {
        if invocation.context.dependencies.isTerminal(STDIN_FILENO) {
            invocation.say("Paste the profile, and press Enter and Ctrl-D.")
        }
        let source = "standard input"
        let (bytes, isWhole) = try BodyInput("@-", option: source).beginning(limit: FetchedProfiles.limit)
        guard isWhole, bytes.count <= FetchedProfiles.limit else {
            throw .usage(.badConfig(file: source, path: nil, line: nil, problem: "has more than 64 KiB"))
        }
        return try fromUsage(try OfferedProfiles(bytes, from: source, name: name))
    }

    private func fetched(_ url: String, _ invocation: Invocation) throws(LoginFault) -> OfferedProfiles? {
        let context = invocation.context
        let fetched = try FetchedProfiles(context, from: url, name: name, checksum: sha256)
        if sha256 != nil { return fetched.offered }
        guard context.person.mayBeAsked else {
            let command = ShellCommand("authctl", "profile", "add", "--from", url, "--sha256", fetched.checksum)
            throw .untrusted(
                "\(SafeText.escaped(url)) was not added: there is no terminal to confirm it",
                next: "look at it, then: \(command)")
        }
        let wants = try context.person.dialogue.decide(
            fetched.question, label: "Add what is shown above? yes/no: ", details: nil)
        return wants ? fetched.offered : nil
    }

    private func check(_ name: String, _ table: StrictTable, _ invocation: Invocation) throws(LoginFault) {
        invocation.context.topic = ErrorContext(profile: name)
        guard try isFree(name, for: table, invocation) else {
            throw .usage(
                "another profile of this name already exists",
                next: """
                    choose a name with --name, or take that one away first: \
                    \(ShellCommand("authctl", "logout", name, "--all")); \
                    \(ShellCommand("authctl", "profile", "remove", name))
                    """)
        }
        let decoder = ProfileDecoder(folder: invocation.context.paths.configFolder, home: invocation.context.paths.home)
        let profile = try fromUsage(try decoder.profile(named: name, table))
        _ = try invocation.context.connections.endpoint(profile)
    }

    /// Whether the stored profile came from this file, without its risky keys, so that the file may replace it.
    private func isFree(
        _ name: String, for table: StrictTable, _ invocation: Invocation
    ) throws(LoginFault) -> Bool {
        switch invocation.context.profiles.source(of: name) {
        case nil: return true
        case .config: return false
        case .made:
            let written = try fromUsage(try invocation.context.profiles.written(name))
            return written == .table(table.withoutRisks)
        }
    }

    private func accepts(_ risks: [String], _ invocation: Invocation) throws(LoginFault) -> Bool {
        let list = risks.map { "  \($0)" }.joined(separator: "\n")
        if acceptCommands { return true }
        let question = """
            These keys can run programs or weaken trust:
            \(list)
            yes adds them with the rest; no adds the rest alone; Ctrl-C adds nothing.
            """
        if invocation.context.person.mayBeAsked,
            try invocation.context.person.dialogue.decide(
                question, label: "Add these keys, too? yes/no: ", details: nil)
        {
            return true
        }
        invocation.streams.say(
            """
            These keys can run programs or weaken trust, and were left out:
            \(list)
            To import them, repeat the command with --accept-commands.
            """)
        return false
    }
}
