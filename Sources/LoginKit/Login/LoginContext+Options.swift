package import LoginCore

extension LoginContext {
    /// The options of one piece of work.
    package struct Options {
        /// The profile that is meant; `nil` if the environment or the configuration says it.
        package var profile: String?
        /// The account that is meant, by the name typed or the server's; `nil` for the active one.
        package var username: String?
        /// The folder for everything, configuration included, instead of the user's own.
        var folder: String?
        /// The configuration file, instead of the usual one.
        package var config: String?
        /// The time limit of one request, in seconds.
        package var timeout: Int?
        /// Whether asking is forbidden.
        package var noPrompt = false
        /// Whether a person may be told, on the terminal alone, that a server is asked.
        package var showsNotice = true
        /// Whether that may move.
        package var showsMovement = false
        /// Whether a person may be asked to log in, or for what else the work needs.
        package var mayAsk = false
        /// Whether a person may be asked to unlock a store.
        package var mayUnlock = false

        /// The defaults: no options, and no questions.
        package init() {}
    }

    /// A fault of the configuration as the fault of a command.
    package static func fromConfig<Result>(_ body: () throws(UsageFault) -> Result) throws(LoginFault) -> Result {
        do throws(UsageFault) {
            return try body()
        } catch {
            throw .usage(error)
        }
    }
}

extension Profile.Settings {
    /// A variable goes before the file, and an option before both.
    package mutating func override(by environment: Environment) throws(LoginFault) {
        if let named = environment["AUTHCTL_PROXY"] { (proxy, proxySource) = (named, .variable("AUTHCTL_PROXY")) }
        caFile = environment["AUTHCTL_CA_FILE"] ?? caFile
        if let name = environment["AUTHCTL_STORE"] {
            guard name == "auto" || StoreName(name) != nil else {
                throw .usage(.badValue(option: "AUTHCTL_STORE", problem: "there is no such store"))
            }
            store = name
        }
        if let name = environment["AUTHCTL_PERSIST"] {
            guard let chosen = Persistence(rawValue: name) else {
                throw .usage(.badValue(option: "AUTHCTL_PERSIST", problem: "must be none, session or permanent"))
            }
            persist = chosen
        }
    }
}

extension LoginContext {
    /// Where the encrypted file is, or will be.
    package var encryptedFile: String { "\(paths.stateFolder)/\(EncryptedFileStore.fileName)" }

    package var dialogueSettings: Dependencies.DialogueSettings {
        Dependencies.DialogueSettings(mask: dependencies.environment.mask, timeout: promptTimeout)
    }
}
