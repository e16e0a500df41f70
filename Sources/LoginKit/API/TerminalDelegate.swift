import Glibc
public import Secrets

/// Asks at the process's controlling terminal, as `authctl login` does. Without a terminal nobody is asked, and a login that needs
/// somebody ends with `LoginError.Code.loginRequired`.
///
/// A delegate of one's own can forward to it whatever it does not answer itself.
public struct TerminalDelegate: LoginDelegate {
    /// Shown for each character of a secret; empty to show nothing.
    public var mask = "*"
    /// Seconds that a person has for each line.
    public var timeout = 300
    /// Whether an empty password is an answer.
    public var allowsBlankPassword = false

    /// Makes a delegate that asks as `authctl login` does without options.
    public init() {}

    /// Whether the process has a terminal.
    public static var hasTerminal: Bool { TerminalPrompt.hasTerminal }

    public func answer(_ question: Question) async -> Answer {
        await asking(or: .cancelled) { (prompt) throws(LoginFault) in try prompt.ask(question) }
    }

    /// Starts a browser, and shows the URL for one that does not start.
    public func open(_ login: BrowserLogin) async -> Bool {
        let words = AuthorizationWords.address(login.url)
        guard TerminalNotice.say(["Log in at \(SafeText.escaped(login.server)) in your browser:", words]) else {
            return false
        }
        return await TerminalThread().run {
            _ = BrowserStart(configured: nil, environment: .inherited()).open(login.url, plainOrigin: nil) { false }
            return true
        }
    }

    /// Shows the URL and the code.
    public func show(_ login: DeviceLogin) async -> Bool {
        let lines = AuthorizationWords.device(code: login.code, url: login.url, completeURL: login.completeURL)
        return TerminalNotice.say(["Log in at \(SafeText.escaped(login.server)):"] + lines)
    }

    /// Asks for a `yes`.
    public func agree(to server: AuthorizationServerQuestion) async -> Bool {
        await asking(or: false) { (prompt) throws(LoginFault) in
            try prompt.confirm(server.lines, label: ForeignServer.question, typing: "yes")
        }
    }

    public func passphrase(for label: String) async -> Secret? {
        await asking(or: nil) { (prompt) throws(LoginFault) in try prompt.askPassphrase(label, confirm: false) }
    }

    public func didBeginWaiting(for notice: String) { prompt.showWaiting(notice) }

    public func didFinishWaiting() { prompt.showWaiting(nil) }

    /// Writes a line to standard error, without control characters.
    public func note(_ text: String) {
        Array("\(SafeText.lines(text))\n".utf8).lend { _ = $0.writeAll(to: STDERR_FILENO) }
    }

    /// The prompt for the thread that the login has anyway.
    var prompt: TerminalPrompt {
        TerminalPrompt(
            mask: mask, timeout: timeout, allowsBlankPassword: allowsBlankPassword, isCancelled: { Task.isCancelled })
    }

    private func asking<Result: Sendable>(
        or failure: Result, _ ask: @Sendable (TerminalPrompt) throws(LoginFault) -> Result
    ) async -> Result {
        await TerminalThread().run { () in
            do { return try ask(prompt) } catch { return failure }
        }
    }
}

/// A thread that may wait for a person.
private actor TerminalThread {
    private let executor = BlockingExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run<Result: Sendable>(_ ask: @Sendable () -> Result) -> Result { ask() }
}
