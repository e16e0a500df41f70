import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Every form in which a secret is sent, answered with a redirect to every other place by every status: the other place
/// sees no byte, not even a connection.
@Suite(.onOwnThreads, .serialized) struct `A redirect to another origin` {
    private static let statuses = [301, 302, 303, 307, 308]

    @Test(arguments: SecretForm.allCases)
    func `a redirect to another origin carries no secret there, not one byte`(form: SecretForm) throws {
        var count = 0
        for place in OtherPlace.allCases {
            let scene = try RedirectScene(place)
            defer { scene.stop() }
            for status in Self.statuses {
                try expectNothingLeaves(form, scene, status)
                count += 1
            }
            try scene.expectToHaveWatched()
        }
        print("R1 R2: \(form): \(count) cases, no byte at another origin")
        #expect(count == OtherPlace.allCases.count * Self.statuses.count)
    }

    private func expectNothingLeaves(_ form: SecretForm, _ scene: RedirectScene, _ status: Int) throws {
        let moved = RecordingServer.Reply.answer(status, ["Location: \(scene.target)"])
        scene.home.reply(form.replies(moved))
        let sentBefore = scene.home.requests.count
        let found = fault { try form.send(Service(form.profile(scene.origin), scene)) }
        let sent = scene.home.texts.dropFirst(sentBefore)
        let about: Comment = "\(form) \(scene.place) \(status): \(String(describing: found))"
        #expect(scene.away.connections.isEmpty, about)
        // Home is not asked in another name, either.
        #expect(sent.allSatisfy { $0.contains("\nHost: \(scene.authority)\n") }, about)
        #expect(sent.last.map { form.isExpected(last: $0) } == true, about)
        switch form {
        // A login form's redirect is no verdict, and that verify, asked on the own origin, says no, is none either.
        case .postedForm, .postedJSON, .pageForm:
            #expect(found?.exitCode == (status < 307 ? .usage : .untrusted), about)
        case .logoutCookie: #expect(found?.exitCode == (status < 307 ? nil : .untrusted), about)
        // RFC 6749 knows no redirect here: a portal may have answered, so that nothing is known of the login.
        case .refreshToken: #expect(found?.exitCode == .busy, about)
        case .basic, .digest, .bearer, .ownHeader, .cookie, .sessionBasic, .page:
            #expect(found?.exitCode == .untrusted, about)
        }
    }
}

/// Another origin, seen from home.
enum OtherPlace: String, CaseIterable {
    case otherPort, otherHost, otherName, subdomain, toHTTPS, toHTTP
}

/// The form in which a secret is sent.
enum SecretForm: String, CaseIterable {
    case basic, digest, bearer, ownHeader, cookie, sessionBasic, postedForm, postedJSON, page, pageForm, refreshToken,
        logoutCookie

    private static let credential = Credential(username: "CANARY", .password(Secret("CANARY")))
    private static let token = Token(value: Secret("CANARY"), refreshToken: Secret("CANARY"), expires: nil)
    private static let refused = RecordingServer.Reply.answer(401, ["WWW-Authenticate: Basic realm=x"])
    private static let digestRefused = RecordingServer.Reply.answer(
        401, ["WWW-Authenticate: Digest realm=x, nonce=y, qop=auth"])
    private static let html = "<form method=post><input name=username><input name=password></form>"

    func profile(_ origin: Origin) throws -> Profile {
        var profile: Profile =
            switch self {
            case .basic, .digest: try SomeProfiles.wire()
            case .bearer, .refreshToken: try SomeProfiles.chat()
            case .ownHeader: try SomeProfiles.forge()
            case .cookie, .postedJSON: try SomeProfiles.blog()
            case .sessionBasic: try SomeProfiles.index()
            case .postedForm: try SomeProfiles.screencast()
            case .page, .pageForm, .logoutCookie: try SomeProfiles.admin()
            }
        profile.url = "\(origin)"
        if self == .logoutCookie { profile.logout = try SomeProfiles.rule("POST", "/logout/") }
        // Its login answers with a cookie here, so that only verify can tell.
        if self == .postedForm { (profile.methods, profile.session) = ([.cookie], nil) }
        return profile
    }

    func replies(_ moved: RecordingServer.Reply) -> [RecordingServer.Reply] {
        switch self {
        case .basic, .page: [Self.refused, moved]
        case .digest: [Self.digestRefused, moved]
        case .bearer, .ownHeader, .cookie, .sessionBasic, .refreshToken, .logoutCookie: [moved]
        case .postedForm, .postedJSON: [Self.refused, moved, Self.refused]
        // The page once more: what its cookies get without a password is looked at first.
        case .pageForm:
            [Self.refused, .answer(200, body: Self.html), .answer(200, body: Self.html), moved, Self.refused]
        }
    }

