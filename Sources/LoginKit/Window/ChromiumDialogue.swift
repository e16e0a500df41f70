import Glibc
import Secrets

/// A person in a window of a browser. For one login; releasing it closes the window, and leaves the terminal as it was.
final class ChromiumDialogue: WindowDialogue {
    private let settings: AuthorizationSettings
    private var window: BrowserWindow?
    private var folder: RunFolder?
    /// Held back from the start of the browser to the end.
    private var signals: HeldSignals?
    /// The seconds that the terminal shows as left.
    private var shownSeconds: Int?
    private let created = ContinuousClock.now

    /// Opens nothing yet.
    init(_ settings: AuthorizationSettings) { self.settings = settings }

    deinit { end() }

    func open(_ url: String, taking header: TakenHeader?) throws(LoginFault) {
        do {
            let program = try ChromiumProgram.choose(
                configured: settings.browser, environment: settings.environment)
            try startWindow(program, at: url, taking: header)
            settings.tell(WindowWords.opened(program.name, for: settings.profile, settings.origin))
        } catch {
            throw isOver ? .cancelled : .failure(.browser(error))
        }
    }

    /// From here on a signal waits until nothing of the browser is left.
    private func startWindow(
        _ program: ChromiumProgram, at url: String, taking header: TakenHeader?
    ) throws(WindowFault) {
        signals = HeldSignals()
        do {
            folder = try RunFolder("browser", in: settings.runtimeFolder)
        } catch {
            throw .noFolder(error)
        }
        guard let folder else { return }
        let opened = try BrowserWindow(program, environment: settings.environment, folder: folder.path, url: url)
        window = opened
        opened.header = header
        try opened.greet { self.isOver }
    }

    /// Whether nobody waits any more.
    private var isOver: Bool { signals?.arePending == true || settings.isCancelled?() == true }

    var userAgent: String? { window?.userAgent }

    var headerValue: Secret? { window?.headerValue }

    var pages: [String] { window?.pages ?? [] }

    func changedPages(milliseconds: Int, secondsLeft: Int) throws(LoginFault) -> [String] {
        if settings.hasPerson, secondsLeft != shownSeconds {
            TerminalNotice.show(WindowWords.waiting(seconds: secondsLeft), onlyIfFree: false)
            shownSeconds = secondsLeft
        }
        if isOver { throw .cancelled }
        guard let window else { return [] }
        waitForInput([window.descriptor, signals?.descriptor ?? -1], milliseconds: Int32(milliseconds))
        if isOver { throw .cancelled }
        return try fromWindow { () throws(WindowFault) in try window.takeChanges() }
    }

    func now() -> Int { Int((ContinuousClock.now - created) / .milliseconds(1)) }

    func cookies(for url: String, host: String) throws(LoginFault) -> [WindowCookie] {
        let result = try fromWindow { () throws(WindowFault) in try window?.cookies(for: url) { self.isOver } }
        return result.map { WindowCookie.cookies(in: $0, for: host) } ?? []
    }

    func agree(toCookiesOf domains: [String], host: String) throws(LoginFault) -> Bool {
        guard settings.hasPerson else { return false }
        let prompt = TerminalPrompt(
            mask: settings.mask, timeout: settings.timeout, isCancelled: HeldSignals.orPending(settings.isCancelled))
        return try prompt.confirm(
            settings.look.wrapped(WindowWords.parents(domains, host: host)), label: WindowWords.keepParents,
            typing: "yes")
    }

    /// Closes the window, and removes all that the browser has written; a signal that came meanwhile takes effect.
    func end() {
        if settings.hasPerson, shownSeconds != nil { TerminalNotice.hide() }
        shownSeconds = nil
        window?.close()
        window = nil
        folder?.remove()
        folder = nil
        signals?.release()
        signals = nil
    }

    private func fromWindow<Result>(_ body: () throws(WindowFault) -> Result) throws(LoginFault) -> Result {
        do { return try body() } catch { throw .failure(.browser(error)) }
    }
}
