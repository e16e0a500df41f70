import ArgumentParser
import LoginCore
import LoginWords
import LoginKit
import LoginStores

/// `authctl profile add FILE`
struct ProfileAddCommand: WorldCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "add",
        abstract: "Import profiles from a file.",
        discussion: """
            Keys that can run programs or weaken trust are listed, and imported only if you type yes or use \
            --accept-commands.
            """)
    static let mayAsk = true

    @Argument(
        help: "A TOML file with [profiles.NAME] tables, or with the keys of one profile and --name.",
        completion: .file())
    var file: String

    @Option(help: ArgumentHelp("Name for the imported profile.", valueName: "name"))
    var name: String?

    @Flag(help: "Also import keys that can run programs or weaken trust.")
    var acceptCommands = false

    @OptionGroup var report: ReportOptions
    @OptionGroup var global: GlobalOptions

    func run(_ invocation: Invocation) throws(LoginError) -> ExitCode {
        let offered = try LoginContext.fromConfig { () throws(UsageFault) in try OfferedProfiles(file, name: name) }
        for (name, table) in offered.profiles { try check(name, table, invocation) }
        let withRisks = try LoginContext.fromConfig { () throws(UsageFault) in try offered.risks }
        let takesRisks = withRisks.isEmpty ? false : try accepts(withRisks, invocation)
        for (name, table) in offered.profiles {
            try invocation.context.write(takesRisks ? table.members : table.withoutRisks, as: name)
            invocation.say("Added the profile \(SafeText.escaped(name)).")
        }
        if printsJSON { try invocation.streams.result(json: ["added": offered.profiles.map(\.name)]) }
        return .ok
    }

    private func check(_ name: String, _ table: StrictTable, _ invocation: Invocation) throws(LoginError) {
        invocation.context.topic = ErrorContext(profile: name)
        guard try isFree(name, for: table, invocation) else {
            throw .usage(.other("a profile of this name already exists; choose another with --name"))
        }
        let decoder = ProfileDecoder(folder: invocation.context.paths.configFolder, home: invocation.context.paths.home)
        let profile = try LoginContext.fromConfig { () throws(UsageFault) in try decoder.profile(named: name, table) }
        _ = try invocation.context.endpoint(profile)
    }

    /// What this very file gave when its risks were left out may be completed by it.
    private func isFree(
        _ name: String, for table: StrictTable, _ invocation: Invocation
    ) throws(LoginError) -> Bool {
        switch invocation.context.profiles.source(of: name) {
        case nil: return true
        case .config: return false
        case .made:
            let written = try LoginContext.fromConfig { () throws(UsageFault) in
                try invocation.context.profiles.written(name)
            }
            return written == .table(table.withoutRisks)
        }
    }

    private func accepts(_ risks: [String], _ invocation: Invocation) throws(LoginError) -> Bool {
        let list = risks.map { "  \($0)" }.joined(separator: "\n")
        if acceptCommands { return true }
        let question = "These keys can run programs or weaken trust:\n\(list)"
        guard invocation.context.mayAsk else {
            invocation.streams.say(
                "\(question)\nThey were left out; repeat the command with --accept-commands to import them.")
            return false
        }
        return try invocation.context.world.dialogue(invocation.context.dialogueSettings).confirm(
            question, typing: "yes")
    }
}
