@testable import LoginKit
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// What stands between authctl and a service for a while: a gateway, a portal, the page of a service that is being mended. Every request
/// gets the same response then, and none of these has judged the login.
struct StoredLoginSurvivalTests {
    /// Commands that ask verify.
    private static let verifying = [
        ["whoami"], ["status"], ["token", "--verify", "--header"], ["whoami", "--explain"],
    ]

    private static func logins(_ kinds: [SurvivingLogin.Kind]) -> [SurvivingLogin] {
        kinds.flatMap { kind in
            [true, false].flatMap { isNamed in
                [
                    SurvivingLogin(kind: kind, isNamed: isNamed), .init(kind: kind, isNamed: isNamed, store: "file"),
                    .init(kind: kind, isNamed: isNamed, rules: .value),
                    .init(kind: kind, isNamed: isNamed, rules: .missing),
                ]
            }
        }
    }

    @Test(arguments: logins([.wire, .digest, .blog, .chat]))
    func `A stored login outlives whatever verify and requests meet for a while`(login: SurvivingLogin) throws {
        let world = try login.world(), kept = try login.kept(in: world)
        for answer in login.answers {
            for command in Self.verifying where login.kind != .digest || command[0] != "token" {
                let run = world.run([command[0], login.name] + command.dropFirst(), at: login.always(answer))
                login.expect(run, answer, at: .verify, command)
            }
            for command in login.requests {
                login.expect(world.run(command, at: login.always(answer)), answer, at: .request, command)
            }
            try world.withWorld(server: login.many(answer)) { dependencies in
                let scene = try ServedScene(dependencies, login.name)
                for method in ["GET", "POST"] {
                    let got = try scene.send(method, "/account/x", body: method == "POST" ? "x" : nil)
                    // A password that was answered so is not sent again at once.
                    let isSent = method == "GET" || answer.status != 401
                    #expect(login.kind == .digest || !isSent || got.status == answer.status, "\(answer) \(method)")
                }
                _ = scene.end()
            }
            #expect(try login.kept(in: world) == kept, "\(answer)")
            let again = world.run(["whoami", login.name], at: login.service())
            #expect(again.code == 0 && again.output == "ann\n", "\(answer): \(again.talk)")
        }
    }

    @Test(arguments: logins([.chat]))
    func `A login that is past its end outlives whatever its refresh meets`(login: SurvivingLogin) throws {
        let world = try login.world()
        for answer in login.answers {
            world.now += 200
            let kept = try login.kept(in: world)
            for command in [["token", "chat"], ["whoami", "chat"], ["status", "chat"]] + login.requests {
                let run = world.run(command, at: login.always(answer))
                login.expect(run, answer, at: .refresh, command)
                #expect(!world.requests.contains { $0.contains("/account/") }, "\(answer) \(command)")
            }
            #expect(throws: LoginFault.self) {
                _ = try world.withWorld(server: login.many(answer)) { try ServedScene($0, login.name) }
            }
            #expect(try login.kept(in: world) == kept, "\(answer)")
            let again = world.run(["whoami", "chat"], at: login.service())
            #expect(again.code == 0 && again.output == "ann\n", "\(answer): \(again.talk)")
        }
    }

    @Test(arguments: [true, false])
    func `A session that the service refuses outlives whatever its refresh meets`(isNamed: Bool) throws {
        let login = SurvivingLogin(kind: .chat, isNamed: isNamed), world = try login.world()
        let kept = try login.kept(in: world)
        for answer in login.answers {
            for command in [["whoami", "chat"], ["status", "chat"]] + login.requests {
                let run = world.run(
                    command, at: ScriptedTransport { $0.url.hasSuffix("/refresh") ? answer.response([]) : .answer(401) }
                )
                login.expect(run, answer, at: .refresh, command)
            }
            let server = [HTTPResponse.answer(401), .answer(401)] + login.many(answer)
            try world.withWorld(server: server) { dependencies in
                let scene = try ServedScene(dependencies, login.name)
                #expect(try scene.send("GET", "/account/x").status == 401, "\(answer)")
                _ = scene.end()
            }
            #expect(try login.kept(in: world) == kept, "\(answer)")
            #expect(world.run(["whoami", "chat"], at: login.service()).code == 0, "\(answer)")
        }
    }
}
