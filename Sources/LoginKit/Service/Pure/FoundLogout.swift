/// The way out that a logged-in page shows.
enum FoundLogout: Equatable, Sendable {
    /// A link to this path.
    case link(page: String, target: String)
    /// A link to this path, with a value of this page alone behind it.
    case linkWithNonce(page: String, path: String)
    /// A form on this page that posts to this path, or a link of which a script makes one.
    case form(page: String, action: String)
    /// A request by POST to this path, as the service's description of itself says.
    case described(target: String, description: String)
}

extension LoginPage {
    /// The one logout of the page, if it is clear which: on the own origin, and without a value of this page alone in its address.
    var logout: FoundLogout? {
        let ways = (forms + formsOfLinks).filter { $0.methods == ["post"] && !$0.isMultipart }.compactMap(logout(of:))
        let found = Set(ways.map(\.target)).count == 1 ? ways.first?.logout : nil
        if let found { return isUnclear ? nil : found }
        // A link to a part of this very page logs nobody out.
        let places = links.filter {
            $0.isFollowed && $0.place.origin == origin && $0.place.fault == nil && $0.place.target != target
                && ($0.place.target.namesLogout || $0.text.namesLogout)
        }.map(\.place)
        guard let place = places.first, places.allSatisfy({ $0.target == place.target }) else { return nil }
        if Array(place.target.utf8)[...].isSteady { return .link(page: target, target: place.target) }
        let path = place.target.withoutQuery
        return Array(path.utf8)[...].isSteady ? .linkWithNonce(page: target, path: path) : nil
    }

    /// The one link to this path on the own origin; of several, the one that names a logout.
    /// - Returns: path and query; `nil` if it is not clear which.
    func link(to path: String) -> String? {
        let leading = links.filter {
            $0.isFollowed && $0.place.origin == origin && $0.place.fault == nil && $0.place.target.withoutQuery == path
        }
        let targets = Set(leading.map(\.place.target))
        if targets.count == 1 { return targets.first }
        let logouts = Set(leading.filter { $0.place.target.namesLogout || $0.text.namesLogout }.map(\.place.target))
        return logouts.count == 1 ? logouts.first : nil
    }

    private func logout(of form: PageForm) -> (target: String, logout: FoundLogout)? {
        guard let action = form.action, action.origin == origin, action.fault == nil, action.target.namesLogout,
            !form.fields.contains(where: { $0.type == "password" })
        else { return nil }
        return (action.target, .form(page: target, action: action.target))
    }
}

extension String {
    /// Whether it names a logout, in one of the languages that pages are written in.
    var namesLogout: Bool {
        let lower = lowercased()
        return Self.wordsOfLogout.contains { lower.contains($0) }
    }

    static let wordsOfLogout = [
        "logout", "log-out", "log_out", "log out", "logoff", "log off", "signout", "sign-out", "sign_out", "sign out",
        "signoff", "abmeld", "ausloggen", "d\u{e9}connexion", "deconnexion", "cerrar ses", "esci", "sair", "uitlog",
        "afmeld", "wylog", "odhl\u{e1}s", "logga ut", "log ud", "\u{432}\u{44b}\u{439}\u{442}\u{438}",
        "\u{432}\u{44b}\u{445}\u{43e}\u{434}", "\u{9000}\u{51fa}", "\u{6ce8}\u{9500}",
        "\u{30ed}\u{30b0}\u{30a2}\u{30a6}\u{30c8}",
    ]
}

extension String {
    var withoutQuery: String { String(prefix { $0 != "?" }) }

    /// Path and query without what is one session's alone, and means nothing to the next: members of the query, and an id behind the path.
    var withoutSession: String {
        let halves = split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var path = halves.first.map(String.init) ?? ""
        if let id = path.lastIndex(of: ";"), path[id...].lowercased().contains("sess") { path = String(path[..<id]) }
        guard halves.count == 2 else { return path }
        let members = halves[1].split(separator: "&").filter { !Self.isOfSession($0) }
        return members.isEmpty ? path : "\(path)?\(members.joined(separator: "&"))"
    }

    /// Whether its query has a member that is one session's alone.
    var namesSession: Bool {
        dropFirst(withoutQuery.count + 1).split(separator: "&").contains(where: Self.isOfSession)
    }

    private static func isOfSession(_ member: Substring) -> Bool {
        let name = member.prefix { $0 != "=" }.lowercased()
        return wordsOfSessions.contains { name.contains($0) } || !Array(member.utf8)[...].isSteady
    }

    private static let wordsOfSessions = ["token", "csrf", "nonce", "sess", "ticket"]
}
