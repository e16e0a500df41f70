/// Looks, after a login by a form, for a URL that answers the session in another way than an anonymous client: where the login led, then
/// pages to which the logged-in page links.
///
/// Every candidate is on the own origin and asked by GET. None is asked whose path or text speaks of an end or a loss. A page to which
/// only the response to the password leads may tell of its failure, and has to show the person.
struct VerifySearch {
    /// The most requests it takes, which with the verify request before it makes six after a login.
    static let mostRequests = 5
    private static let mostLinks = 3

    /// A URL to compare.
    struct Candidate: Equatable, Sendable {
        /// Path and query.
        let target: String
        /// The reason to ask it.
        let namedBy: String
        /// Whether it may be there for those alone whose login failed.
        var mayTellOfFailure = false
    }

    private let origin: Origin
    private let asked: String
    private let loginPaths: [String]
    private var candidates: [Candidate] = []
    private var tried: Set<String>
    private var links = 0

    /// - Parameters:
    ///   - redirect: where the last response of the login led.
    ///   - asked: the target that verify has asked already; asked once more where the login led to it, since it may show why.
    ///   - loginPaths: of the login's pages and requests.
    init(on origin: Origin, after redirect: Redirect?, asked: String, loginPaths: [String]) {
        (self.origin, self.asked, self.loginPaths) = (origin, asked, loginPaths)
        tried = redirect?.target.withoutSession == asked ? [] : [asked]
        if let redirect {
            add(redirect, namedBy: "the login leads there")
        } else if loginPaths.contains(where: { asked.withoutQuery.isLogin(of: $0) }) {
            candidates.append(Candidate(target: "/", namedBy: "it is above the login"))
        }
    }

    mutating func next() -> Candidate? {
        while !candidates.isEmpty {
            let candidate = candidates.removeFirst()
            if tried.insert(candidate.target).inserted { return candidate }
        }
        return nil
    }

    /// Adds where a candidate leads with the session.
    mutating func add(_ redirect: Redirect, namedBy: String) {
        guard redirect.fault == nil, redirect.origin == origin, !redirect.target.speaksOfLoss else { return }
        let target = redirect.target.withoutSession
        candidates.insert(
            Candidate(target: target, namedBy: namedBy, mayTellOfFailure: !wasKnown(target)), at: 0)
    }

    /// Whether a page is no login page, and the one that the person named or one above the login's (`/` of `/login`): no failure is
    /// told there to those alone whom it concerns.
    func wasKnown(_ target: String) -> Bool {
        guard !loginPaths.contains(where: { target.withoutQuery.isLogin(of: $0) }) else { return false }
        return target == asked || target.hasSuffix("/") && loginPaths.contains { $0.hasPrefix(target) }
    }

    /// Adds the frames of a logged-in page, and what it links to: those first whose path or text speaks of the person.
    /// - Parameter candidate: what the page is the response to; its frames may tell of a failure where it may.
    mutating func add(_ page: LoginPage, of candidate: Candidate? = nil) {
        let found = page.links.filter { link in
            link.place.origin == origin && link.place.fault == nil
                && !link.place.target.speaksOfLoss && !link.text.speaksOfLoss && !link.relations.contains("external")
        }.compactMap { link in
            let target = link.place.target.withoutSession
            return link.rank(target).map { (rank: $0, target: target, isFrame: link.isFrame) }
        }
        var known = tried
        for (_, link) in found.enumerated().sorted(by: { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) })
        where links < Self.mostLinks && known.insert(link.target).inserted {
            links += 1
            let what = link.isFrame ? "a frame" : "a link"
            candidates.append(
                Candidate(
                    target: link.target, namedBy: "\(what) of \(page.target.withoutQuery)",
                    mayTellOfFailure: link.isFrame && candidate?.mayTellOfFailure == true))
        }
    }
}

extension VerifySearch.Candidate {
    /// The rule that tells a login's response from all of anonymous clients; `nil` if there is none.
    /// - Parameters:
    ///   - anonymous: without cookies, then with those that anybody gets before a login.
    ///   - username: as it was typed; the place where the logged-in response repeats it goes along.
    func place(loggedIn: PageLook, anonymous: [PageLook], username: String) -> GuardedPlace? {
        anonymous.lazy.compactMap { place(loggedIn, $0, username) }.first {
            $0.tells(loggedIn, from: anonymous)
                && (!loggedIn.linksToLogin && (!mayTellOfFailure || $0.username != nil)
                    || loggedIn.showsLogout(missingIn: anonymous))
        }
    }

