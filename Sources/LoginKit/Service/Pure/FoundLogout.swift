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
    /// Whether it asks for the code of a second factor instead of a password. Beside a way out, it offers to set one up.
    var asksForCode: Bool {
        let fields = forms.flatMap(\.fields)
        return fields.contains(where: \.isOneTimeCode) && logout == nil
            && !fields.contains { $0.type == "password" && !$0.isOneTimeCode }
    }

    /// The one logout of the page, if it is clear which: on the own origin, and without a value of this page alone in its address.
    var logout: FoundLogout? {
        let ways = (forms + formsOfLinks).filter { $0.methods == ["post"] && !$0.isMultipart }.compactMap(logout(of:))
        let found = Set(ways.map(\.target)).count == 1 ? ways.first?.logout : nil
        if let found { return isUnclear ? nil : found }
        // A link to a part of this very page logs nobody out.
        let places = links.filter {
            $0.isFollowed && !$0.isFrame && $0.place.origin == origin && $0.place.fault == nil
                && $0.place.target != target
                && ($0.place.target.namesLogout || $0.text.namesLogout)
        }.map(\.place)
        guard let place = places.first, places.allSatisfy({ $0.target == place.target }) else { return nil }
        if Array(place.target.utf8)[...].isSteady { return .link(page: target, target: place.target) }
        let path = place.target.withoutQuery
        return Array(path.utf8)[...].isSteady ? .linkWithNonce(page: target, path: path) : nil
    }

    /// Whether it shows a way to log out, be it a button among others.
    var showsLogout: Bool {
        logout != nil
            || forms.contains { form in
                form.submitButtons.contains(where: \.name.namesLogout)
                    && !form.fields.contains { $0.type == "password" }
            }
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
