/// The server cannot judge now.
package struct BusyFault: Equatable, Sendable {
    /// The status of the answer: 429, one of 500 to 599, or any at a refresh that nobody has judged.
    let status: Int
    /// Seconds, as `Retry-After` tells them (RFC 9110, section 10.2.3).
    let retryAfter: Int?
    /// The server's own words, unescaped; `nil` if none are known.
    let words: String?
    /// Whether the answer to a refresh may come from something in between, such as a firewall: it does not say that the login has
    /// ended, nor that the server is busy.
    let isDoubtful: Bool

    /// - Parameter retryAfter: in seconds; `nil` if the server does not say.
    package init(status: Int, retryAfter: Int?, words: String?, isDoubtful: Bool = false) {
        self.status = status
        self.retryAfter = retryAfter
        self.words = words
        self.isDoubtful = isDoubtful
    }
}

/// Anything else.
package enum OtherFailure: Equatable, Sendable {
    /// An answer that no rule of the profile names.
    case unexpectedStatus(Int, step: String, words: String?)
    case redirected(step: String, status: Int, target: String)
    case missingInResponse(place: String, step: String)
    /// The page of a profile has no value for `{csrf}`.
    case noCSRF(Place)
    /// A page has none, or more than one, with these fields.
    case noSuchForm(page: String, fields: [String], found: Int)
    /// The button of the form that is meant is disabled, so that a browser would not submit it.
    case formDisabled(page: String)
    /// Even a new token lives shorter than asked; with the difference of the clocks where that is why it looks so.
    case tokenTooShortLived(seconds: Int64, clock: ClockDifference? = nil)
    case logoutIncomplete(String)
    case unexpectedEvent(String)
    /// It came from a pipe, is longer than what is kept, and would have to be sent once more.
    case bodyNotRepeatable
    /// It is too long, or holds what would end the line.
    case sessionFitsNoHeader
    /// The loader's message, which begins with the missing file.
    case libraryMissing(String)
    case system(call: String, errno: Int32)
    /// A browser window cannot be opened, or is of no more use.
    case browser(WindowFault)
    /// In words, since no caller matches it.
    case other(String, details: [String] = [], next: Advice = "")
}

/// The reason why a browser window cannot be opened, or is of no more use.
package enum WindowFault: Error, Equatable, Sendable {
    /// No program of the Chromium family is in PATH; `other` is the name of Firefox if that is there.
    case noBrowser(other: String?)
    /// A package that keeps authctl's channel from its browser: snap or flatpak.
    case confined(path: String, by: String)
    /// As root, Chromium starts only without its sandbox, which is not turned off unasked.
    case root
    /// There is no display; `isRemote` if the person is logged in by ssh.
    case noDisplay(isRemote: Bool)
    /// It did not start: the system's error.
    case notStarted(program: String, errno: Int32)
    /// It does not answer on its channel, as all of the Chromium family do.
    case noAnswer(program: String)
    /// It exited before anyone had logged in; `words` is the last line that it wrote, if any.
    case ended(program: String, status: Int32?, words: String?)
    /// The person has closed its window.
    case closed
    /// Its own folder could not be made.
    case noFolder(StoreFault)
    /// It sent something other than a message of its protocol, or more than is read.
    case brokenChannel(program: String)
}
