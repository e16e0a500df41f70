@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// A login that the service sends on to another address.
struct `A login that has moved` {
    private let anonymous = HTTPResponse.answer(401)
    private let form = HTTPResponse.answer(
        200, "<form method=post><input name=u><input name=p type=password></form>", headers: ["Content-Type: text/html"]
    )
    private let moved = Self.moved(status: 301)

    private static func moved(status: Int) -> LoginFault {
        .usage(
            "the login has moved to \"/users/login/\" (status \(status)); your password was not checked",
            next: "change the profile: \("post = \"/users/login/\"")")
    }

    private func sent(
        to target: String, _ scheme: String = "https", status: Int = 301, cookies: [Cookie] = []
    ) -> HTTPResponse {
        let origin = Origin(scheme: scheme, host: "blog.example", port: scheme == "https" ? 443 : 80)
        let redirect = Redirect(url: "\(origin)\(target)", origin: origin, target: target)
        return .answer(status, cookies: cookies, redirect: redirect)
    }

    private func login(_ answers: HTTPResponse..., change: (inout Profile) -> Void = { _ in }) throws -> Exchange {
        var profile = try SomeProfiles.blog()
        change(&profile)
        return Exchange(profile, [anonymous] + answers)
    }

    @Test func `a slash at the end is named with the line to change, and nothing was judged`() throws {
        for there in [HTTPResponse.answer(405), .answer(404), .answer(200, "{}"), sent(to: "/home", status: 302)] {
            let exchange = try login(sent(to: "/users/login/"), there) {
                // Without a status it does not read what judged nothing.
                let place = Condition.PlacePattern(place: .header("Location"), pattern: TextPattern("*login*"))
                $0.login?.response.refused = [Condition(status: nil, places: [place])]
            }
            #expect(fault { _ = try exchange.login("anna", "pw") } == moved)
            #expect(
                exchange.rest == 0 && exchange.requests.last?.hasPrefix("GET https://blog.example/users/login/") == true
            )
        }
    }

    @Test func `a redirect that repeats the request on the same origin is named, too`() throws {
        let exchange = try login(sent(to: "/users/login/", status: 308), .answer(405))
        #expect(fault { _ = try exchange.login("anna", "pw") } == Self.moved(status: 308))
    }

    @Test func `another scheme is another origin, and is not asked`() throws {
        for status in [301, 302, 303, 307, 308] {
            let exchange = try login(sent(to: "/users/login", "http", status: status))
            #expect(
                fault { _ = try exchange.login("anna", "pw") }
                    == .untrusted(.otherOrigin(target: "http://blog.example")))
            #expect(exchange.rest == 0)
        }
    }

    @Test func `back at a page that asks for the password, or with an error, it was refused`() throws {
        let back = try login(sent(to: "/users/login/"), form, .answer(401))
        #expect(fault { _ = try back.login("anna", "pw") }?.exitCode == .rejected)
        let onward = try login(sent(to: "/users/login/"), sent(to: "/users/login", status: 302), .answer(401))
        #expect(fault { _ = try onward.login("anna", "pw") }?.exitCode == .rejected)
        let error = try login(sent(to: "/users/login?error", status: 302), .answer(401))
        #expect(fault { _ = try error.login("anna", "pw") }?.exitCode == .rejected)
        #expect(back.rest == 0 && onward.rest == 0 && error.rest == 0)
    }

    @Test func `a login whose redirects are followed has moved as well`() throws {
        let exchange = try login(sent(to: "/users/login/"), .answer(405)) { $0.login?.followsRedirects = true }
        #expect(fault { _ = try exchange.login("anna", "pw") } == moved)
    }

    @Test func `a rule that names the status reads it`() throws {
        let exchange = try login(sent(to: "/users/login/")) { $0.login?.response.refused = [Condition(status: 301)] }
        #expect(fault { _ = try exchange.login("anna", "pw") } == .rejected(Refusal(status: 301)))
    }
}
