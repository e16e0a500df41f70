import Glibc
import Secrets

/// Everything outside of the program, as one value. A test hands in its own.
package struct Dependencies {
    package var environment: Environment
    package var clock: WallClock
    /// Whether there is a terminal to ask a person at.
    var hasTerminal: () -> Bool
    /// Whether standard output or standard error is a terminal.
    package var isTerminal: (_ descriptor: Int32) -> Bool
    /// Characters in a line of such a terminal.
    package var columns: (_ descriptor: Int32) -> Int = { TerminalLook.columns(of: $0) }
    /// Whether the locale has more than ASCII.
    package var isUnicode: () -> Bool = { TerminalLook.isUnicode }
    /// Whether standard input is a pipe or a file, which may have a password in it.
    package var isInputPiped: () -> Bool = { false }
    package var dialogue: (DialogueSettings) -> any Dialogue
    /// A person who consents at an authorization server.
    var consent: (AuthorizationSettings) -> any ConsentDialogue
    /// A person who logs in in a window of a browser.
    var window: (AuthorizationSettings) -> any WindowDialogue
    /// The way to one origin, for one identity and through one proxy.
    var transport: (Origin, TransportSettings) -> any Transport
    var tickets: TicketCache
    var procedure: LoginProcedureMaker
    /// The lock for asking a person; `nil` with one thread.
    var promptLock: PromptLock?
    /// The largest number of servers that are asked at a time.
    var width = 8
    /// Whether the caller has cancelled; `nil` if it cannot.
    var isCancelled: (@Sendable () -> Bool)?
    /// Postpones the end of the program or of the call while a refresh is under way.
    var postponement = Postponement(begin: { _ in }, end: {})
    /// The line on the terminal that names the server a command waits for.
    var noticeLine = NoticeLine(show: { _ in false }, hide: {})
    package var stores: (StoreLocation, _ passphrase: @escaping () throws(StoreFault) -> Secret) -> Stores

    /// Postpones what would end the program or cancel the call, for 5 seconds at most.
    struct Postponement: Sendable {
        /// Takes the notice to show if something is postponed; `nil` shows none.
        let begin: @Sendable (_ notice: String?) -> Void
        let end: @Sendable () -> Void
    }

    /// A line on the terminal that is removed again.
    struct NoticeLine: Sendable {
        /// - Returns: whether it stands there now.
        let show: @Sendable (_ text: String) -> Bool
        let hide: @Sendable () -> Void
        /// Animates the end of a line that is shown.
        var move: @Sendable (_ tail: String) -> Void = { _ in }
    }

    /// Settings for asking a person.
    package struct DialogueSettings: Equatable {
        var mask = "*"
        /// Seconds for each answer.
        var timeout = 300
        var allowsBlankPassword = false
    }
}

extension Dependencies {
    /// The account registry, which holds no secrets.
    func registry(_ stateFolder: String) -> AccountRegistry {
        AccountRegistry(folder: stateFolder, remembers: true, isCancelled: isCancelled ?? { false })
    }

    /// The folder of the profiles that authctl generates.
    package func profileFolder(_ path: String) -> ProfileFolder { ProfileFolder(path: path) }

    /// Opens libcurl.
    package func urlParser() throws(LoginFault) -> URLParser { try URLParser() }

    /// Checks that a URL can be a client's identifier.
    /// - Parameter place: where it stands.
    /// - Throws: `usage` for a URL that no server would take as a client's identifier.
    package func checkClientMetadata(_ url: String, as place: String) throws(LoginFault) {
        _ = try urlParser()
        guard ClientMetadata.isURL(url, parse: AuthorizationClient.read) else {
            throw .usage(.badValue(option: place, problem: "it must be an https URL with a path, without a query"))
        }
    }

    /// A profile's service, over the transport of its origin.
    func service(
        _ profile: Profile, _ endpoint: ServiceEndpoint, _ settings: TransportSettings,
        others: OriginTransports = OriginTransports(), _ options: Service.Options
    ) -> Service {
        var bare = settings
        bare.identity = nil
        let anonymous: (any Transport)? =
            profile.traits.isProvedByCertificate ? transport(endpoint.origin, bare) : nil
        return Service(
            profile: profile, endpoint: endpoint, transport: transport(endpoint.origin, settings), clock: clock,
            tickets: tickets, options: options, anonymous: anonymous, others: others, procedure: procedure)
    }
}

/// A person at a terminal, with the questions that are not about a login.
package protocol Dialogue: Prompt {
    func askPassphrase(_ label: String, confirm: Bool) throws(LoginFault) -> Secret?
    func confirm(_ question: String, typing word: String) throws(LoginFault) -> Bool
    /// Asks a question that the whole word `yes` or `no` answers.
    /// - Parameters:
    ///   - label: stands before the answer.
    ///   - isLaidOut: keeps the lines of the question as they are.
    /// - Throws: `cancelled` where neither is typed.
    func decide(_ question: String, label: String, isLaidOut: Bool) throws(LoginFault) -> Bool
    /// Asks for a text that is no secret.
    /// - Parameter note: stands before the question.
    /// - Returns: empty where nothing was typed.
    /// - Throws: `cancelled`.
    func askText(_ label: String, note: String?) throws(LoginFault) -> String
    /// Asks for a text of several lines that is pasted, and shows nothing of it.
    /// - Throws: `cancelled`; `usage` for a text that is too long.
    func askPasted(_ note: String) throws(LoginFault) -> Secret
    /// Asks for the number of one of these names.
    /// - Returns: an index.
    /// - Throws: `cancelled`.
    func choose(_ question: String, among names: [String]) throws(LoginFault) -> Int
}

extension TerminalPrompt: Dialogue {}

/// Asks like `prompt`, but shows no notice while the server is asked.
struct WithoutNotice: Prompt {
    let prompt: any Prompt

    func ask(_ question: Question) throws(LoginFault) -> Answer { try prompt.ask(question) }

    /// The end is told: a terminal is without echo until then.
    func showWaiting(_ notice: String?) {
        if notice == nil { prompt.showWaiting(nil) }
    }

    func wait(seconds: Int) throws(LoginFault) { try prompt.wait(seconds: seconds) }
}

/// For commands that never ask.
struct NoPrompt: Prompt {
    func ask(_ question: Question) throws(LoginFault) -> Answer {
        switch question {
        case .credential(let challenge):
            throw .loginRequired(LoginNeed(why: .nothingStored, missing: challenge.fields))
        case .code(let request): throw .secondFactor(.required(words: request.words))
        case .certificate: .trust(.reject)
        case .replacement, .retry: .no
        }
    }

    func wait(seconds: Int) throws(LoginFault) { _ = sleep(UInt32(seconds)) }

    func showWaiting(_ notice: String?) {}
}