    private func place(_ loggedIn: PageLook, _ anonymous: PageLook, _ username: String) -> GuardedPlace? {
        if let place = sentOn(loggedIn, anonymous) { return place }
        guard loggedIn.isOpen, let refusal = refusal(loggedIn, anonymous) else {
            return named(loggedIn, anonymous, username)
        }
        var place = GuardedPlace(target: target, refusal: refusal, namedBy: namedBy)
        place.username = loggedIn.facts.place(of: username, missingIn: anonymous.isOpen ? anonymous.facts : nil)
        return place
    }

    /// A page that everybody may open and from which only somebody who is logged in is sent on, as many front pages do: the last resort,
    /// since `request` then asks verify about each response with that status.
    func placeThatSendsOn(loggedIn: PageLook, anonymous looks: [PageLook]) -> GuardedPlace? {
        guard !mayTellOfFailure, loggedIn.redirectPath != nil, !loggedIn.leadsToLogin, let anonymous = looks.first,
            anonymous.isOpen
        else { return nil }
        var place = GuardedPlace(target: target, refusal: .status(anonymous.facts.status), namedBy: namedBy)
        place.sendsOn = loggedIn.facts.status
        return place.tells(loggedIn, from: looks) ? place : nil
    }

    /// Where both are sent on, an anonymous client to a page that asks for a password.
    private func sentOn(_ loggedIn: PageLook, _ anonymous: PageLook) -> GuardedPlace? {
        guard let path = anonymous.redirectPath, let other = loggedIn.redirectPath, path != other,
            anonymous.leadsToLogin, !loggedIn.leadsToLogin
        else { return nil }
        var place = GuardedPlace(
            target: target, refusal: .redirect(status: anonymous.facts.status, path: path), namedBy: namedBy)
        place.sendsOn = loggedIn.facts.status
        return place
    }

    /// Where both see the page, only the name tells them apart.
    private func named(_ loggedIn: PageLook, _ anonymous: PageLook, _ username: String) -> GuardedPlace? {
        // A page that asks for a password, or sends on to where one logs in, may name whom it has just refused.
        guard loggedIn.isOpen, anonymous.isOpen, loggedIn.passwordFields.isEmpty,
            !loggedIn.linksToLogin || loggedIn.showsLogout(missingIn: [anonymous]),
            let name = loggedIn.facts.place(of: username, missingIn: anonymous.facts)
        else { return nil }
        var place = GuardedPlace(target: target, refusal: .name(status: anonymous.facts.status), namedBy: namedBy)
        place.username = name
        return place
    }

    private func refusal(_ loggedIn: PageLook, _ anonymous: PageLook) -> GuardedPlace.Refusal? {
        let facts = anonymous.facts
        // Whoever is asked for the password again was refused.
        guard !loggedIn.facts.asksAgain else { return nil }
        if anonymous.isOpen { return facts.asksAgain ? .form(status: facts.status) : nil }
        if (300..<400).contains(facts.status) {
            guard let path = facts.redirectPath else { return nil }
            return .redirect(status: facts.status, path: path)
        }
        return (400..<500).contains(facts.status) && !facts.response.saysNothing ? .status(facts.status) : nil
    }
}

extension GuardedPlace {
    /// Whether its rules take the response to a login for one, and none of the others.
    fileprivate func tells(_ loggedIn: PageLook, from anonymous: [PageLook]) -> Bool {
        let rule = verify.response, known = rule.anonymousResponse(of: anonymous)
        let isLogin = { (look: PageLook) in look.facts.judged(by: rule, at: .verify, anonymous: known) == .accepted }
        return isLogin(loggedIn) && !anonymous.contains(where: isLogin)
    }
}

extension ResponseRule {
    /// The responses to anonymous clients as they are remembered, the one without cookies first.
    func anonymousResponse(of looks: [PageLook]) -> AnonymousResponse? {
        let responses = looks.map { AnonymousResponse($0.facts, readBy: self) }
        return responses.first.flatMap { $0?.with(Array(responses.dropFirst())) }
    }
}

extension PageLink {
    /// The lower, the sooner it is asked; `nil` for what is not. A query may be a command, so that only one of a single member is asked,
    /// after all others, where it speaks of the person or its name tells pages apart, as in `?view=console`.
    fileprivate func rank(_ target: String) -> Int? {
        if isFrame { return -1 }
        let rank = [target.personRank, text.personRank].compactMap(\.self).min(), last = String.wordsOfPersons.count
        guard let query = target.firstIndex(of: "?").map({ target[$0...].dropFirst() }) else { return rank }
        guard !query.contains("&"), !query.contains(";") else { return nil }
        let isView = String.namesOfViews.contains(query.prefix { $0 != "=" }.lowercased())
        return (rank ?? (isView ? last : nil)).map { last + $0 }
    }
}

extension String {
    /// Whether it names a logout, or a request that takes something away, in one of the languages that pages are written in.
    fileprivate var speaksOfLoss: Bool {
        let lower = lowercased()
        return Self.wordsOfLoss.contains { lower.contains($0) }
    }

