import Glibc

/// The person's side of a login elsewhere: the prompt, the loopback port and the browser, or a code and a clock. For one login;
/// releasing it closes the port, and leaves the terminal as it was.
final class AuthorizationDialogue {
    let settings: AuthorizationSettings
    let words: AuthorizationWords
    let start: BrowserStart
    var listener: LoopbackListener?
    var redirect = LoopbackRedirect()
    var question: AddressQuestion?
    /// The label before the address.
    var label = addressLabel
    var began: ContinuousClock.Instant?
    /// A hint for when no response comes; said once.
    var hint: String?
    /// Held back until the end, where one has come.
    var signals: HeldSignals?
    /// The forgeries that were reported.
    var told: Set<Forgery> = []

    private static let addressLabel = "Address: "
    private let created = ContinuousClock.now

    /// Opens nothing yet.
    init(_ settings: AuthorizationSettings) {
        self.settings = settings
        words = AuthorizationWords(profile: settings.profile, origin: settings.origin)
        start = BrowserStart(configured: settings.browser, environment: settings.environment)
    }

    deinit { end() }

    /// For `AuthorizationWay.Choice`.
    var canStartBrowser: Bool { start.canStart }

    private var look: TerminalLook { settings.look }

    /// Says sentences where the person is: above an open question, at the terminal, or as the caller does.
    func tell(_ lines: [String]) { show(settings.hasPerson ? look.wrapped(lines) : lines) }

    /// Says where the person logs in, and what is asked for there.
    private func tellOpening(_ server: BrowserVisit.Server, _ place: AuthorizationWords.Place) {
        tell([words.opening(server, place)])
        guard let scope = AuthorizationWords.scope(server) else { return }
        show([settings.hasPerson ? look.fitted(scope) : scope])
    }

    /// The same for what is to be copied, or is a picture: it stays whole.
    func show(_ lines: [String]) {
        if let question { question.say(lines) } else { settings.show(lines) }
    }

    /// The port is closed and the question gone, whatever came of it; a signal that came in a wait takes effect.
    func end() {
        close()
        signals?.release()
        signals = nil
    }

    func close() {
        listener = nil
        question?.clear()
        question = nil
    }

    /// Holds back the signals that would end the process for as long as `wait` takes. It has to throw once one has come; that
    /// takes effect at the end of the dialogue, when a client that was registered for it is deleted.
    private func holdingSignals<Result>(
        _ wait: (HeldSignals) throws(LoginFault) -> Result
    ) throws(LoginFault) -> Result {
        let held = HeldSignals()
        do {
            let result = try wait(held)
            held.release()
            return result
        } catch {
            if held.arePending { signals = held } else { held.release() }
            throw error
        }
    }

    /// A QR code of the URL, or why there is none.
    private func showPicture(of url: String) {
        guard settings.showsQR else { return }
        let look = look
        do {
            let code = try QRCode(url)
            guard let picture = QRPicture(code, isUnicode: look.isUnicode, hasColors: look.hasColors) else {
                return tell(["This terminal cannot show a QR code (TERM=dumb without UTF-8)."])
            }
            guard picture.width >= look.columns else { return show(picture.lines) }
            tell(["The QR code needs \(picture.width + 1) columns; there are \(look.columns)."])
        } catch {
            switch error {
            case .tooLong: tell(["The URL is too long for a QR code."])
            case .libraryMissing(let problem):
                tell(["For a QR code, install the package libqrencode4 (\(SafeText.escaped(problem)))."])
            }
        }
    }
}

extension AuthorizationDialogue: DeviceDialogue {
    func show(_ code: DeviceAuthorization, at server: BrowserVisit.Server) throws(LoginFault) {
        let url = (code.completeURL ?? code.verificationURL).text
        tellOpening(server, .device)
        tell(
            AuthorizationWords.device(
                code: code.userCode, url: code.verificationURL.text, completeURL: code.completeURL?.text))
        showPicture(of: url)
    }

    /// The line counts at a terminal alone, and is gone at the end.
    func wait(milliseconds: Int, secondsLeft: Int) throws(LoginFault) {
        let prompt = TerminalPrompt(isCancelled: settings.isCancelled)
        let start = now()
        var shown: Int?
        defer { if settings.hasPerson { prompt.showWaiting(nil) } }
        try holdingSignals { (signals) throws(LoginFault) in
            while true {
                if signals.arePending || settings.isCancelled?() == true { throw .cancelled }
                let passed = now() - start, left = max(0, secondsLeft - passed / 1000)
                if settings.hasPerson, left != shown { prompt.showWaiting(AuthorizationWords.waiting(seconds: left)) }
                shown = left
                guard passed < milliseconds else { return }
                usleep(useconds_t(min(milliseconds - passed, 100) * 1000))
            }
        }
    }

    func now() -> Int { Int((ContinuousClock.now - created) / .milliseconds(1)) }
}

extension AuthorizationDialogue: BrowserDialogue {
    func agree(to server: ForeignServer) throws(LoginFault) -> Bool {
        let prompt = TerminalPrompt(
            mask: settings.mask, timeout: settings.timeout, isCancelled: settings.isCancelled)
        return try prompt.confirm(
            look.wrapped(server.lines(for: settings.origin)), label: ForeignServer.question, typing: "yes")
    }

    func listen(on redirect: LoopbackRedirect) throws(LoginFault) -> LoopbackPort {
        let listener = try LoopbackListener(on: redirect)
        self.redirect = redirect
        self.listener = listener
        return listener.port
    }

