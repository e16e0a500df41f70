@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// The header line that other programs send.
struct SessionHeaderTests {
    private let token = Session.token(Token(value: Secret("t0k"), refreshToken: nil, expires: nil))

    private func line(_ rule: SessionRule, _ session: Session) throws -> String? {
        try rule.headerLines(session, SlotValues(session, username: "anna"))?.unprotectedText
    }

    private func rule(header: String...) throws -> SessionRule {
        var rule = SessionRule()
        for text in header {
            let parts = text.split(separator: ":", maxSplits: 1).map { $0.drop { $0 == " " } }
            rule.headers.append(HeaderRule(name: String(parts[0]), value: try Template(parsing: String(parts[1]))))
        }
        return rule
    }

    @Test func `a token is a bearer unless the profile says otherwise`() throws {
        #expect(try line(.bearer, token) == "Authorization: Bearer t0k")
        #expect(try line(try rule(header: "PRIVATE-TOKEN: {token}"), token) == "PRIVATE-TOKEN: t0k")
        #expect(try line(try rule(header: "auth: {username}/{token}", "b: {token}"), token) == "auth: anna/t0k\nb: t0k")
    }

    @Test func `a token may be a Basic password`() throws {
        var rule = SessionRule()
        rule.basic = SessionRule.BasicRule(
            username: try Template(parsing: "{username}"), password: try Template(parsing: "{token}"))
        #expect(try line(rule, token) == "Authorization: Basic YW5uYTp0MGs=")
    }

    @Test(arguments: [
        ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123£", "dGVzdDoxMjPCow=="),
        ("", "", "Og=="),
        ("u", " :p ", "dTogOnAg"),
    ])
    func `Basic as RFC 7617 has it`(name: String, password: String, expected: String) throws {
        let session = Session.credential(Credential(username: name, .password(Secret(password))))
        #expect(try line(SessionRule(), session) == "Authorization: Basic \(expected)")
    }

    @Test func `cookies stand in one line, in their order`() throws {
        let session = Session.cookies([.named("sid", "a=b"), .named("csrf", "\"x\"")])
        #expect(try line(SessionRule(cookies: true), session) == "Cookie: sid=a=b; csrf=\"x\"")
    }

    @Test func `cookies and headers come together`() throws {
        let session = Session.cookies([.named("sid", "a"), .named("csrftoken", "c")])
        var rule = try rule(header: "X-User: {username}")
        rule.cookies = true
        rule.writeHeaders = [HeaderRule(name: "X-CSRFToken", value: try Template(parsing: "{cookie:csrftoken}"))]
        #expect(try line(rule, session) == "Cookie: sid=a; csrftoken=c\nX-User: anna\nX-CSRFToken: c")
        let slot = Template.Slot.cookie("csrftoken")
        #expect(throws: FillFault.missing(slot)) { try line(rule, .cookies([.named("sid", "a")])) }
    }

    @Test func `a token that would end the line is refused`() {
        let session = Session.token(Token(value: Secret("t\r\nX: 1"), refreshToken: nil, expires: nil))
        #expect(throws: FillFault.notForHeader(.token)) { try line(.bearer, session) }
    }

    @Test func `what stays after a login follows from the method, unless the profile says it`() {
        let verify = RequestRule(method: "GET", path: Template(literal: "/"))
        let rule = { (methods: [AuthenticationMethod]) in
            Profile(name: "p", url: "https://p.example", methods: methods, verify: verify).sessionRule
        }
        #expect(rule([.cookie]).cookies)
        #expect(rule([.token]) == .bearer)
        for methods in [[.auto], [.basic], [.digest, .basic]] as [[AuthenticationMethod]] {
            #expect(rule(methods).isCredential)
        }
        #expect(!SessionRule.bearer.isCredential)
    }

    @Test func `write headers alone change nothing of what stays after a login`() throws {
        var written = SessionRule()
        written.writeHeaders = [HeaderRule(name: "X-CSRF", value: try Template(parsing: "{cookie:csrf}"))]
        for method in [AuthenticationMethod.cookie, .token, .basic] {
            let verify = RequestRule(method: "GET", path: Template(literal: "/"))
            var profile = Profile(name: "p", url: "https://p.example", methods: [method], verify: verify)
            var usual = profile.sessionRule
            usual.writeHeaders = written.writeHeaders
            profile.session = written
            #expect(profile.sessionRule == usual)
            #expect(profile.sessionRule.isCredential == (method == .basic))
        }
    }
}
