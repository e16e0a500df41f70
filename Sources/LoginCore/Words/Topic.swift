/// Whom an error is about.
public struct Topic: Equatable, Sendable {
    /// The profile's name.
    public var profile: String?
    /// The server, once it is known.
    public var origin: Origin?
    /// What `login` was given, where no profile of that name is there yet; without user information.
    public var url: String?

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

    /// `authctl login blog`.
    var loginCommand: String {
        "authctl login\((url ?? profile).map { " \($0)" } ?? "")"
    }
}
