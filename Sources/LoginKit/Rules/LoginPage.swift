import Secrets

/// A page that is fetched before a request, as far as its forms matter (HTML, section 4.10.21).
///
/// It is only read: the profile decides where a request goes, never a page.
struct LoginPage: Equatable, Sendable {
    /// Where the page lies.
    let origin: Origin
    /// Path and query, for messages.
    let target: String
    /// Where `<base href>` has all of the page's addresses begin; `nil` without one.
    var base: Redirect?
    /// In the order of the page.
    let forms: [PageForm]
    /// Fields that belong to no form: scripts send them.
    var looseFields: [PageField] = []
    /// In the order of the page.
    var links: [PageLink] = []
    /// Whether scripts may make more of it than it says.
    var hasScripts = false
    /// Whether it has elements in places where parsers disagree about forms, so that nobody can say what a browser sends.
    var isUnclear = false
    /// Where `<meta http-equiv="refresh">` leads at once (HTML, section 4.2.5.3); `nil` without one.
    var refresh: Redirect?
    /// The value against forged requests that it has for scripts (`<meta name="csrf-token">`), under the name that `csrf-param` gives it.
    var guardValue: PageField?
    /// Its title, and the program that made it, as it says.
    var names: [String] = []
    /// In which it is written.
    var encoding = PageEncoding.utf8
}

/// One form of a page.
/// The first of `methods` and `actions` is the form's, the others are its buttons'.
struct PageForm: Equatable, Sendable {
    /// Its own `method`, then the `formmethod` of its buttons, in lower case; `get` where it does not say.
    var methods: [String]
    /// Where it leads: its own `action`, made absolute, then the `formaction` of its buttons.
    var actions: [Redirect]
    /// In the order of the page.
    var fields: [PageField] = []
    /// Whether it says where it leads; otherwise it leads to its own page, or a script sends it.
    var namesAction = true
    /// Whether it names a script that runs when it is sent.
    var hasSubmitHandler = false
    /// Whether it is sent as `multipart/form-data` (RFC 7578), which profiles cannot describe.
    var isMultipart = false
    /// The encoding that it is sent in (HTML, section 4.10.21.5).
    var encoding = PageEncoding.utf8
    /// The buttons that submit it, disabled ones too, in the order of the page.
    var submitButtons: [SubmitButton] = []
}

/// A field of a form.
struct PageField: Equatable, Sendable {
    /// As the form names it.
    let name: String
    /// The type of an `input` or a `button`, else the name of the element.
    var type = "text"
    /// The value that the page fills in; of a list, the selected or first option. `nil` if the page leaves it empty.
    var value: Secret?
    /// Whether it is the one of several of its name that would be sent: not an unchecked box.
    var isChosen = true
    /// The values of a list's options that are sent; empty for other fields.
    var chosenOptions: [Secret] = []
    /// Whether `autocomplete` says that it takes the code of a second factor (HTML, section 4.10.18.7).
    var isOneTimeCode = false
    /// The text that a person reads beside it; empty if the page has none.
    var label = ""
    /// The values among which a list lets people choose, the first twenty.
    var options: [String] = []
}

extension LoginPage {
    /// Of its forms, then those of no form, each in the order of the page.
    var fields: [PageField] { forms.flatMap(\.fields) + looseFields }

    /// The form that has all fields of these names. Of several, the one that leads to `path` is meant.
    /// - Throws: `noSuchForm`; `untrusted` for a page that is unclear, or where the form would take what is typed into it to another origin or into
    ///   the URL, since a page that says so is not the one that the profile was written for.
    func form(with names: [String], leadingTo path: String) throws(LoginFault) -> PageForm {
        var found = forms.filter { $0.has(names) }
        if found.count > 1 {
            let leading = found.filter { $0.action?.leads(to: path, on: origin) == true }
            if let first = leading.first, leading.allSatisfy(first.isRepeated) { found = [first] }
        }
        if names.isEmpty, !found.contains(where: { $0.action?.leads(to: path, on: origin) == true }) {
            let made = formsOfLinks.filter { $0.action?.leads(to: path, on: origin) == true }
            if let first = made.first, made.allSatisfy({ $0 == first }) { found = [first] }
        }
        return try trusted(found, with: names)
    }

