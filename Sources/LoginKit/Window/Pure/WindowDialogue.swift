import Secrets

/// A person who logs in in a private window of a browser that authctl has opened: the window and the terminal, which are waited for
/// together.
protocol WindowDialogue {
    /// Starts a browser with a private window at a URL, and says what for.
    /// - Throws: `failure(.browser)` where none can be had.
    /// - Parameter header: what the service's own pages send, and is to be taken.
    func open(_ url: String, taking header: TakenHeader?) throws(LoginFault)

    /// The browser's own name of itself.
    var userAgent: String? { get }

    /// The last value of the header that is to be taken.
    var headerValue: Secret? { get }

    /// The URLs of the pages that are open, as the browser writes them.
    var pages: [String] { get }

    /// Waits until a page has another URL, or has been loaded again, for so many milliseconds at most.
    /// - Returns: the URLs of those pages.
    /// - Throws: `cancelled` where the person has pressed Ctrl-C; `failure(.browser)`.
    func changedPages(milliseconds: Int, secondsLeft: Int) throws(LoginFault) -> [String]

    /// The cookies that the browser would send to a URL (RFC 6265, section 5.4).
    func cookies(for url: String, host: String) throws(LoginFault) -> [WindowCookie]

    /// Asks whether cookies that other hosts of these domains get, too, may be kept.
    func agree(toCookiesOf domains: [String], host: String) throws(LoginFault) -> Bool

    /// Milliseconds of a clock that only goes on.
    func now() -> Int

    /// Closes the window and leaves nothing of it, whatever came of it.
    func end()
}

/// A header that pages of an origin send, as those do that keep a token in the browser's storage.
struct TakenHeader: Equatable, Sendable {
    let name: String
    let origin: Origin
}

/// A cookie of a browser, as its DevTools protocol describes it (`Network.Cookie`).
struct WindowCookie: Equatable, Sendable {
    let name: String
    let value: Secret
    /// Begins with a dot where the cookie is for a domain and all hosts below it (RFC 6265, section 5.3).
    let domain: String
    let path: String
    let isSecure: Bool
    let isHTTPOnly: Bool
    /// Seconds of Unix time; `nil` where it lasts as long as the browser.
    let expires: Int64?

    /// Whether other hosts of its domain get it, too: logging in at one of them may have set it.
    func isOfParent(of host: String) -> Bool {
        domain.hasPrefix(".") && domain.dropFirst() != host.lowercased()[...]
    }

    /// The cookies in the result of `Network.getCookies` that may be kept for a host. A partitioned cookie belongs to the page that
    /// embeds the host, and is none of them.
    /// - Returns: sorted, since the browser gives them in an order that changes from one time to the next; of one name, that of the
    ///   longest path first (RFC 6265, section 5.4).
    static func cookies(in result: JSONValue, for host: String) -> [WindowCookie] {
        (result.member("cookies")?.elements ?? []).prefix(most).compactMap { WindowCookie($0, for: host.lowercased()) }
            .sorted { ($0.name, $1.path.utf8.count, $0.domain) < ($1.name, $0.path.utf8.count, $1.domain) }
    }

    /// More than a browser keeps for one domain.
    private static let most = 500

    private init?(_ value: JSONValue, for host: String) {
        guard case .object(let members) = value, members["partitionKey"] == nil,
            case .string(let name)? = members["name"], case .string(let text)? = members["value"],
            case .string(let domain)? = members["domain"], case .string(let path)? = members["path"],
            path.hasPrefix("/"), members["partitionKeyOpaque"] != .bool(true),
            // A tab would end a field of the record in which it is kept.
            [name, text, path].allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }), !name.isEmpty
        else { return nil }
        let lower = domain.lowercased()
        guard lower == host || lower.hasPrefix(".") && ("." + host).hasSuffix(lower) else { return nil }
        (self.name, self.value, self.domain, self.path) = (name, Secret(text), lower, path)
        isSecure = members["secure"] == .bool(true)
        isHTTPOnly = members["httpOnly"] == .bool(true)
        expires =
            switch members["expires"] {
            case .integer(let seconds)? where seconds > 0: seconds
            case .number(let seconds)? where seconds > 0: Int64(exactly: seconds.rounded(.up))
            default: nil
            }
    }
}

/// Decides when to try a window's cookies against verify: after a page of the service has come up, since some services keep the id of a
/// session at a login, and when the cookies have changed. Each try may have the service rotate an id, so there are no others but three
/// later ones.
struct WindowWatch {
    /// Milliseconds after a new page or a changed cookie, for a service that is slow to let its session count.
    private static let later = [3000, 6000, 12_000]
    /// Milliseconds between two tries: for another page, for changed cookies, and for a page that only changes its title or was loaded
    /// again.
    private static let gaps = (page: 300, cookies: 500, samePage: 2000)

    private var page: String?
    /// The gap before the next try, where a page has come up since the last one.
    private var pageGap: Int?
    private var tried: [Secret] = []
    private var tries = 0
    private var lastTry: Int?
    private var since = 0
    private var waiting: ArraySlice<Int> = []
    /// Whether the last try was one of the later ones.
    private(set) var isLate = false

    /// A page of the profile's origin has come up, or is another one now.
    /// - Parameter now: milliseconds of any clock that only goes on.
    mutating func pageCameUp(_ url: String, at now: Int) {
        guard url != page else {
            pageGap = pageGap ?? Self.gaps.samePage
            return
        }
        (page, pageGap) = (url, Self.gaps.page)
        expectMore(after: now)
    }

    /// Whether a session of these values is to be tried now; it then counts as done.
    mutating func tries(_ values: [Secret], at now: Int) -> Bool {
        guard !values.isEmpty else { return false }
        let passed = now - (lastTry ?? .min / 2)
        let hasPage = pageGap.map { passed >= $0 * slowness } ?? false
        let hasChanged = values != tried && passed >= Self.gaps.cookies * slowness
        if hasChanged, lastTry != nil { expectMore(after: now) }
        isLate = waiting.first.map { now - since >= $0 } ?? false
        guard hasPage || hasChanged || isLate else { return false }
        if isLate { waiting = waiting.drop { now - since >= $0 } }
        (pageGap, tried, lastTry, tries) = (nil, values, now, tries + 1)
        return true
    }

    /// The factor of the gaps: values that change all the time are tried less and less often.
    private var slowness: Int { 1 + tries / 10 }

    private mutating func expectMore(after now: Int) { (since, waiting) = (now, Self.later[...]) }
}