    /// The earlier one of these words stands in it, the sooner it is asked; `nil` without any.
    fileprivate var personRank: Int? {
        let lower = lowercased()
        return Self.wordsOfPersons.firstIndex { lower.contains($0) }
    }

    fileprivate static let namesOfViews = [
        "view", "page", "p", "tab", "section", "screen", "menu", "module", "mod", "route", "r", "site", "area",
    ]

    fileprivate static let wordsOfPersons = [
        "profil", "perfil", "account", "konto", "compte", "cuenta", "conta", "userinfo", "whoami", "settings",
        "preference", "einstellung", "param\u{e8}tre", "ajustes", "impostazioni", "instellingen", "ustawienia",
        "\u{43f}\u{440}\u{43e}\u{444}\u{438}\u{43b}", "\u{8d26}\u{6237}", "\u{8bbe}\u{7f6e}",
        "\u{8a2d}\u{5b9a}", "/user", "/me", "/api", "dashboard", "admin",
    ]

    private static let wordsOfLoss =
        wordsOfLogout + [
            "delete", "remove", "revoke", "reset", "destroy", "disable", "deactivate", "cancel", "clear", "purge",
            "drop", "close", "erase", "wipe", "quit", "leave", "terminat", "forget", "unsubscribe", "deregister",
            "expire", "reboot", "restart", "shutdown", "poweroff",
            "beend", "schlie\u{df}", "schliess", "k\u{fc}ndig", "kuendig", "verlass", "cerrar", "fermer", "chiud",
            "l\u{f6}sch", "loesch", "entfern", "widerruf", "zur\u{fc}cksetz", "supprim", "r\u{e9}voqu",
            "r\u{e9}initialis", "eliminar", "borrar", "revocar", "restablecer", "salir", "elimina", "rimuovi", "revoca",
            "excluir", "remover", "verwijder", "intrek", "usu\u{144}", "smazat", "ta bort", "slet",
            "\u{443}\u{434}\u{430}\u{43b}\u{438}", "\u{5220}\u{9664}", "\u{524a}\u{9664}",
        ]
}

/// A response, with the page in it.
struct PageLook {
    let facts: ParsedResponse
    /// Whether it is a redirect to a page where people log in.
    let leadsToLogin: Bool
    /// Whether its page has a link to one.
    private(set) var linksToLogin = false
    let page: LoginPage?

    /// - Parameters:
    ///   - page: `nil` for a response that is none.
    ///   - loginPaths: of the pages where people log in.
    init(_ facts: ParsedResponse, _ page: LoginPage?, loginPaths: [String]) {
        (self.facts, self.page) = (facts, page)
        leadsToLogin = facts.redirectPath.map { path in loginPaths.contains { path.isLogin(of: $0) } } ?? false
        // Every page of a service whose login is its front page links there.
        let pages = loginPaths.filter { $0 != "/" }
        linksToLogin = ownLinks.contains { link in pages.contains { link.isLogin(of: $0) } }
    }

    /// Whether it repeats a user name that the other one does not have.
    func names(_ username: String, missingIn other: PageLook) -> Bool {
        facts.place(of: username, missingIn: other.isOpen ? other.facts : nil) != nil
    }

    /// Whether its page has a way to log out that none of the others has, and asks for no code: that may be half of a login.
    func showsLogout(missingIn others: [PageLook]) -> Bool {
        page?.showsLogout == true && page?.forms.flatMap(\.fields).contains(where: \.isOneTimeCode) == false
            && others.allSatisfy { $0.page?.showsLogout != true }
    }

    fileprivate var redirectPath: String? { facts.redirectPath }

    /// Whether it is a page that wants nothing of a person to be sent, as a CAPTCHA does.
    var wantsNothing: Bool {
        let fields = page?.forms.filter { $0.methods.contains("post") }.flatMap(\.fields) ?? []
        return isOpen && fields.allSatisfy { ["hidden", "submit", "button"].contains($0.type) }
    }

    /// Whether it has two links at least that none of the others has and that do not lead to the login.
    func hasMoreLinks(than others: [PageLook], loginPaths: [String]) -> Bool {
        let known = others.flatMap { $0.ownLinks }
        return Set(ownLinks.filter { link in !known.contains(link) && !loginPaths.contains { link.isLogin(of: $0) } })
            .count >= 2
    }

    /// Whether it asks for no password, and does not lead back to the login alone.
    func isPastForm(loginPaths: [String]) -> Bool {
        let fields = page?.fields ?? []
        let leadsBack = ownLinks.allSatisfy { link in loginPaths.contains { link.isLogin(of: $0) } }
        return isOpen && !fields.contains { $0.type == "password" } && (ownLinks.isEmpty || !leadsBack)
    }