    /// The form that leads to this path and query by POST, be it with more members in its query, such as a value against forged
    /// requests, or with parameters behind its path. Of several, the one with all fields of these names is meant.
    /// - Returns: with path and query to which it is sent.
    /// - Throws: as `form(with:leadingTo:)`.
    func form(
        leadingTo wanted: String, named names: Set<String>
    ) throws(LoginFault) -> (form: PageForm, target: String) {
        let posting = forms.filter { $0.methods.first == "post" && $0.action?.origin == origin }
        let exact = posting.filter { $0.action?.target == wanted }
        let leading = exact.isEmpty ? posting.filter { $0.action?.target.isTarget(wanted) == true } : exact
        let elsewhere = posting.filter { $0.action?.leads(to: wanted.withoutQuery, on: origin) == true }
        var found = leading.isEmpty ? elsewhere : leading
        if found.count > 1 { found = found.filter { $0.has(Array(names)) } }
        let form = try trusted(found, with: names.sorted())
        return (form, leading.isEmpty ? wanted : form.action?.target ?? wanted)
    }

    /// The only one of the forms that were found, if it can be trusted.
    private func trusted(_ found: [PageForm], with names: [String]) throws(LoginFault) -> PageForm {
        guard !isUnclear else {
            throw .untrusted(
                "the page \(SafeText.quoted(target)) has tags where browsers read its forms differently; nothing was sent",
                next: "ask the service's administrator to correct its HTML, or leave 'page' out of the profile")
        }
        guard found.count == 1, let form = found.first else {
            throw .failure(.noSuchForm(page: target, fields: names, found: found.count))
        }
        let places = (base.map { [$0] } ?? []) + form.actions
        if let foreign = places.first(where: { $0.origin != origin }) {
            throw .untrusted(.formElsewhere(page: target, target: foreign.origin?.description ?? foreign.target))
        }
        // 'dialog' sends nothing; whatever is none of the three counts as GET.
        guard form.methods.first == "post", form.methods.allSatisfy({ $0 == "post" || $0 == "dialog" }) else {
            throw .untrusted(
                "the form on \(SafeText.quoted(target)) would put what it sends into a URL (its method is not POST); nothing was sent",
                next: """
                    if it takes a password, ask the service's administrator why; else the profile can have 'get' with its \
                    address, without 'page'
                    """)
        }
        return form
    }
}

extension PageForm {
    /// Whether another form sends the same, but for labels and boxes that are ticked: a menu or a login may be there twice, for a narrow
    /// screen and a wide one.
    func isRepeated(by other: PageForm) -> Bool { withoutLook == other.withoutLook }

    private var withoutLook: PageForm {
        var form = self
        form.fields = fields.map { PageField(name: $0.name, type: $0.type, value: $0.value) }
        return form
    }

    /// Whether it has fields of all these names.
    func has(_ names: [String]) -> Bool {
        let known = Set(fields.map(\.name))
        return names.allSatisfy(known.contains)
    }
}

extension LoginPage {
    /// Whether the page has the form that `rule` sends, with its field for the password.
    func asksAgain(_ rule: RequestRule) -> Bool {
        forms(of: rule).contains { !$0.namesAction || $0.action.map { $0.origin == origin } ?? true }
    }

    /// Whether the page has the form of this login, as it may stand on any page of the service. A form that leads elsewhere may have
    /// fields of the same names for another reason, as one that changes the password has.
    /// - Parameter paths: of the login's pages and requests.
    func offersLogin(_ rule: RequestRule, at paths: [String]) -> Bool {
        forms(of: rule).contains { form in
            guard form.namesAction, let action = form.action else { return true }
            guard action.origin == origin else { return false }
            let path = action.target.withoutQuery.lookedUpPath
            return path == target.withoutQuery.lookedUpPath || paths.contains { $0.lookedUpPath == path }
        }
    }

