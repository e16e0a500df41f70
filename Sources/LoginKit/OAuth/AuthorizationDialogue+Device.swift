import Glibc
import LoginCore

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

    func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}
