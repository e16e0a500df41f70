@testable import LoginKit
import Testing

@testable import AuthctlCLI

/// `page` in a request of a profile.
struct PageDecodingTests {
    private func profile(_ name: String, _ text: String) throws -> Profile {
        guard case .table(let members) = try ConfigValue.parse(text, file: "config.toml"),
            let table = try StrictTable(members, file: "config.toml", path: "")["profiles"]?.inner()[name]?.inner()
        else { throw UsageFault.other("no such table") }
        return try ProfileDecoder(folder: "/etc/authctl", home: "/home/anna").profile(named: name, table)
    }

    @Test func `admin: a login page, its cookie copied into a header`() throws {
        let profile = try profile("admin", Examples.admin)
        #expect(profile.login?.page == "/login/")
        #expect(profile.login?.path.parts == [.text("/login/")])
        #expect(profile.sessionRule.cookies)
        #expect(profile.sessionRule.writeHeaders.map(\.name.shown) == ["X-CSRFToken"])
        #expect(profile.fields == [.username, .password])
    }

    @Test(arguments: [
        ("page = 'login'", "must start with '/'"),
        ("page = 'https://evil/'", "must start with '/'"), ("page = '/a b'", "contains a blank"),
        ("page = '/{username}'", "without templates"), ("page = '/a#b'", "'#'"), ("page = 1", "must be a string"),
    ])
    func `a page that is no path is refused`(written: String, problem: String) throws {
        let found = usageFault {
            _ = try profile(
                "p",
                """
                [profiles.p]
                url = "https://p.example"
                verify = { get = "/" }
                logout = { post = "/out", \(written) }
                """)
        }
        guard case .badConfig(_, "profiles.p.logout.page", _, let text) = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect(text.contains(problem))
    }

    @Test func `a request that only reads has none`() throws {
        let found = usageFault {
            _ = try profile("p", "profiles.p = { url = 'https://p.example', verify = { get = '/', page = '/' } }")
        }
        guard case .badConfig(_, "profiles.p.verify.page", _, _) = found else {
            Issue.record("\(String(describing: found))")
            return
        }
    }

    @Test func `a brace of the path is written twice`() throws {
        let text =
            "profiles.p = { url = 'https://p.example', verify = { get = '/' }, logout = { post = '/', page = '/{{x' } }"
        #expect(try profile("p", text).logout?.page == "/{x")
    }
}
