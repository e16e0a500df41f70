import Foundation

/// A person with a browser that is a script: logs in and consents at any of the real servers and at the demo server, and goes
/// where the answers lead.
final class ScriptedPerson: @unchecked Sendable {
    private let program: BrowserProgram

    init(_ user: OAuthUser = .ann) throws {
        program = try BrowserProgram(
            try Repository.text(ofTestServer: "scripted_person.py"),
            settings: ["name": user.name, "password": user.password])
    }

    /// A program that takes a URL, as for `--browser`.
    var browser: String { program.path }

    /// What a person does who opens this address.
    /// - Parameters:
    ///   - code: for a device's page, typed there.
    ///   - denies: where the page offers that; Glewlwyd's does not.
    ///   - stays: whether the redirect to another origin is not followed any more; its address is then the page's.
    func consent(
        at url: String, code: String? = nil, denies: Bool = false, stays: Bool = false
    ) throws -> VisitedPage {
        let words = (stays ? ["--stay"] : []) + (denies ? ["--deny"] : []) + (code.map { ["--code", $0] } ?? [])
        return try program.run(words + [url])
    }

    /// Where it ended when another program had started it; waits for that.
    func visited() throws -> VisitedPage { try program.visited() }

    /// Forgets where it ended, so that ``visited()`` waits for the next time.
    func forget() { program.forget() }
}
