import ArgumentParser
import LoginKit
import Secrets

/// `authctl store …`
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Manage the stores for logins.",
        discussion: """
            Examples:
              authctl store list
              authctl store test
              authctl store init file
            """,
        subcommands: [
            StoreListCommand.self, StoreTestCommand.self, StoreInitCommand.self, StoreMoveCommand.self,
            StoreReadBackCommand.self,
        ])
}

/// `authctl store test [STORE]`
struct StoreTestCommand: InvokedCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "test", abstract: "Write a random secret, read it back from another process, and delete it.",
        discussion: """
            Examples:
              authctl store test
              authctl store test file
            """)
    static let mayAsk = true

    @Argument(
        help: "The store (default: the one that 'auto' chooses).")
    var store: String?

    @Flag(help: .json) var json = false
    @Flag(help: .noPrompt) var noPrompt = false
    @OptionGroup var basic: BasicOptions

    var global: GlobalOptions { basic.all(noPrompt: noPrompt) }

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        let name = try store.map { (text) throws(LoginFault) in try StoreName.keeping(text) }
        let chosen = try fromStore(try invocation.context.stores().chooser().choose(name))
        if ReadBack.isNeeded(for: chosen.name) {
            try fromStore(
                try invocation.context.stores().test(chosen) { (item, store) throws(StoreFault) in
                    try ReadBack(test: item, store: store, config: invocation.options.config).run()
                })
        }
        let how = ReadBack.isNeeded(for: chosen.name) ? "written, read back by another process" : "written, read back"
        invocation.say(styled: "\(isGood: true)The store '\(chosen.name)' works: \(how), deleted.")
        if printsJSON { try invocation.streams.result(json: ["store": chosen.name.description, "result": "ok"]) }
        return .ok
    }
}

/// `authctl store list`
struct StoreListCommand: BasicCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "list", abstract: "List the stores, and which one is chosen and why.",
        discussion: """
            Examples:
              authctl store list
            """, aliases: ["ls"])
    /// It tells what there is, without asking anybody.
    static let mayUnlock = false

    @Flag(help: .json) var json = false
    @OptionGroup var basic: BasicOptions

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        let stores = invocation.context.stores()
        let findings = stores.chooser().survey()
        let named = try invocation.namedStore()
        var programs = stores.programs()
        if named?.store == .etcd || invocation.context.profiles.defaults.sharedProfile != nil { programs.append(.etcd) }
        var rows = findings.map { StoreRow($0) } + StoreRow.byNameOnly(programs, of: stores)
        if let store = named?.store, store.program != nil, !programs.contains(store) { rows.append(.missing(store)) }
        rows = rows.map { $0.chosen(by: named) }
        if printsJSON {
            try invocation.streams.result(json: rows)
        } else {
            let cells: [[StyledText]] = rows.map { row in
                [
                    row.chosen ? "\(row.name, .bold)" : StyledText(row.name), StyledText(row.keeps),
                    "\(mark: row.mark)\(row.usable ? "yes" : "no", row.mark.style)", StyledText(row.why),
                ]
            }
            try invocation.streams.result(Table(headings: ["STORE", "KEEPS", "USABLE", "WHY"], rows: cells))
        }
        return .ok
    }
}

extension Invocation {
    /// The store that the environment or the top of the configuration names, and which of the two; `nil` for `auto`.
    fileprivate func namedStore() throws(LoginFault) -> (store: StoreName, source: String)? {
        var settings = Profile.Settings()
        try settings.override(by: context.dependencies.environment)
        let source = settings.store == nil ? "config.toml" : "AUTHCTL_STORE"
        return (settings.store ?? context.profiles.defaults.store).flatMap { StoreName($0) }.map { ($0, source) }
    }
}

