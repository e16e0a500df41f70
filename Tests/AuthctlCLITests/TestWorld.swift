@testable import LoginKit
import Glibc
@testable import LoginTestSupport
import Secrets
import Synchronization

@testable import AuthctlCLI

/// What a command left behind.
struct Run: Equatable {
    let code: Int32
    let output: String
    let talk: String
}

/// A world for one test: a home of its own, a server and a person who answer by a script, and captured streams.
/// A request or a question that is not in the script fails the command.
final class TestWorld {
    let home: TemporaryHome
    var variables: [String: String]
    var password: Secret?
    var now: Int64 = 1_000_000
    /// How long each request takes, in seconds.
    var pace: Int64 = 0
    private let elapsed = Elapsed()
    /// A person is there as soon as something is scripted for them.
    var person = ScriptedPerson()
    /// Who consents at authorization servers.
    var consent = ScriptedConsent()
    /// Who logs in in a window of a browser.
    var window = ScriptedWindow()
    /// None, whoever runs the test.
    var tickets = TicketCache(find: { .unusable(.missing(reason: "none")) }, request: { _ in })
    /// Which of standard output and standard error are one.
    var terminals: Set<Int32> = []
    /// How wide those are, and whether the locale has more than ASCII.
    var (columns, isUnicode) = (80, true)
    /// Happens while the server has a request of the person's own.
    var meanwhile: (HTTPRequest) -> Void = { _ in }
    private(set) var server = ScriptedTransport()
    private(set) var reached: [Origin] = []
    private(set) var settings: [TransportSettings] = []

    /// - Parameter isInMemory: as for ``TemporaryHome``.
    init(config: String? = nil, isInMemory: Bool = false) throws {
        home = try TemporaryHome(isInMemory: isInMemory)
        variables = home.environment
        // The kernel's keyring would outlive the test.
        variables["AUTHCTL_STORE"] = "plaintext"
        if let config { try home.write(config, to: "config/authctl/config.toml") }
    }

    /// Runs one command, with what the server answers to it.
    func run(_ arguments: String..., server answers: [HTTPResponse] = []) -> Run {
        run(arguments, server: answers.map { .success($0) })
    }

    func run(_ arguments: [String], server answers: [Result<HTTPResponse, LoginFault>]) -> Run {
        run(arguments, at: ScriptedTransport(answers))
    }

    /// Runs one command against a server.
    func run(_ arguments: [String], at server: ScriptedTransport) -> Run {
        self.server = server
        server.meanwhile = meanwhile
        server.pass = { [elapsed, pace] in elapsed.seconds.withLock { $0 += pace } }
        let captured = Captured()
        var console = Console(
            streams: Streams { (stream, bytes) throws(LoginFault) in captured.append(bytes, to: stream) })
        console.arguments = { (["authctl"] + arguments).map { Array($0.utf8CString) } }
        let code = Program(world(), console).run(arguments).status { _ in
            -1
        } dying: { _ in
            -1
        }
        return Run(code: code, output: captured.text(of: STDOUT_FILENO), talk: captured.text(of: STDERR_FILENO))
    }

    /// Lends the world to what is less than a command.
    func withWorld<Result>(server answers: [HTTPResponse] = [], _ body: (Dependencies) throws -> Result) rethrows
        -> Result
    {
        server = ScriptedTransport(answers.map { .success($0) })
        return try body(world())
    }

    /// What was sent, byte for byte.
    var requests: [String] { server.requests.map(\.dump) }

    private func world() -> Dependencies {
        let clock = WallClock { [now, elapsed] in now + elapsed.seconds.withLock { $0 } }
        var world = Dependencies.real(Environment(variables, password: password))
        world.clock = clock
        world.hasTerminal = { self.person.isThere }
        world.isTerminal = { self.terminals.contains($0) }
        world.isInputPiped = { false }
        (world.columns, world.isUnicode) = ({ _ in self.columns }, { self.isUnicode })
        world.dialogue = { _ in self.person }
        world.ask(by: { _ in self.consent }, window: { _ in self.window })
        world.transport = { origin, settings in
            self.reached.append(origin)
            self.settings.append(settings)
            return settings.trace == nil ? self.server : TracedTransport(server: self.server, settings: settings)
        }
        world.tickets = tickets
        world.postponement = Postponement(begin: { _ in }, end: {})
        world.noticeLine = Dependencies.NoticeLine(show: { _ in false }, hide: {})
        // No helper of this machine is run.
        world.stores = {
            Stores(
                folder: $0.stateFolder, clock: clock, holding: $0.holding, environment: ProgramEnvironment([:]),
                desktop: $0.desktop, another: $0.anotherPassphrase, passphrase: $1)
        }
        // The server answers in the order of its script.
        world.width = 1
        return world
    }
}

