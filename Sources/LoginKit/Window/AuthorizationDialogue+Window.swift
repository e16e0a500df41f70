import Glibc
import Secrets

extension AuthorizationDialogue: WindowDialogue {
    func open(_ url: String, taking header: TakenHeader?) throws(LoginFault) {
        let words = WindowWords(profile: settings.profile, origin: settings.origin)
        do throws(WindowFault) {
            let program = try ChromiumProgram.choose(
                configured: settings.browser, environment: settings.environment)
            try startWindow(program, at: url, taking: header)
            tell(words.opened(program.name))
        } catch {
            throw isOver ? .cancelled : .failure(.browser(error))
        }
    }

    /// From here on a signal waits until nothing of the browser is left.
    private func startWindow(
        _ program: ChromiumProgram, at url: String, taking header: TakenHeader?
    ) throws(WindowFault) {
        signals = HeldSignals()
        do throws(StoreFault) {
            folder = try BrowserFolder(in: settings.runtimeFolder)
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
        var waiting = [window.descriptor, signals?.descriptor ?? -1].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        poll(&waiting, nfds_t(waiting.count), Int32(milliseconds))
        if isOver { throw .cancelled }
        return try fromWindow { () throws(WindowFault) in try window.takeChanges() }
    }

    func cookies(for url: String, host: String) throws(LoginFault) -> [WindowCookie] {
        let result = try fromWindow { () throws(WindowFault) in try window?.cookies(for: url) { self.isOver } }
        return result.map { WindowCookie.cookies(in: $0, for: host) } ?? []
    }

    func agree(toCookiesOf domains: [String], host: String) throws(LoginFault) -> Bool {
        guard settings.hasPerson else { return false }
        let prompt = TerminalPrompt(
            mask: settings.mask, timeout: settings.timeout, isCancelled: HeldSignals.orPending(settings.isCancelled))
        return try prompt.confirm(
            look.wrapped(WindowWords.parents(domains, host: host)), label: WindowWords.keepParents, typing: "yes")
    }

    /// Closes the window, and removes all that the browser has written.
    func closeWindow() {
        if settings.hasPerson, shownSeconds != nil { TerminalNotice.hide() }
        shownSeconds = nil
        window?.close()
        window = nil
        folder?.remove()
        folder = nil
    }

    private func fromWindow<Result>(_ body: () throws(WindowFault) -> Result) throws(LoginFault) -> Result {
        do throws(WindowFault) { return try body() } catch { throw .failure(.browser(error)) }
    }
}
