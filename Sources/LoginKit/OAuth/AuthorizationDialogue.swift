import Glibc
import LoginCore

/// The person's side of a login elsewhere: the prompt, the loopback port and the browser, or a code and a clock, or a window of a
/// browser. For one login; releasing it closes the port and the window, and leaves the terminal as it was.
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
    /// The browser of a login that is made in a window of its own, and its folder.
    var window: BrowserWindow?
    var folder: BrowserFolder?
    /// The seconds that the terminal shows as left.
    var shownSeconds: Int?
    /// The forgeries that were reported.
    var told: Set<Forgery> = []

    static let addressLabel = "Address: "

    /// Opens nothing yet.
    init(_ settings: AuthorizationSettings) {
        self.settings = settings
        words = AuthorizationWords(profile: settings.profile, origin: settings.origin)
        start = BrowserStart(configured: settings.browser, environment: settings.environment)
    }

    deinit { end() }

    /// For `AuthorizationWay.Choice`.
    var canStartBrowser: Bool { start.canStart }

    /// The look of the terminal where the person is.
    var look: TerminalLook { (settings.hasPerson ? TerminalLook.current : nil) ?? TerminalLook() }

    /// Says sentences where the person is: above an open question, at the terminal, or as the caller does.
    func tell(_ lines: [String]) { show(settings.hasPerson ? look.wrapped(lines) : lines) }

    /// Says where the person logs in, and what is asked for there.
    func tellOpening(_ server: BrowserVisit.Server, _ place: AuthorizationWords.Place) {
        tell([words.opening(server, place)])
        guard let scope = AuthorizationWords.scope(server) else { return }
        show([settings.hasPerson ? look.fitted(scope) : scope])
    }

    /// The same for what is to be copied, or is a picture: it stays whole.
    func show(_ lines: [String]) {
        if let question { return question.say(lines) }
        if settings.hasPerson, TerminalNotice.say(lines) { return }
        for line in lines { settings.say(line) }
    }

    /// Port and window are closed and the question gone, whatever came of it; a signal that came in a wait takes effect.
    package func end() {
        close()
        closeWindow()
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
    func holdingSignals<Result>(
        _ wait: (HeldSignals) throws(LoginFault) -> Result
    ) throws(LoginFault) -> Result {
        let held = HeldSignals()
        do throws(LoginFault) {
            let result = try wait(held)
            held.release()
            return result
        } catch {
            if held.arePending { signals = held } else { held.release() }
            throw error
        }
    }

    /// A QR code of the URL, or why there is none.
    func showPicture(of url: String) {
        guard settings.showsQR else { return }
        let look = look
        do throws(QRCode.Problem) {
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
