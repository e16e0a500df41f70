import Glibc
import LoginCore

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
    private var hasAnswer: Bool {
        var waiting = (listener?.descriptors ?? []).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        return poll(&waiting, nfds_t(waiting.count), 0) > 0
    }

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
        do throws(LoginFault) {
            let silence = start + .seconds(settings.silence)
            let answer = try holdingSignals { (signals) throws(LoginFault) in
                let answer = try next(judge, until: deadline, hintAt: silence, unless: signals)
                if answer?.isToThisLogin == true { try sayGoodbye(judge, unless: signals) }
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

    /// Lets the browser come for the last page, where it brought the response.
    private func sayGoodbye(_ judge: AuthorizationJudge, unless signals: HeldSignals) throws(LoginFault) {
        question?.clear()
        question = nil
        listener?.serveDone(judge) { signals.arePending || settings.isCancelled?() == true }
        if signals.arePending { throw .cancelled }
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
            switch question.read(label, until: deadline, beside: OtherWait(others, due: due)) {
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
        var waiting = (listener?.descriptors ?? []).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let left = max(0, min(((due - .now) / .milliseconds(1)).rounded(.up), 100))
        poll(&waiting, nfds_t(waiting.count), Int32(left))
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

extension AuthorizationResponse {
    /// Whether there is nothing more to wait for.
    fileprivate var isToThisLogin: Bool {
        switch self {
        case .right, .denied: true
        case .refused, .notAnAddress: false
        }
    }
}
