import Foundation

/// A person with a real browser, Debian's Chromium without a window. It logs in and approves with the page's own form, and obeys
/// what a script does not: content security policies, cookies' attributes, the page's own scripts. It reaches loopback alone.
final class ChromiumBrowser {
    private let program: BrowserProgram

    /// - Throws: where Chromium is missing.
    init(_ user: OAuthUser = .ann) throws {
        guard let chromium = RealServer.path(of: "chromium") else {
            throw ServerProcess.NotStarted(description: "chromium is not installed")
        }
        program = try BrowserProgram(
            try Repository.text(ofTestServer: "chromium_browser.py"),
            settings: ["name": user.name, "password": user.password, "program": chromium])
    }

    /// A program that takes a URL, as for `--browser`.
    var browser: String { program.path }

    /// Opens an address, fills in what is asked for and approves, until a page asks nothing more.
    func open(_ url: String) throws -> VisitedPage { try program.run([url]) }

    /// Where it ended when another program had started it; waits for that.
    func visited() throws -> VisitedPage { try program.visited() }

    /// Forgets where it ended, so that ``visited()`` waits for the next time.
    func forget() { program.forget() }

    /// A picture (PNG) of the last page.
    var picture: Data? { FileManager.default.contents(atPath: program.file("page.png")) }

    /// A picture (PNG) of the last page that asked for something, filled in.
    var pictureOfConsent: Data? { FileManager.default.contents(atPath: program.file("consent.png")) }
}
