package import Secrets

/// Decides when to try a window's cookies against verify: after a page of the service has come up, since some services keep the id of a
/// session at a login, and when the cookies have changed. Each try may have the service rotate an id, so there are no others but three
/// later ones.
package struct WindowWatch {
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
    package private(set) var isLate = false

    package init() {}

    /// A page of the profile's origin has come up, or is another one now.
    /// - Parameter now: milliseconds of any clock that only goes on.
    package mutating func pageCameUp(_ url: String, at now: Int) {
        guard url != page else {
            pageGap = pageGap ?? Self.gaps.samePage
            return
        }
        (page, pageGap) = (url, Self.gaps.page)
        expectMore(after: now)
    }

    /// Whether a session of these values is to be tried now; it then counts as done.
    package mutating func tries(_ values: [Secret], at now: Int) -> Bool {
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

    /// What changes all the time is tried ever more rarely.
    private var slowness: Int { 1 + tries / 10 }

    private mutating func expectMore(after now: Int) { (since, waiting) = (now, Self.later[...]) }
}
