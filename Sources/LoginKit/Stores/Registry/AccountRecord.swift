/// One account, without its secret.
package struct AccountRecord: Equatable, Sendable, Codable {
    /// The kind of the secret, so that `status` can tell without opening it.
    package enum SessionKind: String, Equatable, Sendable, Codable {
        /// The user name and the password themselves.
        case basic
        /// A token, perhaps with one that refreshes it.
        case token
        /// The cookies of a session.
        case cookies
        /// User name and password too, but never sent as they are.
        case digest
        /// A Kerberos ticket, which is kept elsewhere: only whose it was.
        case ticket
        /// A client certificate, which lies in a file: its name, and the passphrase of its key.
        case certificate
    }

    /// The reason why a refreshed session is not used as it is.
    enum RefreshDoubt: Equatable, Sendable, Codable {
        /// The service has not said yet whose it is.
        case unverified
        /// The service has given it to somebody else, by the names that it said.
        case otherPerson(was: String, now: String)
    }

    /// As typed; the server's where nothing was typed.
    package let username: String
    /// As the verify endpoint tells it, if it does.
    package var serverName: String?
    /// Where the account was logged in; the profile may lead elsewhere by now.
    package let origin: Origin
    /// Where the secret lies; later commands use this store and no other.
    package var store: StoreName
    /// The kind of the secret.
    package var kind: SessionKind
    /// The end of the session, in seconds of Unix time.
    package var expires: Int64?
    /// In seconds of Unix time.
    package var savedAt: Int64
    /// The server refused the stored password; it is not sent again by itself.
    package var passwordRefused = false
    /// Whether the password is kept beside a token or cookies.
    package var keepsPassword = false
    /// Other stores that may hold a copy: a change of stores that is under way, or did not come to its end. A logout
    /// erases these too.
    package var otherCopies: [StoreName] = []
    /// The response of the verify endpoint before the login.
    var anonymousResponse: AnonymousResponse?
    /// A random number, up to 2^53, that changes with every write of the secret: tells without fetching the secret whether another
    /// process has saved one. `nil` for what a former release has saved.
    var revision: Int64?
    /// The reason why the result of the last refresh is stored, but not used.
    var doubt: RefreshDoubt?
    /// Where it was verified, by HTTP authentication; `nil` for the logins of former releases, too.
    var space: VerifiedSpace?
    /// Whether the service binds the session to the device of the browser that it was copied from.
    package var bindsToDevice = false
    /// Members that this version does not know, as they are.
    private(set) var unknown = UnknownMembers()

    /// Whether a newer authctl has written a value that this one does not know: the account is left as it is.
    package var isNewer: Bool { unknown.hasUnknownValue }

    /// The names of the account.
    package var identity: Identity { Identity(username: username, serverName: serverName) }

    /// The identifier by which the account's secret is found.
    package func id(in profile: String) -> AccountID {
        AccountID(profile: profile, origin: origin, username: username)
    }

    /// Takes over the details of another machine that shares the login.
    mutating func takeDetails(of other: AccountRecord) {
        (serverName, kind, expires, space) = (other.serverName, other.kind, other.expires, other.space)
        bindsToDevice = other.bindsToDevice
        (keepsPassword, anonymousResponse, doubt) = (other.keepsPassword, other.anonymousResponse, other.doubt)
        // What was refused here stays so until somebody has saved another login, even if the engine could not be told.
        let isSameLogin = revision != nil && revision == other.revision
        passwordRefused = other.passwordRefused || isSameLogin && passwordRefused
        revision = other.revision ?? revision
    }

    /// A number for a secret that is written now.
    static func newRevision() -> Int64 { .random(in: 1..<1 << 53) }

    func isOf(_ id: AccountID) -> Bool {
        origin == id.origin && username.isSame(as: id.username)
    }
}

