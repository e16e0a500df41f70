/// The registry's content, none of it secret: profiles as they were used, their accounts, and the store of each account's
/// secret.
package struct AccountRegistryDocument: Equatable, Sendable {
    /// The version that this authctl writes. A higher one is never overwritten.
    private static let currentVersion = 1

    /// One of each name, in the order of their first logins.
    package var profiles: [ProfileRecord] = [] {
        didSet { places.isComplete = false }
    }
    /// The profile of the last login.
    package var lastProfile: String?
    /// The choice of `profile default`; `default` of the configuration file goes before it.
    package var defaultProfile: String?
    /// Certificates that a person accepted, one for an origin.
    package private(set) var trusted: [TrustedCertificate] = []
    /// Whether a newer authctl wrote it, so that this one must not change it.
    package private(set) var isNewer = false
    /// Members that this version does not know, as they are.
    private var unknown = UnknownMembers()
    private var places = NamePlaces()

    /// The profile of exactly this name.
    package func profile(_ name: String) -> ProfileRecord? {
        place(of: name).map { profiles[$0] }
    }

    private func place(of name: String) -> Int? {
        places.place(of: name, in: profiles) { $0.name.isSame(as: name) }
    }

    /// Changes the profile of this name, and makes its record first if there is none.
    /// - Parameters:
    ///   - url: the profile's `url` as written.
    ///   - origin: what that text is, in canonical form.
    package mutating func updateProfile(
        _ name: String, url: String, origin: Origin, _ body: (inout ProfileRecord) -> Void = { _ in }
    ) {
        let index: Int
        if let present = place(of: name) {
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
        guard let index = place(of: name) else { return }
        profiles[index].accounts.append(record)
        if profiles[index].origin == record.origin, profiles[index].activeAccount == nil {
            profiles[index].activeUsername = record.username
        }
    }

    /// The record of exactly this account.
    func account(_ id: AccountID) -> AccountRecord? {
        guard let profile = profile(id.profile) else { return nil }
        return profile.place(of: id).map { profile.accounts[$0] }
    }

    /// Changes the record of this account, if there is one.
    mutating func updateAccount(_ id: AccountID, _ body: (inout AccountRecord) -> Void) {
        guard let profile = place(of: id.profile), let account = profiles[profile].place(of: id) else { return }
        body(&profiles[profile].accounts[account])
    }

    /// Removes the records of these accounts. Where one of them was the active one, none is active afterwards.
    mutating func removeAccounts(_ ids: Set<AccountID>) {
        for name in Set(ids.map(\.profile)) {
            guard let index = place(of: name) else { continue }
            let (origin, active) = (profiles[index].origin, profiles[index].activeUsername)
            profiles[index].accounts.removeAll { ids.contains($0.id(in: name)) }
            if let active, ids.contains(AccountID(profile: name, origin: origin, username: active)) {
                profiles[index].activeUsername = nil
            }
        }
    }

    /// The accepted certificate of this origin.
    package func exception(for origin: Origin) -> TrustedCertificate? {
        trusted.first { $0.origin == origin }
    }

    /// Puts an exception in the place of the origin's former one.
    mutating func trust(_ exception: TrustedCertificate) {
        distrust(exception.origin)
        trusted.append(exception)
    }

    /// Removes what was accepted for this origin.
    package mutating func distrust(_ origin: Origin) {
        trusted.removeAll { $0.origin == origin }
    }
}

extension AccountRegistryDocument: Codable {
    /// A newer version wrote the document, and it cannot be understood.
    struct NewerVersion: Error {}

    private static let members: Set = ["version", "profiles", "lastProfile", "defaultProfile", "trusted"]

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FormKey.self)
        let version = try container.decode(Int.self, forKey: "version")
        guard version >= Self.currentVersion else { throw JSONForm.Misfit() }
        isNewer = version > Self.currentVersion
        do {
            profiles = try container.decode([ProfileRecord].self, forKey: "profiles")
            lastProfile = try container.decodeIfPresent(String.self, forKey: "lastProfile")
            defaultProfile = try container.decodeIfPresent(String.self, forKey: "defaultProfile")
            trusted = try container.decodeIfPresent([TrustedCertificate].self, forKey: "trusted") ?? []
        } catch {
            throw isNewer ? NewerVersion() : error
        }
        unknown = UnknownMembers(of: decoder, besides: Self.members)
        places = NamePlaces(profiles.map(\.name))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FormKey.self)
        try container.encode(Self.currentVersion, forKey: "version")
        try container.encode(profiles, forKey: "profiles")
        try container.encodeIfPresent(lastProfile, forKey: "lastProfile")
        try container.encodeIfPresent(defaultProfile, forKey: "defaultProfile")
        if !trusted.isEmpty { try container.encode(trusted, forKey: "trusted") }
        try unknown.encode(into: &container)
    }
}

/// The part of a JSON object that this version does not know, kept so that a save does not lose it: a newer authctl that shares the
/// state folder may have written it.
struct UnknownMembers: Equatable, Sendable {
    private var values: [String: JSONValue] = [:]
    /// Whether a member that this version knows has a value that it does not.
    private(set) var hasUnknownValue = false

    init() {}

    /// - Parameter known: the members that the type reads by itself.
    init(of decoder: any Decoder, besides known: Set<String>) {
        guard let form = decoder as? JSONForm, case .object(let members) = form.value else { return }
        for (name, value) in members where !known.contains(name) { values[name] = value }
    }

    /// Decodes a member that may have a value which only a newer authctl knows: that is kept, and `substitute` returned.
    mutating func keeping<Value>(
        _ name: String, of decoder: any Decoder, else substitute: Value, _ decode: () throws -> Value
    ) throws -> Value {
        do {
            return try decode()
        } catch is DecodingError {
            values[name] = (decoder as? JSONForm)?.value.member(name)
            hasUnknownValue = true
            return substitute
        }
    }

    /// To be called after the known members are encoded, so that a value that was kept replaces its substitute.
    func encode(into container: inout KeyedEncodingContainer<FormKey>) throws {
        for (name, value) in values { try container.encode(value, forKey: FormKey(stringValue: name)) }
    }
}

/// Where in a list each name is, so that finding one does not take longer in a longer list.
struct NamePlaces: Equatable, Sendable {
    private var places: [String: Int] = [:]
    /// Whether a name that is not here is not in the list either. A list that has changed is searched then.
    var isComplete = false

    init() {}

    init(_ names: [String]) {
        places = Dictionary(minimumCapacity: names.count)
        for (place, name) in names.enumerated() { places[name] = places[name] ?? place }
        isComplete = true
    }

    /// - Parameter isMeant: whether an element is the one of this name, to the byte.
    func place<Element>(of name: String, in list: [Element], _ isMeant: (Element) -> Bool) -> Int? {
        let place = places[name]
        if let place, place < list.count, isMeant(list[place]) { return place }
        return isComplete && place == nil ? nil : list.firstIndex(where: isMeant)
    }

    /// Always equal: the names follow from the list itself.
    static func == (left: NamePlaces, right: NamePlaces) -> Bool { true }
}
