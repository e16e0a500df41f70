import Secrets

/// A link of a page (HTML, section 4.6).
package struct PageLink: Equatable, Sendable {
    /// In lower case, as `rel` has them.
    package let relations: [String]
    package let place: Redirect
    /// The words that a person sees, as far as they are text of the link's own.
    package let text: String
    /// The verb that the page's scripts follow it with, in lower case (`data-method`); `nil` for a link like any other.
    package let method: String?

    /// - Parameter place: made absolute.
    package init(relations: [String], place: Redirect, text: String = "", method: String? = nil) {
        self.relations = relations
        self.place = place
        self.text = text
        self.method = method
    }
}

extension PageLink {
    /// Whether it is followed by GET, as links are.
    var isFollowed: Bool { method.map { $0 == "get" } ?? true }
}

extension LoginPage {
    /// The forms that scripts make of links with another verb than GET, as those of Rails and Yii do: a POST with the page's value against
    /// forged requests, and the verb as `_method` where it is neither.
    var formsOfLinks: [PageForm] {
        links.compactMap { link in
            guard !link.isFollowed, let method = link.method else { return nil }
            var fields = guardValue.map { [$0] } ?? []
            if method != "post" { fields.append(PageField(name: "_method", type: "hidden", value: Secret(method))) }
            return PageForm(methods: ["post"], actions: [link.place], fields: fields)
        }
    }

    /// Where to look for a login next: the pages on the same origin to which this one links, those first whose address speaks of a
    /// login. Only these may have a query.
    var targetsToTry: [String] {
        var known: Set<String> = [target]
        let pages = links.filter { $0.isFollowed && $0.relations.allSatisfy { !Self.otherRelations.contains($0) } }
            .compactMap { $0.place.origin == origin ? $0.place.target : nil }
            .filter {
                (!$0.contains("?") || $0.speaksOfLogin) && !$0.isDownload && !$0.namesLogout
                    && known.insert($0).inserted
            }
        return pages.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element)
    }

    /// Links to the service's description of itself (RFC 8631, section 3).
    var descriptions: [String] {
        links.filter { $0.relations.contains("service-desc") }
            .compactMap { $0.place.origin == origin ? $0.place.target : nil }
    }

    private static let otherRelations = ["nofollow", "external", "service-desc", "license", "help", "search"]
}

extension String {
    /// The earlier one of these words stands in it, the sooner it is tried.
    fileprivate var rank: Int {
        let lower = lowercased()
        return Self.words.firstIndex { lower.contains($0) } ?? Self.words.count
    }

    /// Whether it is a page to log in at.
    package var speaksOfLogin: Bool {
        let lower = lowercased()
        return Self.wordsOfLogin.contains { lower.contains($0) }
    }

    private static let wordsOfLogin = ["login", "log-in", "signin", "sign-in", "logon"]

    private static let words =
        wordsOfLogin + [
            "session", "auth", "account", "admin", "user", "profile",
            "dashboard", "settings", "manage", "api", "docs",
        ]

    fileprivate var isDownload: Bool {
        let lower = lowercased()
        return [".css", ".js", ".png", ".jpg", ".gif", ".svg", ".ico", ".pdf", ".zip", ".gz", ".xml", ".txt"]
            .contains { lower.hasSuffix($0) }
    }
}
