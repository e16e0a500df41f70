import LoginCore

/// What was chosen of how a person consents at an authorization server.
package struct ConsentChoices: Equatable, Sendable {
    /// As an option says.
    package var way: Way?
    /// The program that opens the URL, in the place of the profile's.
    package var browser: String?
    /// In the place of the profile's scope.
    package var scope: String?
    /// Whether the URL is shown as a QR code, too.
    package var showsQR = false

    /// The ways that an option can ask for.
    package enum Way: Equatable, Sendable {
        /// A code is typed in a browser anywhere.
        case device
        /// A browser, which is not started.
        case noBrowser
        /// A browser that is started.
        case browser
    }

    /// As the profile has it.
    package init() {}

    /// Whether a person can consent although authctl has no terminal: they are told where to go, and asked nothing.
    var needsNoTerminal: Bool { way == .device || way == .noBrowser }

    var isNothing: Bool { self == ConsentChoices() }

    var option: AuthorizationWay? {
        switch way {
        case .device: .device
        case .noBrowser: .browser(starts: false)
        case .browser: .browser(starts: true)
        case nil: nil
        }
    }
}
