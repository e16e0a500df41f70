import ArgumentParser
import ChildPrograms
import LoginCore
import LoginKit

/// `authctl exec -- COMMAND`
struct ExecCommand: EndingCommand {
    static let name = "exec"
    static let outline = CommandConfiguration(
        commandName: name,
        abstract: "Run a command once somebody is logged in.",
        discussion: """
            The command takes authctl's place: same terminal, signals, folder and exit code. Where the login fails it never \
            runs, and the exit code is 100 more than that of the other commands.
            """)
    static let mayAsk = true

    @OptionGroup(title: "What the command is given") var handover: HandoverOptions

    @Flag(help: "Log in for this command alone: keep nothing, and log out after it.")
    var ephemeral = false

    @Flag(help: "Take a stored session that is not past its end without asking the server.")
    var offline = false

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The command and its arguments, behind '--'.", valueName: "command"))
    var command: [String]

    @OptionGroup(title: "Options of a login that becomes necessary") var login: LoginOptions
    @OptionGroup var global: GlobalOptions

    var printsJSON: Bool { false }

    func validate() throws {
        if login.continueWithout || login.name != nil {
            throw ValidationError("--continue-without and --name are options of login alone.")
        }
        if ephemeral, offline {
            throw ValidationError("--ephemeral makes a login of its own; --offline takes a stored one.")
        }
        if ephemeral, login.store != nil || login.persist != nil {
            throw ValidationError("With --ephemeral nothing is kept: --store and --persist have no meaning.")
        }
    }

    func end(_ invocation: Invocation) throws(LoginError) -> Ending {
        // Before any library is opened: some change it.
        let environment = invocation.console.inherited()
        let profile = try invocation.context.selectProfile(nil, mayGuess: false)
        let image: ProgramImage
        do throws(ProgramImage.Absence) {
            // As they were given: what the parser made of them is text.
            let words = Array(invocation.console.arguments().suffix(command.count))
            image = try ProgramImage(words, environment: environment)
        } catch {
            // Nobody types a password for a command that is not there.
            invocation.streams.say("authctl: \(SafeText.quoted(command.first ?? "")): \(error.words)")
            return .status(error.status)
        }
        try invocation.tellOfOuterExec()
        let gate = try invocation.gate(profile, login)
        let gated = GatedCommand(gate: gate, image: image, handover: handover, isOffline: offline)
        return ephemeral ? try gated.runOnce() : try gated.become()
    }

    /// What else than options stands before `--` is most often a profile; it is not repeated.
    static let strayArgument = LoginError.usage(
        .other("only options stand before '--'; a profile is named with -P: authctl exec -P PROFILE -- COMMAND"))

    /// - Throws: `usage` where `--` is missing, which the parser would call an unexpected argument.
    static func checkTerminator(_ arguments: [String]) throws(LoginError) {
        guard arguments.first == name, !arguments.contains("--") else { return }
        if arguments.contains(where: { ["-h", "--help", "-help"].contains($0) }) { return }
        throw .usage(.other("'--' stands before the command: authctl exec [options] -- command [arguments]"))
    }
}

extension Invocation {
    /// The login of an outer `exec` goes on to be the command's unless another profile is named.
    fileprivate func tellOfOuterExec() throws(LoginError) {
        guard let outer = context.world.environment["AUTHCTL_EXEC"] else { return }
        say("authctl: this runs inside an 'authctl exec' of the profile \(SafeText.quoted(outer)) already")
    }
}
