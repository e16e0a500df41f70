import ArgumentParser
import LoginCore
import LoginKit
import Secrets

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
        if isSetUp { throw .store(.alreadySetUp(.file, path: invocation.context.encryptedFile)) }
        let source = try keySource(invocation)
        try invocation.context.noticing("Creating the encrypted file…") { () throws(LoginFault) in
            try fromStore(try EncryptedFileStore.create(folder: invocation.context.paths.stateFolder, source: source))
        }
        invocation.say("The encrypted file is set up; 'auto' will choose it for new logins.")
        if case .passphrase = source { invocation.say(Self.whoAsks) }
        if printsJSON { try invocation.streams.result(json: ["store": "file", "result": "ok"]) }
        return .ok
    }

    /// One key for all machines that share logins.
    private func makeSharedKey(_ store: StoreName, _ invocation: Invocation) throws(LoginFault) -> ExitCode {
        let path = invocation.context.sharedKeyFile
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
            return .keyFile(path: try LoginContext.fromConfig { () throws(UsageFault) in try Paths.absolute(keyFile) })
        }
        if let file = invocation.context.dependencies.environment["AUTHCTL_STORE_PASSPHRASE_FILE"] {
            return .passphrase { () throws(StoreFault) in try SecretFile.passphrase(file) }
        }
        guard invocation.context.mayAsk else { throw .store(.newPassphraseMissing) }
        let dialogue = invocation.context.dependencies.dialogue(invocation.context.dialogueSettings)
        guard let typed = try dialogue.askPassphrase("New passphrase: ", confirm: true) else { throw .cancelled }
        return .passphrase { () throws(StoreFault) in typed }
    }
}
