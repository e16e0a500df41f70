public import Secrets

/// Answers what a login asks: the terminal (`TerminalDelegate`), or a delegate of the program's own.
///
/// Only `answer(_:)` is required. A method may take as long as a person does; the rest of the program goes on meanwhile. If the task
/// of the login is cancelled, so is the task that a method runs in, and its result is dropped.
public protocol LoginDelegate: Sendable {
    /// Answers a question.
    ///
    /// For `Question.credential(challenge)` return `.credential` with what `challenge.fields` lists. Send it to `challenge.protectionSpace`
    /// alone; `challenge.reason` says why it is asked, or asked again. A delegate that has nothing better after a refusal returns
    /// `question.decline`: the login then ends with the refusal. `.cancelled` ends it with `LoginError.Code.cancelled`.
    func answer(_ question: Question) async -> Answer

    /// Opens a login page in a browser, or shows its URL, for a profile with `method = "oauth"` or with `open` in a step. LoginKit waits for
    /// the browser to come back to this machine, or for the service to say that the person has approved.
    /// - Returns: `false` if there is no browser, which ends the login. That is the default.
    func open(_ login: BrowserLogin) async -> Bool

    /// Shows a code and the URL where the person enters it on any device. LoginKit waits until they have.
    /// - Returns: `false` if it cannot be shown, which ends the login. That is the default.
    func show(_ login: DeviceLogin) async -> Bool

    /// Asks whether to log in at an authorization server that the service names but no profile does.
    /// - Returns: `false` to end the login before anything is sent there. That is the default.
    func agree(to server: AuthorizationServerQuestion) async -> Bool

    /// Returns the passphrase of a store or of a certificate's key.
    /// - Parameter label: the words for a prompt, such as `Passphrase of ~/key.pem: `.
    /// - Returns: `nil` to end the login. That is the default.
    func passphrase(for label: String) async -> Secret?

    /// Reports that the login began to wait for `notice`. Called on a thread of the login, which waits until this returns.
    func didBeginWaiting(for notice: String)

    /// Reports that the wait is over.
    func didFinishWaiting()

    /// Reports something worth knowing, such as a store that is skipped: one sentence in English. Called on a thread of the login, which
    /// waits until this returns.
    func note(_ text: String)
}

extension LoginDelegate {
    /// Returns `false`.
    public func open(_ login: BrowserLogin) async -> Bool { false }

    /// Returns `false`.
    public func show(_ login: DeviceLogin) async -> Bool { false }

    /// Returns `false`.
    public func agree(to server: AuthorizationServerQuestion) async -> Bool { false }

    /// Returns `nil`.
    public func passphrase(for label: String) async -> Secret? { nil }

    /// Does nothing.
    public func didBeginWaiting(for notice: String) {}

    /// Does nothing.
    public func didFinishWaiting() {}

    /// Does nothing.
    public func note(_ text: String) {}
}

/// A login page to open in a browser (RFC 6749, section 4.1).
public struct BrowserLogin: Equatable, Sendable {
    /// The name of the profile.
    public let profile: String
    /// The authorization server: its issuer, or its origin.
    public let server: String
    /// The scope that is asked for; `nil` for the server's default.
    public let scope: String?
    /// The URL to open. It holds the state of this login, so keep it out of logs.
    public let url: String

    /// Makes a page as a login hands it to a delegate, for tests of one.
    public init(profile: String, server: String, scope: String? = nil, url: String) {
        (self.profile, self.server, self.scope, self.url) = (profile, server, scope, url)
    }
}

/// A code to enter on any device (RFC 8628).
public struct DeviceLogin: Equatable, Sendable {
    /// The name of the profile.
    public let profile: String
    /// The authorization server: its issuer, or its origin.
    public let server: String
    /// The scope that is asked for; `nil` for the server's default.
    public let scope: String?
    /// The URL where the code is entered.
    public let url: String
    /// The URL with the code filled in, for a QR code or a link; `nil` if the server has none.
    public let completeURL: String?
    /// The code, at most 40 printable ASCII characters.
    public let code: String
}

/// An authorization server on another origin than the service that names it.
public struct AuthorizationServerQuestion: Equatable, Sendable {
    /// The origin of the service.
    public let service: String
    /// The origins that would see the login, the issuer first.
    public let servers: [String]
    /// The question in English, a paragraph a line.
    public let lines: [String]
}

extension Question {
    /// The answer that sends nothing, trusts nothing and replaces nothing.
    public var decline: Answer {
        switch self {
        case .credential, .code: .declined
        case .certificate: .trust(.reject)
        case .replacement, .retry: .no
        }
    }

    /// Whether an answer is one to this question.
    func allows(_ answer: Answer) -> Bool {
        switch (self, answer) {
        case (_, .cancelled), (.credential, .credential), (.credential, .leftBlank), (.credential, .declined),
            (.credential, .continueWithout), (.code, .code), (.code, .leftBlank), (.code, .declined),
            (.certificate, .trust), (.replacement, .yes), (.replacement, .no), (.retry, .yes), (.retry, .no):
            true
        case (.credential, _), (.code, _), (.certificate, _), (.replacement, _), (.retry, _): false
        }
    }
}
