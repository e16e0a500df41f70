import Foundation

/// The codes of devices without a browser, and what people decided about them in a browser elsewhere (RFC 8628).
struct DeviceAuthorizations: Sendable {
    enum Decision: Sendable {
        case pending
        case denied
        case approved(Account)
    }

    /// What waits for a person's decision.
    struct Device: Sendable {
        let terms: GrantTerms
        /// As a person reads and types it.
        let userCode: String
        let end: Date
        /// Seconds between two polls.
        var interval: TimeInterval
        var lastPoll: Date?
        var decision = Decision.pending
    }

    /// No vowels, so that no words come about (RFC 8628, 6.1).
    private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
    private var devices: [String: Device] = [:]

    /// A new pair of codes.
    mutating func begin(
        _ terms: GrantTerms, lifetime: TimeInterval, interval: TimeInterval, now: Date
    ) -> (deviceCode: String, userCode: String) {
        let half = { String((0..<4).compactMap { _ in Self.letters.randomElement() }) }
        let userCode = "\(half())-\(half())", deviceCode = Token.fresh("device")
        devices[deviceCode] = Device(terms: terms, userCode: userCode, end: now + lifetime, interval: interval)
        return (deviceCode, userCode)
    }

    /// The device whose code a person typed, in whatever case and with or without the dash, if it still waits.
    func waiting(forUserCode typed: String, now: Date) -> Device? {
        devices.values.first { device in
            guard case .pending = device.decision, device.end > now else { return false }
            return Self.bare(device.userCode) == Self.bare(typed)
        }
    }

    mutating func decide(_ decision: Decision, aboutUserCode userCode: String) {
        for code in devices.keys where devices[code]?.userCode == userCode { devices[code]?.decision = decision }
    }

    /// What was approved; the device code is used up by that.
    /// - Throws: what a device is told until then, as in RFC 8628, 3.5.
    mutating func redeem(
        _ deviceCode: String, clientID: String, now: Date
    ) throws(OAuthError) -> (terms: GrantTerms, account: Account) {
        guard let device = devices[deviceCode], device.terms.clientID == clientID else {
            throw OAuthError(.invalidGrant, "This device code is unknown, another client's, or was used before")
        }
        guard device.end > now else { throw OAuthError(.expiredToken, "The device code has expired") }
        switch device.decision {
        case .denied: throw OAuthError(.accessDenied, "The person said no")
        case .pending: throw pending(deviceCode, device, now)
        case .approved(let account):
            devices[deviceCode] = nil
            return (device.terms, account)
        }
    }

    /// A poll that comes too early makes the interval five seconds longer, for all that follow.
    private mutating func pending(_ deviceCode: String, _ device: Device, _ now: Date) -> OAuthError {
        devices[deviceCode]?.lastPoll = now
        if let last = device.lastPoll, now.timeIntervalSince(last) < device.interval {
            devices[deviceCode]?.interval += 5
            return OAuthError(.slowDown, "Wait five seconds longer from now on")
        }
        return OAuthError(.authorizationPending, "Nobody has decided yet")
    }

    private static func bare(_ code: String) -> String {
        code.uppercased().filter(\.isLetter)
    }
}
