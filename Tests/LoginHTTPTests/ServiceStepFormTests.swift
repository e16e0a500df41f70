@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// A step without a page of its own sends the form that the response before it brought.
struct ServiceStepFormTests {
    private func site() throws -> Profile {
        var profile = try SomeProfiles.blog()
        var post = try SomeProfiles.rule("POST", "/login")
        post.content = .form([
            try SomeProfiles.parameter("user", "{username}"), try SomeProfiles.parameter("pw", "{password}"),
        ])
        profile.loginSteps = [try SomeProfiles.rule("GET", "/hello"), post]
        return profile
    }

    private func page(_ action: String = "/login", status: Int = 200, type: String = "text/html") -> HTTPResponse {
        .answer(
            status,
            """
            <form method=post action="\(action)"><input type=hidden name=t value="a&amp;b"><input name=user>
            <input type=password name=pw></form>
            """, headers: ["Content-Type: \(type)"], cookies: [.named("before", "1")])
    }

    private func exchange(_ page: HTTPResponse) throws -> Exchange {
        Exchange(
            try site(),
            [
                .answer(401), page, .answer(401), page, .answer(302, cookies: [.named("sid", "2")]),
                .answer(200, #"{"name": "ann"}"#),
            ])
    }

    @Test func `a form is sent with its hidden fields, its cookies, Origin and Referer`() throws {
        let exchange = try exchange(page())
        _ = try exchange.login("ann", "p w")
        let sent = exchange.requests[4]
        #expect(sent.hasPrefix("POST https://blog.example/login\n") && sent.contains("cookie before=1"))
        #expect(sent.contains("Origin: https://blog.example\nReferer: https://blog.example/hello"))
        #expect(sent.hasSuffix("\n\nuser=ann&pw=p+w&t=a%26b"))
    }

    @Test func `what is no HTML, or has no such form, adds nothing`() throws {
        let other = HTTPResponse.answer(
            200, "<form method=post><input type=hidden name=t value=1><input name=q></form>",
            headers: ["Content-Type: text/html"], cookies: [.named("before", "1")])
        for response in [page(type: "text/plain"), other] {
            let exchange = try exchange(response)
            _ = try exchange.login("ann", "pw")
            #expect(exchange.requests[4].hasSuffix("\n\nuser=ann&pw=pw") && !exchange.requests[4].contains("Referer"))
        }
    }

    @Test func `a form that would take the password elsewhere ends the login before it is sent`() throws {
        let exchange = try exchange(page("https://evil.example/login"))
        guard case .untrusted(.formElsewhere) = fault({ _ = try exchange.login("ann", "canary-pw") }) else {
            Issue.record("sent")
            return
        }
        #expect(!exchange.requests.contains { $0.contains("canary-pw") })
    }

    @Test func `a refusal of the step before the credential is a failure of the service`() throws {
        let exchange = try exchange(page(status: 401))
        #expect(
            fault { _ = try exchange.login("ann", "pw") }
                == .failure(.unexpectedStatus(401, step: "login", words: nil)))
        #expect(exchange.requests.count == 4)
    }
}
