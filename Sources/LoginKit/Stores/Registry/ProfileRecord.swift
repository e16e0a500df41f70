package import LoginCore

/// One profile as it was last used.
package struct ProfileRecord: Equatable, Sendable, Codable {
    /// As the configuration calls it.
    package let name: String
    /// As written in the profile: if that text is the same, so is the origin, and nobody needs a URL parser.
    package var url: String
    /// The canonical form of `url`. Accounts of another origin are not found.
    package var origin: Origin
    /// The method that worked; a weaker offer later is refused.
    package var pinnedMethod: AuthenticationMethod?
    /// The account in use, by the name typed.
    package var activeUsername: String?
    /// Those of former origins included, so that a logout finds them.
    package var accounts: [AccountRecord] {
        didSet { places.isComplete = false }
    }
    /// Members that this version does not know, as they are.
    private var unknown = UnknownMembers()
    private var places = NamePlaces()

    /// A profile without accounts.
    /// - Parameters:
    ///   - url: as written in the profile.
    ///   - origin: what `url` is, in canonical form.
    init(name: String, url: String, origin: Origin) {
        self.name = name
        self.url = url
        self.origin = origin
        self.accounts = []
    }

    /// Reads what `encode` wrote.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FormKey.self)
        name = try members.decode(String.self, forKey: "name")
        url = try members.decode(String.self, forKey: "url")
        origin = try members.decode(Origin.self, forKey: "origin")
        pinnedMethod = try members.decodeIfPresent(AuthenticationMethod.self, forKey: "pinnedMethod")
        activeUsername = try members.decodeIfPresent(String.self, forKey: "activeUsername")
        accounts = try members.decode([AccountRecord].self, forKey: "accounts")
        unknown = UnknownMembers(of: decoder, besides: Self.members)
        places = NamePlaces(accounts.map(\.username))
    }

    private static let members: Set = ["name", "url", "origin", "pinnedMethod", "activeUsername", "accounts"]

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: FormKey.self)
        try unknown.encode(into: &members)
        try members.encode(name, forKey: "name")
        try members.encode(url, forKey: "url")
        try members.encode(origin, forKey: "origin")
        try members.encodeIfPresent(pinnedMethod, forKey: "pinnedMethod")
        try members.encodeIfPresent(activeUsername, forKey: "activeUsername")
        try members.encode(accounts, forKey: "accounts")
    }

    /// The accounts of the present origin, by the names typed.
    package var usernames: [String] { accounts.filter { $0.origin == origin }.map(\.username) }

    /// Whether a login was ever kept here: what worked once is remembered after the logout, too.
    var hasKeptLogin: Bool { pinnedMethod != nil || !accounts.isEmpty }

    /// The account in use, if it is one of the present origin.
    package var activeAccount: AccountRecord? {
        activeUsername.flatMap { place(of: $0) }.map { accounts[$0] }
    }

    /// The account of the present origin that goes by this name: the one typed, else the server's.
    package func account(named name: String) -> AccountRecord? {
        if let place = place(of: name) { return accounts[place] }
        return accounts.first { $0.origin == origin && ($0.serverName.map { $0.isSame(as: name) } ?? false) }
    }

    private func place(of username: String) -> Int? {
        places.place(of: username, in: accounts) { $0.origin == origin && $0.username.isSame(as: username) }
    }

    /// Where exactly this account is, of whichever origin.
    func place(of id: AccountID) -> Int? {
        places.place(of: id.username, in: accounts) { $0.isOf(id) }
    }
}
