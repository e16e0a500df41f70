/// Device Bound Session Credentials (W3C Working Draft): a browser renews the short-lived cookie of a session with a key that never
/// leaves its device.
package enum DeviceBinding {
    /// The headers of requests and responses, in lower case, also by the names of earlier drafts.
    private static let headers: Set<String> = [
        "secure-session-registration", "secure-session-challenge", "secure-session-response", "secure-session-skipped",
        "sec-secure-session-id", "sec-session-registration", "sec-session-challenge", "sec-session-response",
        "sec-session-id",
    ]

    /// Warns that a session of a browser may end soon.
    package static func warning(of profile: String) -> String {
        "warning: \(profile): the service binds sessions to the device of a browser; this one may end with its "
            + "short-lived cookie, which only that browser can renew"
    }

    /// Whether headers of these names tell of it.
    static func isTold(by names: some Sequence<String>) -> Bool { names.contains { headers.contains($0.lowercased()) } }
}