/// `authctl store init STORE`
struct StoreInitCommand: InvokedCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "init", abstract: "Set up the encrypted file, or make the key of a shared store.",
        discussion: """
            Examples:
              authctl store init file
              authctl store init file --key-file ~/.ssh/authctl.key
              authctl store init shared:mine
            """)
    static let mayAsk = true

    @Argument(help: "The store: file, or shared:NAME.")
    var store = "file"

    @Option(
        help: ArgumentHelp("Use the content of this file instead of a passphrase.", valueName: "file"),
        completion: .file())
    var keyFile: String?

    @Flag(help: .json) var json = false
    @Flag(help: .noPrompt) var noPrompt = false
    @OptionGroup var basic: BasicOptions

    var global: GlobalOptions { basic.all(noPrompt: noPrompt) }

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        if let shared = StoreName(store), shared.isShared {
            guard keyFile == nil else {
                throw .usage(
                    .badValue(
                        option: "key-file",
                        problem: "it is for 'file'; shared-key-file in config.toml names the key of \(shared)"))
            }
            return try makeSharedKey(shared, invocation)
        }
        guard store == "file" else {
            throw .usage(
                .badValue(option: "store", problem: "only 'file' and shared stores (shared:NAME) need to be set up"))
        }
        // Before anybody types a passphrase for nothing.
        let isSetUp = try fromStore(try invocation.context.stores().hasEncryptedFile())
        if isSetUp { throw .store(.alreadySetUp(.file, path: invocation.context.paths.encryptedFile)) }
        let source = try keySource(invocation)
        try invocation.context.person.noticing("Creating the encrypted file…") { () throws(LoginFault) in
            try fromStore(try invocation.context.stores().setUpEncryptedFile(source))
        }
        invocation.say("The encrypted file is set up; 'auto' will choose it for new logins.")
        if case .passphrase = source { invocation.say(Self.whoAsks) }
        if printsJSON { try invocation.streams.result(json: ["store": "file", "result": "ok"]) }
        return .ok
    }

    /// One key for all machines that share logins.
    private func makeSharedKey(_ store: StoreName, _ invocation: Invocation) throws(LoginFault) -> ExitCode {
        let path = invocation.context.profiles.sharedKeyFile
        try invocation.context.stores().makeSharedKey(of: store)
        invocation.say(
            """
            The key is in \(SafeText.escaped(path)). Put the same file on every machine that shares logins in '\(store)'; whoever \
            has it can read them.
            """)
        if printsJSON { try invocation.streams.result(json: ["store": "\(store)", "result": "ok"]) }
        return .ok
    }

    private static let whoAsks = """
        At a terminal, commands ask for the passphrase. Elsewhere, and for git and docker, put it in a file and set
        AUTHCTL_STORE_PASSPHRASE_FILE, or keep the key in memory for some time: passphrase-cache = SECONDS in config.toml.
        'store init file --key-file FILE' needs no passphrase.
        """

    private func keySource(_ invocation: Invocation) throws(LoginFault) -> KeySource {
        if let keyFile {
            return .keyFile(path: try fromUsage(try Paths.absolute(keyFile)))
        }
        if let file = invocation.context.dependencies.environment["AUTHCTL_STORE_PASSPHRASE_FILE"] {
            return .passphrase { () throws(StoreFault) in try SecretFile.passphrase(file) }
        }
        guard invocation.context.person.mayBeAsked else {
            throw .store(
                .other(
                    "the encrypted file needs a new passphrase, which cannot be asked for here; nothing was changed",
                    next: """
                        run it at a terminal, put the passphrase in a file and set AUTHCTL_STORE_PASSPHRASE_FILE, or use a key \
                        file: authctl store init file --key-file FILE
                        """))
        }
        guard let typed = try invocation.context.person.dialogue.askPassphrase("New passphrase: ", confirm: true) else {
            throw .cancelled
        }
        return .passphrase { () throws(StoreFault) in typed }
    }
}