    private func forms(of rule: RequestRule) -> [PageForm] {
        guard case .form(let parameters) = rule.content else { return [] }
        let typed = parameters.filter { $0.value.slots.contains { $0 == .username || $0 == .password } }.map(\.name)
        let passwords = Set(parameters.filter { $0.value.slots.contains(.password) }.map(\.name))
        return forms.filter { form in
            // One with another password is for changing it.
            let asked = form.fields.filter { $0.type == "password" }.map(\.name)
            // The first of two steps asks for the name alone.
            return !typed.isEmpty && form.has(typed) && asked.isEmpty == passwords.isEmpty
                && passwords.isSuperset(of: asked)
        }
    }
}

extension HTTPResponse {
    /// Whether it is a page, as it says; where it says nothing, as its body begins (WHATWG MIME Sniffing, section 7.1). XHTML may be
    /// sent as any XML.
    var isPage: Bool {
        let types = values(of: "Content-Type")
        if types.contains(where: { $0.lowercased().contains("html") }) { return true }
        guard types.isEmpty || isXML else { return false }
        let start = body.withUnsafeBytes { String(decoding: $0.withoutByteOrderMark.prefix(1024), as: UTF8.self) }
        var text = start.lowercased().drop(while: \.isWhitespace)
        // What may stand before the first element of XML.
        while isXML, let end = text.hasPrefix("<?") ? "?>" : text.hasPrefix("<!--") ? "-->" : nil,
            let found = text.firstRange(of: end)
        { text = text[found.upperBound...].drop(while: \.isWhitespace) }
        return (isXML ? ["<!doctype html", "<html"] : Self.starts).contains { tag in
            guard text.hasPrefix(tag), tag != "<!--" else { return text.hasPrefix(tag) }
            return text.dropFirst(tag.count).first.map { $0 == ">" || $0 == " " || isXML && $0.isWhitespace } ?? false
        }
    }

    /// Whether it is XML, as it says.
    var isXML: Bool {
        values(of: "Content-Type").contains { $0.lowercased().prefix { $0 != ";" && $0 != " " }.hasSuffix("xml") }
    }

    private static let starts = [
        "<!doctype html", "<html", "<head", "<script", "<iframe", "<h1", "<div", "<font", "<table", "<a", "<style",
        "<title", "<b", "<body", "<br", "<p", "<!--",
    ]
}

extension Redirect {
    fileprivate func leads(to path: String, on origin: Origin) -> Bool {
        self.origin == origin && target.prefix { $0 != "?" } == path
    }
}

extension ParsedResponse {
    /// The fault of a response without a form. Some servers answer the login page itself with 401 or 403.
    var pageFault: LoginFault? {
        guard !response.isRefusal else { return nil }
        guard case .unclear(let error) = judged(by: ResponseRule(), at: .page) else { return nil }
        return error
    }
}

extension RequestRule {
    /// The names in the form that is sent; `nil` if none is.
    func formNames(_ values: SlotValues) -> [String]? {
        guard case .form(let parameters) = content else { return nil }
        return parameters.filter { $0.value.isWanted(values) }.map(\.name)
    }
}

/// A link of a page (HTML, section 4.6).
struct PageLink: Equatable, Sendable {
    /// In lower case, as `rel` has them.
    let relations: [String]
    /// Made absolute.
    let place: Redirect
    /// The words that a person sees, as far as they are text of the link's own.
    var text = ""
    /// The verb that the page's scripts follow it with, in lower case (`data-method`); `nil` for a link like any other.
    var method: String?
    /// Whether it is a frame, which a browser shows as a part of the page.
    var isFrame = false

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

    /// Where to look for a login next: the frames on the same origin, then the pages to which this one links, those first whose
    /// address speaks of a login. Only these and frames may have a query.
    var targetsToTry: [String] {
        var known: Set<String> = [target]
        let pages = links.filter { $0.isFollowed && $0.relations.allSatisfy { !Self.otherRelations.contains($0) } }
            .filter { $0.place.origin == origin }.map { (target: $0.place.target, isFrame: $0.isFrame) }
            .filter { page in
                (page.isFrame || !page.target.contains("?") || page.target.speaksOfLogin) && !page.target.isDownload
                    && !page.target.namesLogout && known.insert(page.target).inserted
            }
        let ranks = pages.map { $0.isFrame ? -1 : $0.target.rank }
        return pages.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }.map { pages[$0].target }
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
    var speaksOfLogin: Bool {
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