    func show(_ visit: BrowserVisit) throws(LoginFault) {
        if settings.hasPerson {
            question = try AddressQuestion(mask: settings.mask, isCancelled: settings.isCancelled)
        }
        hint = AuthorizationWords.hint(redirect: visit.redirect, clientID: visit.clientID)
        if visit.insteadOfDevice { tell([AuthorizationWords.refusedDevice]) }
        tellOpening(visit.server, visit.starts ? .here : .anywhere)
        let isStarted = visit.starts && startBrowser(visit.url)
        let isOpen = listener?.port.isOpen == true
        tell([isStarted ? AuthorizationWords.started : AuthorizationWords.open])
        show([AuthorizationWords.address(visit.url)])
        showPicture(of: visit.url)
        if !isStarted { tellOfCarrying(to: visit, isOpen: isOpen) }
        if !isOpen, let listener { tell([AuthorizationWords.portTaken(listener.port.number)]) }
        if isStarted, isOpen { offerPasting() }
    }

    func show(page url: String, starts: Bool) throws(LoginFault) {
        tell([words.approval(starts ? .here : .anywhere)])
        tell([starts && startBrowser(url) ? AuthorizationWords.started : AuthorizationWords.open])
        show([AuthorizationWords.address(url)])
        showPicture(of: url)
    }

    /// One that does not start says why; the login goes on without it.
    private func startBrowser(_ url: String) -> Bool {
        let outcome = start.open(url, plainOrigin: settings.plainOrigin) { self.hasAnswer }
        switch outcome {
        case .started: return true
        case .failed(let failures):
            tell(AuthorizationWords.notStarted(failures.map { (name: $0.program, reason: $0.words) }))
        case .noBrowser: tell([AuthorizationWords.noBrowser])
        }
        return false
    }

    /// Whether a connection has come to the port.
    private var hasAnswer: Bool { waitForInput(listener?.descriptors ?? [], milliseconds: 0) > 0 }

    private func tellOfCarrying(to visit: BrowserVisit, isOpen: Bool) {
        if settings.hasPerson { tell(AuthorizationWords.carrying(from: visit.redirect)) }
        guard isOpen, let port = listener?.port.number,
            let tunnel = SSHTunnel(settings.environment, to: redirect, port: port)
        else { return }
        let words = AuthorizationWords.tunnel(isOnlyWay: !settings.hasPerson), command = tunnel.command.description
        guard settings.hasPerson, words.count + 1 + command.count > look.columns else {
            return show(["\(words) \(command)"])
        }
        tell([words])
        show([command])
    }

    /// Where the long label has no room, it is a line above a short one.
    private func offerPasting() {
        guard let question else { return }
        let words = AuthorizationWords.pasteBeside
        if words.count + 20 < question.columns { return label = words + ": " }
        tell([words + "."])
    }

    func awaitAnswer(
        _ wait: AuthorizationFlow.CallbackWait, _ judge: AuthorizationJudge
    ) throws(LoginFault) -> (answer: AuthorizationResponse, after: Int)? {
        let start = began ?? .now
        began = start
        if !wait.hears, listener?.isListening == true {
            listener?.close()
            tell([AuthorizationWords.portClosed])
        }
        if let complaint = wait.complaint { tell([complaint.words]) }
        let deadline = ContinuousClock.now + .seconds(wait.seconds)
        do {
            let silence = start + .seconds(settings.silence)
            let answer = try holdingSignals { (signals) throws(LoginFault) in
                let answer = try next(judge, until: deadline, hintAt: silence, unless: signals)
                switch answer {
                case .right, .denied:
                    question?.clear()
                    question = nil
                    // Lets the browser come for the last page, where it brought the response.
                    listener?.serveDone(judge) { signals.arePending || settings.isCancelled?() == true }
                    if signals.arePending { throw .cancelled }
                case .refused, .notAnAddress, nil: break
                }
                return answer
            }
            guard let answer else {
                close()
                return nil
            }
            note(answer)
            return (answer, Int((ContinuousClock.now - start) / .seconds(1)))
        } catch {
            close()
            throw error
        }
    }

    /// - Returns: nothing when the time is up.
    private func next(
        _ judge: AuthorizationJudge, until deadline: ContinuousClock.Instant, hintAt silence: ContinuousClock.Instant,
        unless signals: HeldSignals
    ) throws(LoginFault) -> AuthorizationResponse? {
        while deadline > .now {
            if signals.arePending { throw .cancelled }
            if let answer = listener?.answer(judge) { return answer }
            if silence <= .now, let hint {
                tell([hint])
                self.hint = nil
            }
            let due = [listener?.due, hint == nil ? nil : silence].compactMap { $0 }.min()
            guard let question else {
                try pause(until: min(due ?? deadline, deadline))
                continue
            }
            let others = [signals.descriptor].filter { $0 >= 0 } + (listener?.descriptors ?? [])
            switch question.read(label, until: deadline, beside: OtherWait(descriptors: others, due: due)) {
            case .typed(let text): return judge.judge(pasted: text)
            case .cancelled: throw .cancelled
            case .expired: return nil
            case .interrupted: continue
            }
        }
        return nil
    }

    /// Waits for the port alone, no longer than a tenth of a second.
    private func pause(until due: ContinuousClock.Instant) throws(LoginFault) {
        if settings.isCancelled?() == true { throw .cancelled }
        waitForInput(listener?.descriptors ?? [], milliseconds: min(due.millisecondsLeft, 100))
    }

    private func note(_ answer: AuthorizationResponse) {
        switch answer {
        case .right, .denied: close()
        case .refused(let forgery):
            if let words = forgery.words, told.insert(forgery).inserted { tell([words]) }
        case .notAnAddress: break
        }
    }
}