/// `authctl store move FROM TO`
struct StoreMoveCommand: InvokedCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "move", abstract: "Move logins from one store to another.",
        discussion: """
            Moves all logins, or only those of -P PROFILE and -u NAME. Each is written to the new store and read back \
            before it is erased from the old one.

            Examples:
              authctl store move keyring file
              authctl store move keyring file -P wiki -u ann
            """)
    static let mayAsk = true

    @Argument(help: "The store to move from.")
    var from: String

    @Argument(help: "The store to move to.")
    var to: String

    @Flag(help: .json) var json = false
    @OptionGroup var global: GlobalOptions

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        let source = try StoreName.keeping(from), target = try StoreName.keeping(to)
        guard source != target else {
            throw .usage(.badValue(option: "store", problem: "both are \(SafeText.quoted(to))"))
        }
        let (moves, fault) = try StoreTransfer(invocation: invocation, source: source, target: target).run()
        if let fault { throw fault }
        if moves.isEmpty {
            let whose = invocation.options.username.map { " as \(SafeText.quoted($0))" } ?? ""
            invocation.say("There is no login\(whose) in '\(source)'; nothing was moved.")
        }
        if printsJSON { try invocation.streams.result(json: moves) }
        return .ok
    }
}

extension StoreName {
    /// Whether a login can be put there and found again.
    var keepsLogins: Bool { self != StoreName.none }

    /// The store of this name, of those that keep something.
    static func keeping(_ text: String) throws(LoginFault) -> StoreName {
        guard let name = StoreName(text), name.keepsLogins else {
            let names = builtIn.filter(\.keepsLogins).map(\.description)
            let near = names.nearest(to: text).first.map { "; did you mean '\($0)'?" } ?? ""
            throw .usage(
                .badValue(option: "store", problem: "\(SafeText.quoted(text)) is not a store that keeps logins\(near)"))
        }
        return name
    }
}

/// One line of `store list`.
struct StoreRow: Encodable {
    let name: String
    let keeps: String
    var usable = true
    var chosen = false
    var why: String
}

extension StoreRow {
    init(_ finding: StoreChooser.Finding) {
        let works = finding.isChosen ? "chosen by 'auto': the first that works" : "works"
        self.init(
            name: "\(finding.name)", keeps: finding.isPermanent ? "permanently" : "until restart",
            usable: finding.fault == nil, chosen: finding.isChosen, why: finding.fault.map(Self.words) ?? works)
    }

    /// A store that works and protects nothing has no mark that says all is well.
    var mark: StyledText.Mark { !usable ? .bad : StoreName(name)?.isPlain == true ? .warning : .good }

    /// Where a store was chosen by name, `auto` has no say.
    func chosen(by named: (store: StoreName, source: String)?) -> StoreRow {
        guard let named else { return self }
        var row = self
        row.chosen = named.store.description == name
        if row.chosen {
            let isPlain = named.store.isPlain
            row.why = "chosen by \(named.source)" + (isPlain ? "; unencrypted" : usable ? "" : ", but: \(why)")
        } else if chosen {
            row.why = "works"
        }
        return row
    }

    /// The stores that `auto` never chooses.
    /// - Parameter programs: helpers and shared stores that are there; none is run.
    static func byNameOnly(_ programs: [StoreName], of stores: Stores) -> [StoreRow] {
        let plain = StoreName.builtIn.filter(\.isPlain).map {
            StoreRow(name: "\($0)", keeps: "permanently", why: "used only by name; unencrypted")
        }
        let found = programs.map { program in
            let problem = stores.problem(with: program)
            return StoreRow(
                name: "\(program)", keeps: keptBy(program), usable: problem == nil,
                why: problem.map(words) ?? "used only by name; not tested")
        }
        return plain + found + [StoreRow(name: "\(StoreName.none)", keeps: "nothing", why: "used only by name")]
    }

    /// A store that was named, and whose program is not in `PATH`.
    static func missing(_ store: StoreName) -> StoreRow {
        StoreRow(name: "\(store)", keeps: keptBy(store), usable: false, why: words(.helperNotInPath(store)))
    }

    private static func words(_ fault: StoreFault) -> String {
        LoginFault.store(fault).message().what
    }

    private static func keptBy(_ store: StoreName) -> String {
        store.isShared ? "up to the engine" : "up to the helper"
    }
}
