import ArgumentParser
import LoginKit

/// `authctl exec -- COMMAND`
struct ExecCommand: EndingCommand {
    static let name = "exec"
    static let outline = CommandConfiguration(
        commandName: name,
        abstract: "Run a command with a login.",
        discussion: """
            The command replaces authctl: same terminal, signals, working directory and exit code. If the login fails, it \
            never runs, and the exit code is 100 plus that of the other commands.

            Login options, used if a login is needed: authctl login --help

            Examples:
              authctl exec -P wiki --env WIKI_TOKEN -- ./deploy.sh
              authctl exec -P wiki --serve -- sh -c 'curl -f "$AUTHCTL_SERVE_URL"pages'
              authctl exec -P wiki --unchanged --read-only -- git fetch
              authctl exec -P wiki --ephemeral --curl-config -- ./deploy.sh
            """)
    static let mayAsk = true

    @OptionGroup(title: "What the command gets") var execEnvironment: ExecEnvironmentOptions

    @OptionGroup(title: "What the command may do with --serve and --unchanged") var rules: ServeRuleOptions

    @Flag(help: "Log in for this command only: store nothing, and log out afterwards.")
    var ephemeral = false

    @Flag(help: "Use a stored session that has not expired, without asking the server.")
    var offline = false

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The command and its arguments, after '--'.", valueName: "command"))
    var command: [String]

    /// Told by the help of login.
    @OptionGroup(visibility: .hidden) var login: LoginOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if rules.areGiven, !execEnvironment.serves {
            throw ValidationError("--read-only, --allow, --ask and --deny go with --serve or --unchanged.")
        }
        if ephemeral, offline {
            throw ValidationError("--ephemeral makes a new login; --offline uses a stored one.")
        }
        if ephemeral, login.store != nil || login.persist != nil {
            throw ValidationError("--ephemeral stores nothing: --store and --persist cannot be used with it.")
        }
    }

    func end(_ invocation: Invocation) throws(LoginFault) -> Ending {
        let rules = try rules.rules()
        // Before any library is opened: some change it.
        var environment = invocation.console.inherited()
        let profile = try invocation.context.selection.profile(nil, mayGuess: false)
        if execEnvironment.serves { invocation.withhold(from: &environment, of: profile) }
        let image: ProgramImage
        do {
            // As they were given: what the parser made of them is text.
            let words = Array(invocation.console.arguments().suffix(command.count))
            image = try ProgramImage(words, environment: environment)
        } catch {
            // Nobody types a password for a command that is not there.
            invocation.streams.say("authctl: \(SafeText.quoted(command.first ?? "")): \(error.words)")
            return .status(error.status)
        }
        // Its login goes on to be the command's unless another profile is named.
        if let outer = invocation.context.dependencies.environment["AUTHCTL_EXEC"] {
            invocation.say("authctl: already running inside 'authctl exec' for the profile \(SafeText.quoted(outer))")
        }
        let provider = try invocation.provider(profile, login)
        let gated = ExecutedCommand(
            invocation: invocation, provider: provider, image: image, execEnvironment: execEnvironment,
            terms: execEnvironment.serves ? execEnvironment.terms : nil, isOffline: offline,
            limits: try ServeLimits(profile, rules, command: command.first ?? ""),
            answerTime: login.attempt.promptTimeout ?? 60)
        if ephemeral { return try gated.runOnce() }
        guard let terms = gated.terms else { return try gated.become() }
        return try gated.serve(terms)
    }

    /// A word before `--` is most often a profile. The message does not repeat it.
    static let strayArgument = LoginFault.usage(
        "only options may come before '--'; choose the profile with -P: authctl exec -P PROFILE -- COMMAND")

    /// - Throws: `usage` where `--` is missing, which the parser would call an unexpected argument.
    static func checkTerminator(_ arguments: [String]) throws(LoginFault) {
        guard arguments.first == name, !arguments.contains("--") else { return }
        if arguments.contains(where: { ["-h", "--help", "-help"].contains($0) }) { return }
        throw .usage("'--' is required before the command: authctl exec [options] -- command [arguments]")
    }
}