extension AccountRecord {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FormKey.self)
        var unknown = UnknownMembers(of: decoder, besides: Self.members)
        self.init(
            username: try container.decode(String.self, forKey: "username"),
            serverName: try container.decodeIfPresent(String.self, forKey: "serverName"),
            origin: try container.decode(Origin.self, forKey: "origin"),
            store: try unknown.keeping("store", of: decoder, else: .none) {
                try container.decode(StoreName.self, forKey: "store")
            },
            kind: try unknown.keeping("kind", of: decoder, else: .ticket) {
                try container.decode(SessionKind.self, forKey: "kind")
            },
            expires: try container.decodeIfPresent(Int64.self, forKey: "expires"),
            savedAt: try container.decode(Int64.self, forKey: "savedAt"),
            passwordRefused: try container.decode(Bool.self, forKey: "passwordRefused"),
            keepsPassword: try container.decode(Bool.self, forKey: "keepsPassword"),
            otherCopies: try unknown.keeping("otherCopies", of: decoder, else: []) {
                try container.decodeIfPresent([StoreName].self, forKey: "otherCopies") ?? []
            },
            anonymousResponse: try container.decodeIfPresent(AnonymousResponse.self, forKey: "anonymousAnswer"),
            revision: try container.decodeIfPresent(Int64.self, forKey: "revision"),
            doubt: try unknown.keeping("doubt", of: decoder, else: nil) {
                try container.decodeIfPresent(RefreshDoubt.self, forKey: "doubt")
            },
            space: try container.decodeIfPresent(VerifiedSpace.self, forKey: "space"),
            bindsToDevice: try container.decodeIfPresent(Bool.self, forKey: "bindsToDevice") ?? false,
            unknown: unknown)
    }

    private static let members: Set = [
        "username", "serverName", "origin", "store", "kind", "expires", "savedAt", "passwordRefused", "keepsPassword",
        "otherCopies", "space", "anonymousAnswer", "doubt", "revision", "bindsToDevice",
    ]

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FormKey.self)
        try container.encode(username, forKey: "username")
        try container.encodeIfPresent(serverName, forKey: "serverName")
        try container.encode(origin, forKey: "origin")
        try container.encode(store, forKey: "store")
        try container.encode(kind, forKey: "kind")
        try container.encodeIfPresent(expires, forKey: "expires")
        try container.encode(savedAt, forKey: "savedAt")
        try container.encode(passwordRefused, forKey: "passwordRefused")
        try container.encode(keepsPassword, forKey: "keepsPassword")
        try container.encodeIfPresent(revision, forKey: "revision")
        try container.encodeIfPresent(doubt, forKey: "doubt")
        if !otherCopies.isEmpty { try container.encode(otherCopies, forKey: "otherCopies") }
        try container.encodeIfPresent(anonymousResponse, forKey: "anonymousAnswer")
        try container.encodeIfPresent(space, forKey: "space")
        if bindsToDevice { try container.encode(true, forKey: "bindsToDevice") }
        try unknown.encode(into: &container)
    }
}

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
    /// The verify request that has accepted a login last.
    var accepted: AcceptedVerify?
    /// Whether the service has ended a new login together with one that it had replaced: then none is ended that a login replaces.
    var leavesReplaced = false
    /// The account in use, by the name typed.
    package var activeUsername: String?
    /// Those of former origins included, so that a logout finds them.
    package var accounts: [AccountRecord] = [] {
        didSet { places.isComplete = false }
    }
    /// Members that this version does not know, as they are.
    private(set) var unknown = UnknownMembers()
    private(set) var places = NamePlaces()
}

extension ProfileRecord {
    /// Reads what `encode` wrote.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FormKey.self)
        name = try members.decode(String.self, forKey: "name")
        url = try members.decode(String.self, forKey: "url")
        origin = try members.decode(Origin.self, forKey: "origin")
        unknown = UnknownMembers(of: decoder, besides: Self.members)
        pinnedMethod = try unknown.keeping("pinnedMethod", of: decoder, else: nil) {
            try members.decodeIfPresent(AuthenticationMethod.self, forKey: "pinnedMethod")
        }
        accepted = try members.decodeIfPresent(AcceptedVerify.self, forKey: "accepted")
        leavesReplaced = try members.decodeIfPresent(Bool.self, forKey: "leavesReplaced") ?? false
        activeUsername = try members.decodeIfPresent(String.self, forKey: "activeUsername")
        accounts = try members.decode([AccountRecord].self, forKey: "accounts")
        places = NamePlaces(accounts.map(\.username))
    }

    private static let members: Set = [
        "name", "url", "origin", "pinnedMethod", "accepted", "leavesReplaced", "activeUsername", "accounts",
    ]

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: FormKey.self)
        try members.encode(name, forKey: "name")
        try members.encode(url, forKey: "url")
        try members.encode(origin, forKey: "origin")
        try members.encodeIfPresent(pinnedMethod, forKey: "pinnedMethod")
        try members.encodeIfPresent(accepted, forKey: "accepted")
        if leavesReplaced { try members.encode(true, forKey: "leavesReplaced") }
        try members.encodeIfPresent(activeUsername, forKey: "activeUsername")
        try members.encode(accounts, forKey: "accounts")
        try unknown.encode(into: &members)
    }

    /// The accounts of the present origin, by the names typed.
    package var usernames: [String] { accounts.filter { $0.origin == origin }.map(\.username) }

    /// Whether a newer authctl has pinned a method that this one does not know, so that it cannot tell a weaker offer.
    var isNewer: Bool { unknown.hasUnknownValue }

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

extension AccountRecord.SessionKind {
    /// - Parameter method: by which it was verified.
    init(of session: Session, by method: AuthenticationMethod) {
        switch session {
        case .token: self = .token
        case .cookies: self = .cookies
        case .credential(let credential):
            switch credential.kind {
            case .certificate: self = .certificate
            case .ticket: self = .ticket
            case .password, .token, .grant, .noSecret, .copied:
                switch method {
                case .digest: self = .digest
                // The secret of a `basic` account is handed to git and docker as a password.
                case .auto, .certificate, .negotiate, .basic, .cookie, .token, .oauth, .browser: self = .basic
                }
            }
        }
    }

    /// The method of HTTP authentication by which it was verified, where the kind tells.
    var challengeMethod: AuthenticationMethod? {
        switch self {
        case .basic: .basic
        case .digest: .digest
        case .token, .cookies, .ticket, .certificate: nil
        }
    }
}
