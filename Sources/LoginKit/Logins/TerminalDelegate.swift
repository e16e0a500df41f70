import Glibc
public import LoginCore
public import Secrets

/// Asks at the process's controlling terminal, as `authctl login` does; where there is none, nobody is asked and a login that
/// needs somebody ends with `LoginError.loginRequired`.
///
/// A delegate of one's own may hand it what it does not answer itself.
public struct TerminalDelegate: LoginDelegate {
    /// What stands for one character of a secret; empty for nothing.
    public var mask = "*"
    /// How long a person has for each line, in seconds.
    public var timeout = 300
    /// Whether an empty password is an answer.
    public var allowsBlankPassword = false

    /// As `authctl login` asks without options.
    public init() {}

    /// Whether there is a terminal at all.
    public static var hasTerminal: Bool { TerminalPrompt.hasTerminal }

    public func answer(_ question: Question) async -> Answer {
        await asking(or: .cancelled) { (prompt) throws(LoginError) in try prompt.ask(question) }
    }

    public func passphrase(for label: String) async -> Secret? {
        await asking(or: nil) { (prompt) throws(LoginError) in try prompt.askPassphrase(label, confirm: false) }
    }

    public func waits(for notice: String?) { prompt.showWaiting(notice) }

    /// Writes a line to standard error, with nothing in it that a terminal would obey.
    public func note(_ text: String) {
        Array("\(SafeText.lines(text))\n".utf8).lend { _ = $0.writeAll(to: STDERR_FILENO) }
    }

    /// What the login itself asks with, on the thread that it has anyway.
    var prompt: TerminalPrompt {
        TerminalPrompt(
            mask: mask, timeout: timeout, allowsBlankPassword: allowsBlankPassword, isCancelled: { Task.isCancelled })
    }

    private func asking<Result: Sendable>(
        or failure: Result, _ ask: @Sendable (TerminalPrompt) throws(LoginError) -> Result
    ) async -> Result {
        await TerminalThread().run { () in
            do throws(LoginError) { return try ask(prompt) } catch { return failure }
        }
    }
}

/// A thread that may wait for a person.
private actor TerminalThread {
    private let executor = BlockingExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run<Result: Sendable>(_ ask: @Sendable () -> Result) -> Result { ask() }
}
