package import LoginCore

/// What is remembered without being secret: profiles as they were used, their accounts, and where each account's
/// secret lies.
package struct AccountRegistryDocument: Equatable, Sendable {
    /// What this version of authctl reads and writes. A higher one is refused, never overwritten.
    package static let currentVersion = 1

    /// One of each name, in the order of their first logins.
    package var profiles: [ProfileRecord] = []
    /// The profile of the last login.
    package var lastProfile: String?
    /// What `profile default` chose; `default` of the configuration file goes before it.
    package var defaultProfile: String?
    /// Certificates that a person accepted, one for an origin.
    package private(set) var trusted: [TrustedCertificate] = []

    /// Nothing is remembered yet.
    package init() {}

    /// The profile of exactly this name.
    package func profile(_ name: String) -> ProfileRecord? {
        profiles.first { $0.name.isSame(as: name) }
    }

    /// Changes the profile of this name, and makes its record first if there is none.
    /// - Parameters:
    ///   - url: the profile's `url` as written.
    ///   - origin: what that text is, in canonical form.
    package mutating func updateProfile(
        _ name: String, url: String, origin: Origin, _ body: (inout ProfileRecord) -> Void = { _ in }
    ) {
        let index: Int
        if let present = profiles.firstIndex(where: { $0.name.isSame(as: name) }) {
            index = present
        } else {
            index = profiles.count
            profiles.append(ProfileRecord(name: name, url: url, origin: origin))
        }
        profiles[index].url = url
        profiles[index].origin = origin
        body(&profiles[index])
    }

    /// Notes an account whose secret is not stored yet, and changes nothing else of a profile that is known. Where no account
    /// is in use it becomes that one, so that a logout finds it after a crash.
    mutating func noteAccount(_ record: AccountRecord, of name: String, url: String, origin: Origin) {
        if profile(name) == nil { updateProfile(name, url: url, origin: origin) }
        guard let index = profiles.firstIndex(where: { $0.name.isSame(as: name) }) else { return }
        profiles[index].accounts.append(record)
        if profiles[index].origin == record.origin, profiles[index].activeAccount == nil {
            profiles[index].activeUsername = record.username
        }
    }

    /// The record of exactly this account.
    package func account(_ id: AccountID) -> AccountRecord? {
        profile(id.profile)?.accounts.first { $0.isOf(id) }
    }

    /// Changes the record of this account, if there is one.
    package mutating func updateAccount(_ id: AccountID, _ body: (inout AccountRecord) -> Void) {
        guard let profile = profiles.firstIndex(where: { $0.name.isSame(as: id.profile) }),
            let account = profiles[profile].accounts.firstIndex(where: { $0.isOf(id) })
        else { return }
        body(&profiles[profile].accounts[account])
    }

    /// Removes the record of this account. If it was the active one, none is active afterwards.
    package mutating func removeAccount(_ id: AccountID) {
        guard let index = profiles.firstIndex(where: { $0.name.isSame(as: id.profile) }) else { return }
        profiles[index].accounts.removeAll { $0.isOf(id) }
        if let active = profiles[index].activeUsername, active.isSame(as: id.username),
            profiles[index].origin == id.origin
        {
            profiles[index].activeUsername = nil
        }
    }

    /// What was accepted for this origin.
    package func exception(for origin: Origin) -> TrustedCertificate? {
        trusted.first { $0.origin == origin }
    }

    /// Puts an exception in the place of the origin's former one.
    package mutating func trust(_ exception: TrustedCertificate) {
        distrust(exception.origin)
        trusted.append(exception)
    }

    /// Removes what was accepted for this origin.
    package mutating func distrust(_ origin: Origin) {
        trusted.removeAll { $0.origin == origin }
    }
}

extension AccountRegistryDocument: Codable {
    /// The document says a version that this program does not know.
    struct UnknownVersion: Error {
        let version: Int
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FormKey.self)
        // First, since a later version may mean something else by the same words.
        let version = try container.decode(Int.self, forKey: "version")
        guard version == Self.currentVersion else { throw UnknownVersion(version: version) }
        profiles = try container.decode([ProfileRecord].self, forKey: "profiles")
        lastProfile = try container.decodeIfPresent(String.self, forKey: "lastProfile")
        defaultProfile = try container.decodeIfPresent(String.self, forKey: "defaultProfile")
        trusted = try container.decodeIfPresent([TrustedCertificate].self, forKey: "trusted") ?? []
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FormKey.self)
        try container.encode(Self.currentVersion, forKey: "version")
        try container.encode(profiles, forKey: "profiles")
        try container.encodeIfPresent(lastProfile, forKey: "lastProfile")
        try container.encodeIfPresent(defaultProfile, forKey: "defaultProfile")
        if !trusted.isEmpty { try container.encode(trusted, forKey: "trusted") }
    }
}
