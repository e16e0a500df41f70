import Foundation

/// What a person is asked to approve, and so what becomes of the answer.
enum ConsentSource: Sendable {
    /// A client on the same machine as the browser, which gets a code by a redirect. One that pushed its request
    /// (RFC 9126) has a URI for it.
    case browser(AuthorizationRequest, requestURI: String?)
    /// A device elsewhere, which polls.
    case device(DeviceAuthorizations.Device)

    var terms: GrantTerms {
        switch self {
        case .browser(let request, _): request.terms
        case .device(let device): device.terms
        }
    }

    /// Where the form may lead besides this server.
    var formTarget: String? {
        switch self {
        case .browser(let request, _): request.redirect.formTarget
        case .device: nil
        }
    }

    /// As HTML. A person who compares the codes is not tricked into approving somebody else's device (RFC 8628, 5.4).
    var explanation: String {
        switch self {
        case .browser(let request, _): "The answer goes to <code>\(BrowserPage.escaped(request.redirect.uri))</code>."
        case .device(let device):
            "Your device shows the code <strong>\(device.userCode)</strong>. If it does not, deny this request."
        }
    }
}
