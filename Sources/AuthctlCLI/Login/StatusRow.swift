import LoginCore
import LoginKit

/// One account, or a profile without any.
struct StatusRow: Encodable {
    let profile: String
    let origin: String?
    let username: String?
    let active: Bool
    let method: String
    let store: String?
    let expires: Int64?
    /// The machine that saved it last, where other machines have it, too.
    let machine: String?
    /// Whether authctl gets a new session by itself when this one has ended.
    let refreshes: Bool
    /// The state of the account; only `ok` can be used.
    let code: ExitCode
    /// The check that found the state.
    let check: Check
    /// The file of the authorities, where they are not the system's.
    let authorities: String?
    /// The fingerprint of the certificate that a person accepted for the origin.
    let trusted: String?

    /// The check of a usable account, as `status` names it.
    enum Check: String {
        /// The service was asked.
        case verified
        /// The service has nothing that could be asked.
        case unverified
        /// The server was not asked.
        case stored
    }

    /// Whether it is about an account, not about a profile without any.
    var hasAccount: Bool { store != nil }

    /// Whether the profile only lacks a login.
    var isAbsent: Bool { code == .loginRequired && !hasAccount }

    /// The check, or the name of what is wrong.
    var state: String { code == .ok ? check.rawValue : code.name }

    private enum CodingKeys: String, CodingKey {
        case profile, origin, username, active, method, store, machine, expires, state, exit, authorities, trusted
        case refreshes = "renews"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(profile, forKey: .profile)
        try container.encodeIfPresent(origin, forKey: .origin)
        try container.encodeIfPresent(username, forKey: .username)
        try container.encode(active, forKey: .active)
        try container.encode(method, forKey: .method)
        try container.encodeIfPresent(store, forKey: .store)
        try container.encodeIfPresent(machine, forKey: .machine)
        try container.encodeIfPresent(expires, forKey: .expires)
        if expires != nil { try container.encode(refreshes, forKey: .refreshes) }
        try container.encode(state, forKey: .state)
        try container.encode(code.rawValue, forKey: .exit)
        try container.encodeIfPresent(authorities, forKey: .authorities)
        try container.encodeIfPresent(trusted, forKey: .trusted)
    }
}
