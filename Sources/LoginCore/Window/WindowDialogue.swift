package import Secrets

/// A person who logs in in a private window of a browser that authctl has opened: the window and the terminal, which are waited for
/// together.
package protocol WindowDialogue {
    /// Starts a browser with a private window at a URL, and says what for.
    /// - Throws: `failure(.browser)` where none can be had.
    /// - Parameter header: what the service's own pages send, and is to be taken.
    func open(_ url: String, taking header: TakenHeader?) throws(LoginFault)

    /// The browser's own name of itself.
    var userAgent: String? { get }

    /// The last value of the header that is to be taken.
    var headerValue: Secret? { get }

    /// The URLs of the pages that are open, as the browser writes them.
    var pages: [String] { get }

    /// Waits until a page has another URL, or has been loaded again, for so many milliseconds at most.
    /// - Returns: the URLs of those pages.
    /// - Throws: `cancelled` where the person has pressed Ctrl-C; `failure(.browser)`.
    func changedPages(milliseconds: Int, secondsLeft: Int) throws(LoginFault) -> [String]

    /// The cookies that the browser would send to a URL (RFC 6265, section 5.4).
    func cookies(for url: String, host: String) throws(LoginFault) -> [WindowCookie]

    /// Asks whether cookies that other hosts of these domains get, too, may be kept.
    func agree(toCookiesOf domains: [String], host: String) throws(LoginFault) -> Bool

    /// Milliseconds of a clock that only goes on.
    func now() -> Int

    /// Closes the window and leaves nothing of it, whatever came of it.
    func end()
}

/// A header that pages of an origin send, as those do that keep a token in the browser's storage.
package struct TakenHeader: Equatable, Sendable {
    package let name: String
    package let origin: Origin

    package init(name: String, origin: Origin) { (self.name, self.origin) = (name, origin) }
}
