/// Whom an error is about.
public struct Topic: Equatable, Sendable {
    /// The profile's name.
    public var profile: String?
    /// The server, once it is known.
    public var origin: Origin?
    /// What `login` was given, where no profile of that name is there yet; without user information.
    public var url: String?
    /// The URL of a page where a person can register.
    public var signup: String?
    /// What was done before it went wrong, so that nobody is told that nothing was.
    public var done: [Done] = []

    /// What cannot be taken back.
    public enum Done: Equatable, Sendable {
        /// A request of the person's own was answered with this status.
        case requestSent(status: Int)
        /// The server refused the session, and it is not kept any more.
        case sessionErased
        /// The server refused the password: it is kept, and not sent again by itself.
        case passwordMarked
    }
    /// What a person proves themselves with there; nothing where that is not known.
    public var fields: [CredentialField] = []

    /// Without arguments: nobody, so that the words name nobody.
    public init(profile: String? = nil, origin: Origin? = nil, url: String? = nil) {
        self.profile = profile
        self.origin = origin
        self.url = url
    }

    /// `blog (https://blog.example)`, as far as it is known.
    var name: String? {
        switch (profile, origin) {
        case (let profile?, let origin?): "\(profile) (\(origin))"
        case (let profile?, nil): profile
        case (nil, let origin?): "\(origin)"
        case (nil, nil): nil
        }
    }

    /// How a person's no ends: what was done until then, else that nothing was.
    var cancellation: String {
        guard !done.isEmpty else { return "cancelled; nothing was changed" }
        return (["cancelled"] + done.map(\.words)).joined(separator: "; ")
    }

    /// What to look at where a credential was refused.
    var check: String {
        let names = (fields.isEmpty ? [.username, .password] : fields).map(\.shownName)
        return "check \(names.count == 1 ? "the " : "")\(names.joined(separator: " and "))"
    }

    /// `authctl login blog`.
    var loginCommand: String {
        "authctl login\((url ?? profile).map { " \($0)" } ?? "")"
    }
}

extension Topic.Done {
    fileprivate var words: String {
        switch self {
        case .requestSent(let status): "the request was sent once (status \(status)), and is not sent again"
        case .sessionErased: "the stored session, which the server refused, is erased"
        case .passwordMarked: "the stored password, which the server refused, is not sent again by itself"
        }
    }
}
