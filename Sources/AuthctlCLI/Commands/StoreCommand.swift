import ArgumentParser
import Glibc
import LoginCore
import LoginStores
import Secrets

/// `authctl store …`
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Where logins are kept.",
        subcommands: [StoreListCommand.self, StoreTestCommand.self, StoreInitCommand.self, StoreReadBackCommand.self])
}

/// `authctl store list`
struct StoreListCommand: WorldCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show which stores there are here, which is chosen, and why.")

    @OptionGroup var report: ReportOptions
    @OptionGroup var global: GlobalOptions

    var printsJSON: Bool { report.json }

    func run(_ invocation: Invocation) throws(LoginError) -> ExitCode {
        let words = { (fault: StoreFault) in LoginError.store(fault).message(about: Topic()).what }
        let findings = invocation.shelf().chooser(words: words).survey()
        let rows = findings.map { StoreRow($0, words) } + StoreRow.byNameOnly
        if printsJSON {
            try invocation.world.streams.result(json: rows)
        } else {
            var table = Table(headings: ["STORE", "KEEPS", "USABLE", "WHY"])
            table.rows = rows.map { [$0.name, $0.keeps, $0.usable ? "yes" : "no", $0.why] }
            try invocation.world.streams.result(table.text)
        }
        return .ok
    }
}

private struct StoreRow: Encodable {
    let name: String
    let keeps: String
    let usable: Bool
    let chosen: Bool
    let why: String

    init(_ finding: StoreChooser.Finding, _ words: (StoreFault) -> String) {
        name = finding.name.description
        keeps = finding.isPermanent ? "permanently" : "until restart"
        usable = finding.fault == nil
        chosen = finding.isChosen
        why = finding.fault.map(words) ?? (finding.isChosen ? "chosen by 'auto': the first that works" : "works")
    }

    private init(_ name: String, keeps: String, why: String) {
        self.name = name
        self.keeps = keeps
        self.usable = true
        self.chosen = false
        self.why = why
    }

    /// Those that `auto` never chooses.
    static let byNameOnly = [
        StoreRow("plaintext", keeps: "permanently", why: "only by name: it protects nothing"),
        StoreRow("none", keeps: "nothing", why: "only by name"),
    ]
}

/// `authctl store test [STORE]`
struct StoreTestCommand: WorldCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Write a random secret, read it back from another process, and delete it.")
    static let mayAsk = true

    @Argument(help: "The store; the one that 'auto' chooses unless said.")
    var store: String?

    @OptionGroup var report: ReportOptions
    @OptionGroup var global: GlobalOptions

    var printsJSON: Bool { report.json }

    func run(_ invocation: Invocation) throws(LoginError) -> ExitCode {
        let name = try store.map { (text) throws(LoginError) in
            guard let name = StoreName(text) else {
                throw .usage(.badValue(option: "store", problem: "there is no store \(SafeText.quoted(text))"))
            }
            return name
        }
        let chosen = try Invocation.fromStore { () throws(StoreFault) in
            let shelf = invocation.shelf()
            let words = { (fault: StoreFault) in LoginError.store(fault).message(about: Topic()).what }
            let chosen = try shelf.chooser(words: words).choose(name)
            if chosen.name == .keyring { try ReadBack(store: chosen).run() }
            return chosen
        }
        let how = chosen.name == .keyring ? "written, read back by another process" : "written, read back"
        invocation.say("The store '\(chosen.name)' works: \(how), deleted.")
        if printsJSON { try invocation.world.streams.result(json: ["store": chosen.name.description, "result": "ok"]) }
        return .ok
    }
}

/// `authctl store init file`
struct StoreInitCommand: WorldCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Set up the encrypted file, with a passphrase or a key file.")
    static let mayAsk = true

    @Argument(help: "The store: file.")
    var store = "file"

    @Option(help: ArgumentHelp("Use the content of this file instead of a passphrase.", valueName: "file"))
    var keyFile: String?

    @OptionGroup var report: ReportOptions
    @OptionGroup var global: GlobalOptions

    var printsJSON: Bool { report.json }

    func run(_ invocation: Invocation) throws(LoginError) -> ExitCode {
        guard store == "file" else {
            throw .usage(.badValue(option: "store", problem: "only 'file' has to be set up"))
        }
        let source = try keySource(invocation)
        try Invocation.fromStore { () throws(StoreFault) in
            try EncryptedFileStore.create(folder: invocation.paths.stateFolder, source: source)
        }
        invocation.say("The encrypted file is set up; from now on 'auto' chooses it.")
        if printsJSON { try invocation.world.streams.result(json: ["store": "file", "result": "ok"]) }
        return .ok
    }

    private func keySource(_ invocation: Invocation) throws(LoginError) -> KeySource {
        if let keyFile {
            return .keyFile(path: try Invocation.fromConfig { () throws(UsageFault) in try Paths.absolute(keyFile) })
        }
        if let file = invocation.world.environment["AUTHCTL_STORE_PASSPHRASE_FILE"] {
            return .passphrase { () throws(StoreFault) in try SecretFile.passphrase(file) }
        }
        let path = "\(invocation.paths.stateFolder)/\(EncryptedFileStore.fileName)"
        guard invocation.mayAsk else { throw .store(.passphraseMissing(path: path)) }
        let dialogue = invocation.world.dialogue(invocation.dialogueSettings)
        guard let typed = try dialogue.askPassphrase("New passphrase: ", confirm: true) else { throw .cancelled }
        return .passphrase { () throws(StoreFault) in typed }
    }
}