    /// The paths to which the page links on its own origin.
    private var ownLinks: [String] {
        page.map { page in page.links.map(\.place).filter { $0.origin == page.origin }.map(\.target.withoutQuery) }
            ?? []
    }

    var isOpen: Bool { (200..<300).contains(facts.status) }

    var passwordFields: [String] {
        page?.forms.flatMap(\.fields).filter { $0.type == "password" && !$0.name.isEmpty }.map(\.name) ?? []
    }
}

extension ParsedResponse {
    /// The path of a redirect on the own origin.
    fileprivate var redirectPath: String? {
        (300..<400).contains(status) && foreignRedirect == nil ? locationPath : nil
    }
}

extension ParsedResponse {
    /// The place where the response repeats a user name.
    /// - Parameter anonymous: a response without the login, which must have nothing there: any text would be a name by the rule; `nil` if
    ///   it is of another kind.
    /// - Returns: `nil` if no place is clear.
    func place(of name: String, missingIn anonymous: ParsedResponse?) -> Place? {
        guard name.utf8.count >= 2, name.utf8.allSatisfy({ !"<>&\"'*".utf8.contains($0) }) else { return nil }
        let isFit = { (place: Place) in
            self.text(at: place) == name && anonymous?.name(at: place) == nil
        }
        if let found = json.flatMap({ $0.pointer(to: name).map(Place.json) }) { return isFit(found) ? found : nil }
        return text(at: .text).flatMap { $0.place(of: name, where: isFit) }
    }
}

extension JSONValue {
    /// The first member, breadth first, whose text is `name`.
    fileprivate func pointer(to name: String) -> JSONPointer? {
        var level: [(steps: [String], value: JSONValue)] = [([], self)]
        for _ in 0..<4 {
            var next: [(steps: [String], value: JSONValue)] = []
            for (steps, value) in level {
                if !steps.isEmpty, value.text == name { return JSONPointer(steps: steps) }
                guard case .object(let members) = value else { continue }
                next += members.sorted { $0.key < $1.key }.map { (steps + [$0.key], $0.value) }
            }
            level = next
        }
        return nil
    }
}

extension String {
    /// The most bytes on either side of a name that tell its place.
    private static let widest = 120
    private static let mostPlaces = 20

    /// The text between two others of an HTML page: the tags before it, with an attribute or words, and what follows up to the next tag.
    fileprivate func place(of name: String, where isFit: (Place) -> Bool) -> Place? {
        let bytes = Array(utf8), wanted = Array(name.utf8)
        var start = 0
        for _ in 0..<Self.mostPlaces {
            guard let found = bytes[start...].firstRange(of: wanted) else { return nil }
            if let place = Self.place(at: found, in: bytes), isFit(place) { return place }
            start = found.upperBound
        }
        return nil
    }

    private static func place(at name: Range<Int>, in bytes: [UInt8]) -> Place? {
        let isWord = { (byte: UInt8) in byte >= 0x80 || byte.isAlphanumeric }
        guard name.lowerBound > 0, name.upperBound < bytes.count, !isWord(bytes[name.lowerBound - 1]),
            !isWord(bytes[name.upperBound])
        else { return nil }
        let rest = bytes[name.upperBound...].prefix(widest)
        guard let tag = rest.firstIndex(of: UInt8(ascii: "<")) else { return nil }
        let after = bytes[name.upperBound...tag]
        var before = name.lowerBound
        let least = Swift.max(0, name.lowerBound - widest)
        while let open = bytes[least..<before].lastIndex(of: UInt8(ascii: "<")) {
            before = open
            let text = bytes[open..<name.lowerBound]
            // Inside a tag it would be an attribute.
            guard text.contains(UInt8(ascii: ">")) else { return nil }
            guard text.isSteady, after.isSteady else { return nil }
            // Any notice may stand in a bare tag.
            if text.hasWordsOrAttribute, bytes.firstRange(of: Array(text))?.lowerBound == open {
                return .between(
                    .text, before: String(decoding: text, as: UTF8.self), after: String(decoding: after, as: UTF8.self))
            }
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// Whether HTML has a word between its tags, or an attribute in one of them.
    fileprivate var hasWordsOrAttribute: Bool {
        var tag: (isOpen: Bool, hasGap: Bool) = (false, false), isReference = false
        for scalar in String(decoding: self, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "<": tag = (true, false)
            case ">": tag = (false, false)
            case "&": isReference = true
            case ";": isReference = false
            case _ where scalar.properties.isWhitespace: (tag.hasGap, isReference) = (tag.isOpen, false)
            default:
                if scalar.properties.isAlphabetic, tag.isOpen ? tag.hasGap : !isReference { return true }
            }
        }
        return false
    }
}
