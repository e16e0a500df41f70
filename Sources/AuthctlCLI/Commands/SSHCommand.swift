import ArgumentParser
import Glibc
import LoginKit

/// `authctl ssh HOST -- COMMAND`
struct SSHCommand: EndingCommand {
    static let name = "ssh"
    static let outline = CommandConfiguration(
        commandName: name,
        abstract: "Use a login on another machine, over ssh.",
        discussion: """
            Runs a shell or a command there; programs use the service's own URL as they are. The login stays here, and is lent \
            for as long as the connection stands. That machine needs no authctl. The exit code is the command's, or 100 plus \
            that of the other commands if it never ran.

            Login options, used if a login is needed: authctl login --help

            Examples:
              authctl ssh -P forge build.example
              authctl ssh -P forge --read-only build.example -- make release
              authctl ssh -P forge --ssh-option ProxyJump=jump.example build.example
            """)
    static let mayAsk = true

    @Argument(help: "The machine, as ssh knows it.")
    var host: String

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp(
            "A command for the login shell there, after '--'; otherwise a shell.", valueName: "command"))
    var command: [String] = []

    @OptionGroup(title: "What the machine may do") var rules: ServeRuleOptions

    @Option(help: ArgumentHelp("Whether the machine reaches other hosts through this one.", valueName: "which"))
    var others = OtherHosts.refuse

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Lend the login for this time at most, such as 30m.", valueName: "time"))
    var duration: String?

    @Option(help: ArgumentHelp("Log each request in this file.", valueName: "file"), completion: .file())
    var log: String?

    @Option(
        help: ArgumentHelp(
            "Set this variable to a word, for a command that sends nothing without a token.",
            valueName: "name[=value]"))
    var placeholder: [String] = []

    @Option(help: ArgumentHelp("Give ssh this option, such as Port=2222.", valueName: "name=value"))
    var sshOption: [String] = []

    @Flag(name: [.customShort("t"), .long], help: "Give the command a terminal, as a shell has one.")
    var terminal = false

    /// Told by the help of login.
    @OptionGroup(visibility: .hidden) var login: LoginOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if host.isEmpty || host.hasPrefix("-") { throw ValidationError("The machine must be a name as ssh knows it.") }
        try lent(onTerminal: false).check(duration)
    }

    private func lent(onTerminal: Bool) -> LendingTerms {
        let machine = SSHMachine(
            host: host, options: sshOption, command: command.isEmpty ? nil : command.joined(separator: " "),
            wantsTerminal: terminal || command.isEmpty && onTerminal, patience: login.attempt.patience)
        return LendingTerms(
            .unchanged(.machine(machine), others: others, wantsPassword: true), for: duration, log: log,
            placeholders: placeholder)
    }

    func end(_ invocation: Invocation) throws(LoginFault) -> Ending {
        let rules = try rules.rules(), context = invocation.context
        let terms = lent(onTerminal: context.dependencies.isTerminal(STDIN_FILENO))
        var environment = invocation.console.inherited()
        let profile = try context.selection.profile(nil, mayGuess: false)
        invocation.withhold(from: &environment, of: profile)
        let image: ProgramImage
        do {
            image = try ProgramImage(["ssh"].map { Array($0.utf8CString) }, environment: environment)
        } catch {
            invocation.streams.say("authctl: ssh: \(error.words)")
            return .status(error.status)
        }
        let executed = ExecutedCommand(
            invocation: invocation, provider: try invocation.provider(profile, login), image: image, terms: terms,
            limits: try ServeLimits(profile, rules, command: command.first ?? host),
            answerTime: login.attempt.promptTimeout ?? 60)
        return try executed.serve(terms)
    }

    /// The message does not repeat it, as that of exec.
    static let strayArgument = LoginFault.usage(
        "the command stands after '--': authctl ssh [options] HOST -- COMMAND")
}
