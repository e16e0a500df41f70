import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// What a command gets of its session and what the service gets of the command, without rules and with some that let all through.
struct ServedSecretsTests {
    private static let wikiLogin = [
        HTTPResponse.answer(401), .answer(302, cookies: [.named("sid", "one")]),
        .answer(200, cookies: [.named("sid", "one")]),
    ]

    @Test(arguments: [false, true])
    func `the secrets of the session before come back in no header either`(byRules: Bool) throws {
        let login = [
            HTTPResponse.answer(401), ServedScene.issued("token-one-1234567", "refresh-one-1234567"), ServedScene.me,
        ]
        let repeating = HTTPResponse.answer(
            200,
            headers: [
                "X-Kept: 1", "X-Old: token-one-1234567", "X-Older: refresh-one-1234567", "X-New: token-two-1234567",
            ])
        let server = [
            .answer(401), .answer(401), ServedScene.issued("token-two-1234567", "r-2"), ServedScene.me, repeating,
        ]
        try ServedScene.play("shop", login: login, limits: try ServedScene.limits(byRules: byRules), server) {
            (scene, _) throws in
            let got = try scene.send("GET", "/v1/items")
            #expect(got.status == 200 && got.fields == ["X-Kept: 1"])
        }
    }

    @Test(arguments: [false, true])
    func `what the command has guessed of a password comes back like any other text`(byRules: Bool) throws {
        let pair = Data("ann:hunter22".utf8).base64EncodedString()
        let guesses = ["hunter2", "hunter22", "hunter23", pair].map { "X-Echo: \($0)" }
        let basic = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"r\""])
        for (profile, login) in [("kept", ServedScene.shopLogin), ("wire", [basic, .answer(200)])] {
            let echo = HTTPResponse.answer(200, headers: guesses)
            try ServedScene.play(profile, login: login, limits: try ServedScene.limits(byRules: byRules), [echo]) {
                (scene, _) throws in
                #expect(try scene.send("GET", "/api/items").fields == guesses, "\(profile)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `a token of less than sixteen bytes is looked for in no header`(byRules: Bool) throws {
        let echo = ["X-Echo: t-1", "X-Echo: token-of-15-byt", "X-Refresh: refresh-of-16-by"]
        let login = [.answer(401), ServedScene.issued("token-of-15-byt", "refresh-of-16-by"), ServedScene.me]
        let limits = try ServedScene.limits(byRules: byRules)
        try ServedScene.play("shop", login: login, limits: limits, [.answer(200, headers: echo)]) {
            (scene, _) throws in
            #expect(try scene.send("GET", "/v1/items").fields == Array(echo.prefix(2)))
        }
    }

    /// The token at each of base64's three alignments, and once in base64url.
    @Test(arguments: [false, true])
    func `no header tells the command its session, and a body is the service's own`(byRules: Bool) throws {
        let token = "t-12345678901234?>"
        let hidden = ["", "a", "ab"].map { Data(($0 + token + "~").utf8).base64EncodedString() }
        let echoes = [token, hidden[0].replacing("/", with: "_").replacing("+", with: "-")] + hidden
        let headers = echoes.map { "X-Echo: \($0)" } + ["X-Ok: 1", "WWW-Authenticate: Basic"]
        let server = [HTTPResponse.answer(200, token, headers: headers)]
        let login = [.answer(401), ServedScene.issued(token, "r-1"), ServedScene.me]
        try ServedScene.play("shop", login: login, limits: try ServedScene.limits(byRules: byRules), server) {
            (scene, _) throws in
            let got = try scene.send("GET", "/v1/items")
            #expect(got.fields == ["X-Ok: 1", "WWW-Authenticate: Basic"] && got.body == token)
        }
    }

    @Test(arguments: [false, true])
    func `where the value against forged requests is missing, verify says whether the session has ended`(
        byRules: Bool
    ) throws {
        let server = [HTTPResponse.answer(200, "{}"), .answer(401)]
        try ServedScene.play("wiki", login: Self.wikiLogin, limits: try ServedScene.limits(byRules: byRules), server) {
            (scene, world) throws in
            let got = try scene.send("POST", "/edit", body: "a=b", with: [("User-Agent", "other/2")])
            #expect(got.status == 502 && got.body.contains("authctl login wiki"), "\(got)")
            #expect(scene.warnings.count == 1, "\(scene.warnings)")
            #expect(
                ServedScene.trips(world).map { $0.prefix { $0 != ";" } } == [
                    "GET https://wiki.example/token", "GET https://wiki.example/me",
                ])
            #expect(world.requests.allSatisfy { !$0.contains("other/2") })
        }
    }

    @Test(arguments: [false, true])
    func `the user agent of a profile replaces that of the command`(byRules: Bool) throws {
        let server = [HTTPResponse.answer(200, "done")]
        try ServedScene.play("wiki", login: Self.wikiLogin, limits: try ServedScene.limits(byRules: byRules), server) {
            (scene, world) throws in
            #expect(try scene.send("GET", "/page", with: [("User-Agent", "other/2")]).body == "done")
            #expect(world.requests.last?.contains("other/2") == false, "\(world.requests)")
        }
    }
}
