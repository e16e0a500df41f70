@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Tickets as a test wants them. The real ones are in the end-to-end tests, with a Kerberos server of their own.
enum SomeTickets {
    static let none = TicketCache(find: { .unusable(.missing(reason: "none")) }, request: { _ in })
    static let ann = TicketCache(find: { .valid(principal: "ann@REALM") }, request: { _ in })
    static let unknownHost = TicketCache(
        find: { .valid(principal: "ann@REALM") },
        request: { (_) throws(LoginFault) in throw .noTicketForService(reason: "not found in Kerberos database") })
}

/// Negotiate as the service decides it.
struct NegotiateTests {
    private let offer = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Negotiate", "WWW-Authenticate: Basic"])
    private let welcome = HTTPResponse.answer(200, "{\"screen_name\":\"Ann\"}")
    private let ticket = Session.credential(Credential(username: "ann@REALM", .ticket))
    private let nobody = Credential(username: nil, .ticket)
    /// What mod_auth_gssapi sends with its 401 for an account without rights.
    private let accepted = "oYG3MIG0oAMKAQChCwYJKoZIhvcSAQICooGfBIGc"

    private func exchange(
        _ methods: [AuthenticationMethod], _ answers: [HTTPResponse], _ tickets: TicketCache = SomeTickets.ann,
        options: Service.Options = Service.Options()
    ) throws -> Exchange {
        Exchange(try SomeProfiles.wire(methods), answers.map { .success($0) }, tickets: tickets, options: options)
    }

    @Test func `the ticket's principal is who logs in, and nothing secret is the session`() throws {
        let exchange = try exchange([.auto], [offer, welcome])
        #expect(try exchange.service.prepare().method == .negotiate)
        let login = try exchange.service.authenticate(nobody)
        #expect(login.identity == Identity(username: "ann@REALM", serverName: "Ann"))
        #expect(login.session == ticket)
        #expect(exchange.requests.map { $0.contains("negotiate") } == [false, true])
    }

    @Test func `a ticket of another one is not sent, be it at login or later`() throws {
        let other = LoginFault.loginRequired(
            LoginNeed(why: .ticket(.ofAnother(principal: "ann@REALM", wanted: "bob"))))
        let login = try exchange([.negotiate], [offer], options: Service.Options(username: "bob"))
        #expect(fault { _ = try login.service.prepare() } == other)
        let later = try exchange([.negotiate], [welcome])
        let stored = Session.credential(Credential(username: "bob", .ticket))
        #expect(fault { _ = try later.service.verify(stored, username: "bob") } == other)
        #expect(login.requests.isEmpty && later.requests.isEmpty)
    }

    @Test func `a host that Kerberos does not know is sent no credential`() throws {
        let exchange = try exchange([.negotiate], [offer, welcome], SomeTickets.unknownHost)
        #expect(
            fault { _ = try exchange.service.authenticate(nobody) }
                == .noTicketForService(reason: "not found in Kerberos database"))
        #expect(exchange.requests.count == 1)
    }

    @Test func `a final 401 tells a missing right from a refused ticket by its token`() throws {
        for (token, expected) in [
            (" \(accepted)", LoginFault.forbidden(Refusal(status: 401))),
            ("", .rejected(Refusal(status: 401, mayMeanForbidden: true, hadTicket: true))),
        ] {
            let final = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Negotiate\(token)"])
            let exchange = try exchange([.negotiate], [final])
            #expect(fault { _ = try exchange.service.verify(ticket, username: "ann@REALM") } == expected)
        }
    }

    @Test(arguments: [
        ("oYG3MIG0oAMKAQChCwYJKoZIhvcSAQICooGfBIGc", true), ("oQcwBaADCgEA", true), ("oQcwBaADCgEB", false),
        ("oQcwBaADCgEC", false), ("oQcwBaADCgE=", false), ("oQ==", false), ("", false), ("YIIC", false),
        ("of8=", false), ("oYQAAAAJMIQAAAADoAMKAQA=", true), ("not base64", false),
    ])
    func `SPNEGO's verdict is read, and nothing else is taken for it`(token: String, isAccepted: Bool) {
        #expect(HTTPResponse.isAcceptCompleted(token) == isAccepted)
    }

    @Test func `a password stays a password where another account has a ticket`() throws {
        let exchange = try exchange([.auto], [welcome], options: Service.Options(pinnedMethod: .basic))
        let stored = Session.credential(Credential(username: "bob", .password(Secret("p"))))
        _ = try exchange.service.verify(stored, username: "bob")
        #expect(exchange.requests == ["GET https://api.wire.example/account/verify_credentials.json\nbasic bob:p"])
    }

    @Test func `a login page may want the ticket although the verify page does not say so`() throws {
        var profile = try SomeProfiles.wire([.negotiate])
        profile.login = try SomeProfiles.rule("GET", "/session/")
        profile.session = SessionRule(cookies: true)
        let answers: [HTTPResponse] = [
            .answer(403), .answer(401, headers: ["WWW-Authenticate: Negotiate"]),
            .answer(204, cookies: [.named("sid", "1")]),
            HTTPResponse(status: 200, headers: [], body: welcome.body, cookies: [.named("sid", "1")]),
        ]
        let exchange = Exchange(profile, answers.map { .success($0) }, tickets: SomeTickets.ann)
        let login = try exchange.service.authenticate(nobody)
        #expect(login.identity.username == "ann@REALM")
        #expect(exchange.requests.map { $0.contains("negotiate") } == [false, false, true, false])
    }
}
