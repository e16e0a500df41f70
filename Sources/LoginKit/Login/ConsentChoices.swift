package import LoginCore

/// Options for approving a login at an authorization server.
package struct ConsentChoices: Equatable, Sendable {
    /// As an option says.
    package var way: AuthorizationWay?
    /// The program that opens the URL, instead of the profile's.
    package var browser: String?
    /// In the place of the profile's scope.
    package var scope: String?
    /// Whether the URL is shown as a QR code, too.
    package var showsQR = false

    /// As the profile has it.
    package init() {}

    /// Whether a person can consent although authctl has no terminal: they are told where to go, and asked nothing.
    var needsNoTerminal: Bool { way == .device || way == .browser(starts: false) }

    var isNothing: Bool { self == ConsentChoices() }
}
