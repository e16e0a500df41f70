import Foundation
@testable import LoginTestSupport
import Testing

/// A service with what Debian's and PyPI's programs ask of one, and authctl, logged in to it. It has a name by the proxy of the profile
/// alone, so that a program which goes around authctl reaches nothing.
struct UnchangedStand {
    static let folder = Repository.path + "/Tests/Stands/unchanged"

    let authctl: Installation
    let python: String
    private let service: ServerProcess
    private let named: NamedService

    /// - Parameter keys: more of the profile.
    init(_ keys: String = "") throws {
        python = try #require(RealServer.packagesPython)
        service = try ServerProcess()
        try service.start(python, ["-u", Self.folder + "/service.py", service.folder.path])
        named = try NamedService(at: service.wait(forPortOf: "the service"))
        authctl = try Installation(
            config: """
                [profiles.api]
                url = "\(NamedService.origin)"
                method = "cookie"
                \(named.keys)
                login = { post = "/login", json = { name = "{username}", password = "{password}" } }
                verify = { get = "/me", username = "/name" }
                \(keys)

                """)
        try authctl.logIn("api")
    }

    /// What the service was asked for; each begins with 1 if it had the session.
    var requests: [Substring] { service.text("requests").split(separator: "\n") }
}