extension Invocation {
    /// Of no command: what it says is dropped.
    convenience init(_ world: Dependencies, _ options: GlobalOptions) throws(LoginFault) {
        try self.init(world, Console(streams: Streams { _, _ in }), options)
    }
}

/// The seconds that requests took.
private final class Elapsed: Sendable {
    let seconds = Mutex<Int64>(0)
}

/// Streams that keep what is written.
private final class Captured: Sendable {
    private let bytes = Mutex<[Int32: [UInt8]]>([:])

    func append(_ more: UnsafeRawBufferPointer, to stream: Int32) {
        bytes.withLock { $0[stream, default: []] += more }
    }

    func text(of stream: Int32) -> String {
        bytes.withLock { String(decoding: $0[stream, default: []], as: UTF8.self) }
    }
}

/// A person at a terminal who answers by a script.
struct ScriptedPerson: Dialogue {
    let prompt: ScriptedPrompt
    private let passphrase: String?
    private let confirms: Bool?
    private let chooses: Int?
    /// What is typed for the fields of a form, by their labels.
    var texts: [String: String] = [:]
    /// What is pasted.
    var pasted: String?
    /// Says yes or no by the question's label, where that is set.
    var decides: ((String) -> Bool)?
    let isThere: Bool

    /// Nobody.
    init() {
        self.init([], passphrase: nil, confirms: nil, isThere: false)
    }

    init(
        _ answers: [Answer] = [], trust: [TrustAnswer] = [], replace: [Bool] = [], passphrase: String? = nil,
        confirms: Bool? = nil, chooses: Int? = nil, retry: [Bool] = [], codes: [String] = [],
        isThere: Bool = true
    ) {
        prompt = ScriptedPrompt(
            answers.map { .success($0) }, trust: trust.map { .success($0) },
            replace: replace.map { .success($0) }, retry: retry.map { .success($0) },
            codes: codes.map { .success($0.isEmpty ? .leftBlank(.code) : .code(Secret($0))) })
        self.passphrase = passphrase
        self.confirms = confirms
        self.chooses = chooses
        self.isThere = isThere
    }

    static func types(_ username: String?, _ secret: String) -> Answer {
        .credential(Credential(username: username, .password(Secret(secret))))
    }

    static func pastes(_ token: String) -> Answer {
        .credential(Credential(username: nil, .token(Secret(token))))
    }

    func ask(_ question: Question) throws(LoginFault) -> Answer { try prompt.ask(question) }

    func wait(seconds: Int) throws(LoginFault) { try prompt.wait(seconds: seconds) }

    func showWaiting(_ notice: String?) { prompt.showWaiting(notice) }

    func askPassphrase(_ label: String, confirm: Bool) throws(LoginFault) -> Secret? {
        passphrase.map { Secret($0) }
    }

    func askPasted(_ note: String) throws(LoginFault) -> Secret {
        guard let pasted else { throw .cancelled }
        return Secret(pasted)
    }

    func askText(_ label: String, note: String?) throws(LoginFault) -> String { texts[label] ?? "" }

    func choose(_ question: String, among names: [String]) throws(LoginFault) -> Int {
        guard let chooses, names.indices.contains(chooses) else { throw .cancelled }
        return chooses
    }

    func confirm(_ question: String, typing word: String) throws(LoginFault) -> Bool {
        guard let confirms else { throw .failure(.unexpectedEvent("unscripted: confirm")) }
        return confirms
    }

    func decide(_ question: String, label: String, details: String?) throws(LoginFault) -> Bool {
        prompt.decisions.append((question, details))
        if let decides { return decides(label) }
        return try confirm(question, typing: "yes")
    }
}