    func send(_ service: Service) throws {
        let port = service.endpoint.origin.port
        let cookies = [("CANARY", "CANARY\(port)"), ("csrftoken", "CANARY")].map {
            CookieRecord.cookie(
                $0.0, Secret($0.1), expires: nil, domain: service.endpoint.origin.host, isSecure: false)
        }
        switch self {
        case .basic, .digest, .postedForm, .postedJSON, .page, .pageForm: _ = try service.authenticate(Self.credential)
        case .bearer, .ownHeader, .sessionBasic: _ = try service.verify(.token(Self.token), username: "CANARY")
        case .cookie: _ = try service.verify(.cookies(cookies), username: "CANARY")
        case .refreshToken: _ = try service.refresh(.token(Self.token), username: "CANARY")
        case .logoutCookie:
            if let fault = try service.logout(.cookies(cookies), username: "CANARY").fault { throw fault }
        }
    }

    /// That the secret did go out at home, or the case would prove nothing.
    func isExpected(last request: String) -> Bool {
        switch self {
        case .basic, .sessionBasic: request.contains("\nAuthorization: Basic ")
        case .digest: request.contains("\nAuthorization: Digest ")
        case .bearer: request.contains("\nAuthorization: Bearer CANARY")
        case .ownHeader: request.contains("\nPRIVATE-TOKEN: CANARY")
        case .cookie, .logoutCookie: request.contains("CANARY")
        case .refreshToken: request.hasPrefix("POST ") && request.contains("CANARY")
        case .page: request.hasPrefix("GET /login/ ")
        // The verify after it; or, where that is not asked, the posted password.
        case .postedForm, .postedJSON, .pageForm:
            request.hasPrefix("GET ") || (request.hasPrefix("POST ") && request.contains("CANARY"))
        }
    }
}

/// A home that redirects, and another place that listens.
final class RedirectScene {
    let place: OtherPlace
    let home: RecordingServer
    let away: RecordingServer
    let origin: Origin
    /// Where home points to.
    let target: String
    private let front: TLSFront?

    init(_ place: OtherPlace) throws {
        self.place = place
        (home, away) = try place == .otherHost ? Self.twoOfOnePort() : (RecordingServer([]), RecordingServer([]))
        front = try place == .toHTTP ? TLSFront(to: home.port) : nil
        let host = place == .subdomain ? "localhost" : "127.0.0.1"
        origin = Origin(scheme: front == nil ? "http" : "https", host: host, port: front?.port ?? home.port)
        let server =
            switch place {
            case .otherPort, .toHTTP: "http://127.0.0.1:\(away.port)"
            case .otherHost: "http://127.0.0.2:\(home.port)"
            case .otherName: "http://localhost:\(home.port)"
            case .subdomain: "http://sub.localhost:\(away.port)"
            case .toHTTPS: "https://127.0.0.1:\(away.port)"
            }
        target = server + "/account/verify_credentials.json?stolen=1"
    }

    /// The same port on another address, where the port must not be what tells the two apart.
    private static func twoOfOnePort() throws -> (RecordingServer, RecordingServer) {
        // The port that the system chooses for one address may be taken on the other.
        for _ in 0..<20 {
            let home = try RecordingServer([])
            if let away = try? RecordingServer(address: "127.0.0.2", port: home.port, []) { return (home, away) }
            home.stop()
        }
        throw POSIXError(.EADDRINUSE)
    }

    var authority: String { "\(origin.host):\(origin.port)" }

    func transport() -> CurlTransport {
        CurlTransport(origin: origin, settings: TransportSettings(allowHTTP: true, caFile: front?.certificate))
    }

    /// That the other place was there all the time.
    func expectToHaveWatched() throws {
        let other = Origin(scheme: "http", host: place == .otherHost ? "127.0.0.2" : "127.0.0.1", port: away.port)
        away.reply([.answer(200)])
        let transport = CurlTransport(origin: other, settings: TransportSettings(allowHTTP: true))
        #expect(try transport.send(HTTPRequest(method: "GET", url: "\(other)/")).status == 200)
        #expect(away.requests.count == 1)
    }

    func stop() {
        home.stop()
        away.stop()
        front?.stop()
    }
}

extension Service {
    fileprivate convenience init(_ profile: Profile, _ scene: RedirectScene) {
        self.init(
            profile: profile, endpoint: ServiceEndpoint(origin: scene.origin, base: "\(scene.origin)"),
            transport: scene.transport(), clock: WallClock { 1_000_000 }, tickets: SomeTickets.none,
            method: Service.method(of:))
    }
}
