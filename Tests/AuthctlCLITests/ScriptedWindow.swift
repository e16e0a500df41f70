@testable import LoginKit
import Secrets

/// A window of a browser that shows one thing after the other: at each look the next page, with the cookies that it leaves.
final class ScriptedWindow: WindowDialogue {
    /// What a look shows.
    enum Sight {
        /// A page has come up.
        case page(String, [WindowCookie])
        /// Nothing has happened, for so many milliseconds.
        case nothing(for: Int)
        case closed
    }

    /// Nothing more happens after them.
    var sights: [Sight] = []
    /// Whether cookies of domains above may be kept.
    var agrees = false
    /// Why it does not open.
    var fault: WindowFault?
    var userAgent: String? = "Browser/1"
    var headerValue: Secret?
    private(set) var opened: [String] = []
    private(set) var taken: TakenHeader?
    private(set) var askedFor: [String] = []
    private(set) var hasEnded = false
    private(set) var pages: [String] = []
    private var held: [WindowCookie] = []
    private var elapsed = 0

    func open(_ url: String, taking header: TakenHeader?) throws(LoginFault) {
        opened.append(url)
        taken = header
        if let fault { throw .failure(.browser(fault)) }
    }

    func changedPages(milliseconds: Int, secondsLeft: Int) throws(LoginFault) -> [String] {
        guard !sights.isEmpty else {
            elapsed += 1000
            return []
        }
        switch sights.removeFirst() {
        case .page(let url, let cookies):
            elapsed += milliseconds
            (pages, held) = ([url], cookies)
            return [url]
        case .nothing(let time):
            elapsed += time
            return []
        case .closed: throw .failure(.browser(.closed))
        }
    }

    func cookies(for url: String, host: String) throws(LoginFault) -> [WindowCookie] { held }

    func agree(toCookiesOf domains: [String], host: String) throws(LoginFault) -> Bool {
        askedFor = domains
        return agrees
    }

    func now() -> Int { elapsed }

    func end() { hasEnded = true }
}

extension WindowCookie {
    /// A cookie as a browser gives it.
    static func named(_ name: String, _ value: String, domain: String = "wiki.example") -> WindowCookie {
        let json =
            #"{"cookies":[{"name":"\#(name)","value":"\#(value)","domain":"\#(domain)","path":"/","secure":true}]}"#
        let read = try? Secret(json).withUnsafeBytes { (bytes) throws(JSONFault) in try JSONReader.read(bytes) }
        return WindowCookie.cookies(in: read ?? .null, for: "wiki.example")[0]
    }
}
