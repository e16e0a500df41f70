@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// What goes out for a request of a command, and what it gets, answer by answer.
struct ServedRequestTests {
    private func scene(
        _ profile: String, login: [HTTPResponse], later: Int64 = 0, _ server: [HTTPResponse],
        _ body: (ServedScene, TestWorld) throws -> Void
    ) throws {
        try ServedScene.play(profile, login: login, later: later, server, body)
    }

    private static func sid(_ value: String) -> Cookie {
        let record = Secret("blog.example\tFALSE\t/\tTRUE\t0\tsid\t\(value)")
        return Cookie(name: "sid", value: Secret(value), record: record, expires: nil)
    }

    /// Each answer tells all cookies that hold from then on.
    private static let blogLogin = [
        HTTPResponse.answer(401), .answer(302, cookies: [sid("one")]), .answer(200, cookies: [sid("one")]),
    ]
    private static let basic = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"r\""])
    private static let wireLogin = [basic, .answer(200)]

    @Test func `the session goes along, and the answer comes back`() throws {
        try scene("shop", login: ServedScene.shopLogin, [.answer(201, "made", headers: ["X-Id: 7", "Alt-Svc: h3"])]) {
            (scene, world) throws in
            let got = try scene.send("POST", "/v1/items?x=%2F", body: "a=b", with: [("X-Own", "1")])
            #expect(got.status == 201 && got.fields == ["X-Id: 7"] && got.body == "made" && got.isWhole)
            #expect(ServedScene.trips(world) == ["POST https://shop.example/v1/items?x=%2F; Authorization: Bearer t-1"])
            #expect(world.requests[0].contains("X-Own: 1\n") && world.requests[0].hasSuffix("\n\na=b"))
            #expect(scene.warnings.isEmpty)
        }
    }

    @Test func `what the service no longer takes is refreshed once, and the same request goes out again`() throws {
        let server = [
            .answer(401), .answer(401), ServedScene.issued("t-2", "r-2"), ServedScene.me, .answer(200, "yes"),
            .answer(200, "two"),
        ]
        try scene("shop", login: ServedScene.shopLogin, server) { (scene, world) throws in
            let got = try scene.send("PUT", "/v1/items", body: "the body", isChunked: true)
            #expect(got.status == 200 && got.body == "yes")
            #expect(try scene.send("GET", "/v1/items").body == "two")
            #expect(
                ServedScene.trips(world) == [
                    "PUT https://shop.example/v1/items; Authorization: Bearer t-1",
                    "GET https://shop.example/v1/me; Authorization: Bearer t-1",
                    "POST https://shop.example/v1/refresh", "GET https://shop.example/v1/me; Authorization: Bearer t-2",
                    "PUT https://shop.example/v1/items; Authorization: Bearer t-2",
                    "GET https://shop.example/v1/items; Authorization: Bearer t-2",
                ])
            #expect(world.requests[4].hasSuffix("\n\nthe body"))
            #expect(scene.warnings.isEmpty && scene.end().secrets.contains(Secret("t-2")))
        }
    }

    @Test func `what is past its end is refreshed before it is used`() throws {
        let server = [ServedScene.issued("t-2", "r-2"), ServedScene.me, .answer(200, "yes")]
        try scene("shop", login: ServedScene.shopLogin, later: 4000, server) { (scene, world) throws in
            #expect(try scene.send("GET", "/v1/items").body == "yes")
            #expect(ServedScene.trips(world).last == "GET https://shop.example/v1/items; Authorization: Bearer t-2")
        }
    }

    @Test func `where nothing can be refreshed the refusal goes on, and the person is told once`() throws {
        let refused = HTTPResponse.answer(401, "no", headers: ["X-Why: old"], cookies: [Self.sid("one")])
        try scene("blog", login: Self.blogLogin, [refused, .answer(401), refused]) {
            (scene, world) throws in
            for _ in 0..<2 {
                let got = try scene.send("GET", "/posts")
                #expect(got.status == 401 && got.body == "no" && got.fields == ["X-Why: old"] && got.isWhole)
            }
            #expect(scene.warnings.count == 1, "\(scene.warnings)")
            // The second request does not have it tried once more.
            #expect(
                ServedScene.trips(world)
                    == ["posts", "me", "posts"].map { "GET https://blog.example/\($0); cookie sid=one" })
        }
    }

    @Test func `cookies that an answer refreshes go along with the next request, those of a refusal do not`() throws {
        let server = [
            HTTPResponse.answer(200, "a", cookies: [Self.sid("two")]), .answer(200, cookies: [Self.sid("two")]),
            .answer(404, "b", cookies: [Self.sid("three")]), .answer(200, "c", cookies: [Self.sid("two")]),
        ]
        try scene("blog", login: Self.blogLogin, server) { (scene, world) throws in
            for _ in 0..<3 { _ = try scene.send("GET", "/posts", with: [("Cookie", "sid=forged")]) }
            let trips =
                ["posts; cookie sid=one", "me; cookie sid=two"] + Array(repeating: "posts; cookie sid=two", count: 2)
            #expect(ServedScene.trips(world) == trips.map { "GET https://blog.example/\($0)" })
            #expect(scene.end() == .cookies([Self.sid("two")]))
        }
    }

    @Test func `a password is not sent to another part of the service before that asks for it`() throws {
        try scene(
            "wire", login: Self.wireLogin, [.answer(200, "open"), Self.basic, .answer(200, "in"), .answer(200, "own")]
        ) {
            (scene, world) throws in
            #expect(try scene.send("GET", "/other").body == "open")
            #expect(try scene.send("GET", "/other/x").body == "in")
            #expect(try scene.send("GET", "/api/x").body == "own")
            #expect(
                ServedScene.trips(world) == [
                    "GET https://wire.example/other", "GET https://wire.example/other/x",
                    "GET https://wire.example/other/x; basic ann:hunter22",
                    "GET https://wire.example/api/x; basic ann:hunter22",
                ])
        }
    }

    @Test func `a body of unknown length is not sent only to be refused`() throws {
        try scene("wire", login: Self.wireLogin, [Self.basic, .answer(200, "in"), .answer(200), .answer(200, "open")]) {
            (scene, world) throws in
            #expect(try scene.send("POST", "/other", body: "long", isChunked: true).body == "in")
            #expect(try scene.send("POST", "/else", body: "long", isChunked: true).body == "open")
            #expect(
                ServedScene.trips(world) == [
                    "HEAD https://wire.example/other", "POST https://wire.example/other; basic ann:hunter22",
                    "HEAD https://wire.example/else", "POST https://wire.example/else",
                ])
        }
    }

    @Test func `what is forbidden to a session that holds is no reason to refresh it`() throws {
        try scene("wire", login: Self.wireLogin, [.answer(403, "no"), .answer(200)]) { (scene, world) throws in
            let got = try scene.send("GET", "/api/x")
            #expect(got.status == 403 && got.body == "no" && scene.warnings.isEmpty)
            #expect(
                ServedScene.trips(world)
                    == ["x", "me"].map { "GET https://wire.example/api/\($0); basic ann:hunter22" })
        }
    }

    @Test func `a service that does not answer is told to the command, and nothing is whole that breaks off`() throws {
        try scene("shop", login: ServedScene.shopLogin, []) { (scene, world) throws in
            let got = try scene.send("GET", "/v1/items")
            #expect(got.status == 502 && got.body.hasPrefix("authctl: shop: ") && got.isWhole)
            #expect(world.requests.count == 1)
        }
    }
}
