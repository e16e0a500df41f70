package import Secrets

/// The response of the device authorization endpoint (RFC 8628, section 3.2).
package struct DeviceAuthorization: Equatable, Sendable {
    /// The device code, for polling; never shown.
    package let deviceCode: Secret
    /// The code that a person types, in printable ASCII.
    package let userCode: String
    /// Where they type it; safe to be shown.
    package let verificationURL: EndpointURL
    /// The same with the code in it, where the server has one; safe to be shown.
    package let completeURL: EndpointURL?
    /// Its lifetime, and the interval between two questions.
    package let times: Times

    /// The times of a device code, within reason.
    package struct Times: Equatable, Sendable {
        /// Seconds from the receipt on.
        package let lifetime: Int
        /// Seconds between two polls, at least.
        package let interval: Int

        /// - Parameters:
        ///   - lifetime: 900 where the server says none from 10 to 3600.
        ///   - interval: 5 where the server says none from 1 to 60 (RFC 8628, section 3.2).
        package init(lifetime: Int? = nil, interval: Int? = nil) {
            self.lifetime = lifetime ?? 900
            self.interval = interval ?? 5
        }
    }

    /// In characters: more is no code that anybody types.
    private static let longestUserCode = 40

    /// Reads the response.
    /// - Throws: `busy`; `oauth` with the refusal, with a URL that is not safe to be shown, for pages on two origins, or for what is
    ///   missing.
    package init(
        _ response: HTTPResponse, from endpoint: Origin? = nil, rule: EndpointRule, parse: URLReading
    ) throws(LoginFault) {
        let step = OAuthStep.deviceAuthorization
        let body = OAuthBody(response)
        if let busy = body.busy { throw .busy(busy) }
        if body.hasError || (400..<500).contains(response.status) { throw .oauth(.refused(body.refusal(at: step))) }
        try response.refuseRedirect(at: step)
        guard body.members != nil else {
            throw .oauth(.unusableResponse(step, body.unreadable))
        }
        guard let code = body.text("device_code") else { throw Self.missing("device_code") }
        guard let userCode = body.text("user_code") else { throw Self.missing("user_code") }
        guard Self.isUserCode(userCode) else {
            throw .oauth(.unusableResponse(step, .unsafeText(member: "user_code")))
        }
        // Google's name for it, of before the RFC.
        guard let address = body.text("verification_uri") ?? body.text("verification_url") else {
            throw Self.missing("verification_uri")
        }
        deviceCode = Secret(code)
        self.userCode = userCode
        let complete = body.text("verification_uri_complete")
        do throws(OAuthFault) {
            verificationURL = try rule.shown(address, namedBy: endpoint, read: parse)
            completeURL = try complete.map { (text) throws(OAuthFault) in
                try rule.shown(text, namedBy: endpoint, read: parse)
            }
            if let other = completeURL?.origin, other != verificationURL.origin {
                throw .twoPages(verificationURL.origin, other)
            }
        } catch {
            throw .oauth(error)
        }
        times = Times(
            lifetime: body.seconds("expires_in", in: 10...3600), interval: body.seconds("interval", in: 1...60))
    }

    /// Whether a code fits in one line of a terminal and controls nothing (RFC 8628, section 6.1).
    private static func isUserCode(_ text: String) -> Bool {
        text.utf8.count <= longestUserCode && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
            && text.first != " " && text.last != " "
    }

    private static func missing(_ member: String) -> LoginFault {
        .oauth(.unusableResponse(.deviceAuthorization, .missing(member: member)))
    }
}

extension OAuthRefusal {
    /// Whether a device endpoint refuses the client or the whole grant, so that the browser may do better.
    package var rulesOutDeviceFlow: Bool {
        step == .deviceAuthorization && (code == .unauthorizedClient || status == 404 || status == 405)
    }
}
