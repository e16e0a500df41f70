@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Synchronization
import Testing

@testable import AuthctlCLI

/// Rules of a profile that restrict nothing in the command that runs.
struct IdleRuleTests {
    private final class Log: ServeLog {
        let warnings = Mutex<[String]>([])

        func began(_ entry: ServeLogEntry) {}
        func ended(_ end: ServeLogEnd) {}
        func warned(_ text: String) { warnings.withLock { $0.append(text) } }
    }

    private static func config(_ rule: String) -> String {
        """
        [profiles.shop]
        url    = "https://shop.example"
        method = "token"
        verify = { get = "/me" }
        mcp    = "/mcp"
        serve  = { allow = ["\(rule)"], log = true }
        """
    }

    private func context(
        _ world: Dependencies, _ told: @escaping @Sendable (String) -> Void
    ) throws -> LoginContext {
        try LoginContext(world, LoginContext.Options(), Messages(note: { _ in }, warn: told))
    }

    @Test func `exec --serve says once which rules are for mcp, and logs it`() throws {
        let world = try TestWorld(config: Self.config("TOOL get_*")), log = Log()
        let login = world.run(
            ["login", "shop", "--password-command", "echo tok-1"],
            at: ScriptedTransport { request in
                .answer(request.headers.contains { $0.hasName("Authorization") } ? 200 : 401)
            })
        #expect(login.code == 0, "\(login.talk)")
        let told = Mutex<[String]>([])
        try world.withWorld { dependencies in
            let context = try context(dependencies) { text in told.withLock { $0.append(text) } }
            let profile = try context.profiles.profile(named: "shop")
            let provider = try SessionProvider(context, profile, LoginRequest())
            var limits = try ServeLimits(profile, ServeRuleSet(), command: "agent")
            limits.log = log
            _ = try SessionProxy(provider, try provider.enterUnverified(), limits: limits)
        }
        let expected = "warning: shop has rules for authctl mcp alone, which restrict nothing here: TOOL get_*;"
        #expect(told.withLock { $0.count { $0.hasPrefix(expected) } } == 1, "\(told.withLock { $0 })")
        #expect(log.warnings.withLock { $0.count { $0.hasPrefix(expected) } } == 1)
    }

    @Test func `mcp says once which rules are for exec --serve, and logs it`() throws {
        let world = try TestWorld(config: Self.config("GET,HEAD /**"))
        let told = Mutex<[String]>([])
        try world.withWorld { dependencies in
            let context = try context(dependencies) { text in told.withLock { $0.append(text) } }
            _ = try MCPReview(MCPOptions(), try context.profiles.profile(named: "shop"), context)
        }
        let expected = "warning: shop has rules for exec --serve alone, which restrict nothing here: GET,HEAD /**;"
        #expect(
            told.withLock { $0.count } == 1 && told.withLock { $0[0].hasPrefix(expected) }, "\(told.withLock { $0 })")
        #expect(try world.home.read("state/authctl/serve/shop.jsonl").contains("restrict nothing here: GET,HEAD"))
    }
}
