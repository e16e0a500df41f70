import ArgumentParser
@testable import LoginKit
import Testing

@testable import AuthctlCLI

/// authctl-config(5) against the readers of the configuration.
struct ConfigManualTests {
    @Test(arguments: [
        ProfileKeys.request.map(\.name), ProfileKeys.session.map(\.name), ProfileKeys.csrf.map(\.name),
        ProfileKeys.oauth.map(\.name), ProfileKeys.serve.map(\.name),
    ])
    func `every key is described`(keys: [String]) throws {
        let described = try Set(Self.page().section("KEYS").flatMap(Self.keys))
        #expect(Set(keys).subtracting(described).isEmpty)
    }

    @Test(arguments: [
        ("Keys at the top", ProfileKeys.top.map(\.name)), ("Keys of a profile", ProfileKeys.profile.map(\.name)),
    ])
    func `a list has the keys that there are, and no others`(title: String, keys: [String]) throws {
        let list = try Self.page().section("KEYS").drop { $0 != ".Ss \(title)" }.dropFirst()
        let methods = Set(AuthenticationMethod.allCases.map(\.rawValue)).subtracting(keys)
        #expect(Set(list.prefix { !$0.hasPrefix(".Ss ") }.flatMap(Self.keys)).subtracting(methods) == Set(keys))
    }

    @Test func `what the manual calls a risk is one`() throws {
        let lines = try Self.page().section("SECURITY CONSIDERATIONS").filter { $0.hasPrefix(".Pq Li ") }
        let named = lines.flatMap { $0.dropFirst(7).split(separator: " ").map(String.init) }.filter { $0.count > 1 }
        let risky = ProfileKeys.profile.filter { $0.risks != nil }.map(\.name)
        #expect(named.count == 6 && Set(named).isSubset(of: risky))
    }

    @Test func `authctl-profile(1) calls every store that protects nothing a risk`() throws {
        let line = try #require(
            Manual.page("authctl-profile.1").lines.first { $0.hasPrefix(".Pq Li password-command ,") })
        let named = line.split(separator: " ").map(String.init)
        #expect(StoreName.builtIn.filter(\.isPlain).allSatisfy { named.contains($0.description) })
    }

    /// Whoever adds a key decides here whether it is one.
    @Test func `every other key can be taken from somebody else unseen`() {
        let harmless = ProfileKeys.profile.filter { $0.risks == nil }.map(\.name)
        #expect(
            harmless == [
                "url", "method", "verify", "mcp", "graphql", "logged-out", "forbidden", "refresh", "logout", "session",
                "login",
                "user", "signup", "anonymous", "timeout", "user-agent", "keep-password", "persist",
            ])
    }

    @Test func `help config names keys that there are`() throws {
        let paragraphs = ConfigHelpCommand.configuration.discussion.split(separator: "\n\n")
        // A line that goes on with the one before begins with a blank.
        let list = try #require(paragraphs.first { $0.hasPrefix("url ") }).split(separator: "\n").filter {
            !$0.hasPrefix(" ")
        }
        let named =
            list.prefix(6).map { $0.prefix { $0 != " " } } + list.dropFirst(6).flatMap { $0.split(separator: " ") }
        #expect(named.count > 15 && Set(named.map(String.init)).isSubset(of: ProfileKeys.profile.map(\.name)))
    }

    @Test func `help config names every method`() throws {
        let lines = ConfigHelpCommand.configuration.discussion.split(separator: "\n")
        let list = lines.drop { !$0.hasPrefix("method ") }.prefix { !$0.hasPrefix("login ") }.joined(separator: " ")
        let named = list.matches(of: /[a-z]+/).dropFirst().map { String($0.output) }.filter { $0 != "default" }
        #expect(named == AuthenticationMethod.allCases.map(\.rawValue))
    }

    @Test func `every example is read as written`() throws {
        var names: Set<String> = []
        for example in try Self.examples() {
            guard case .table(let members) = try ConfigValue.parse(example, file: "example") else { continue }
            let top = StrictTable(members, file: "example", path: "")
            for entry in try top["profiles"]?.inner().entries ?? [] {
                _ = try ProfileDecoder(folder: "/", home: nil).profile(named: entry.key, entry.inner())
                names.insert(entry.key)
            }
        }
        #expect(
            names == [
                "wire", "archive", "intranet", "blog", "posts", "notes", "screencast", "forge", "admin", "chat",
                "index", "shop", "site", "pages", "tv", "torrents", "wiki", "robot", "ledger",
            ])
    }

    private static func page() throws -> Manual.Page { try Manual.page("authctl-config.5") }

    /// The keys of `.It Li get , post , send`.
    private static func keys(_ line: String) -> [String] {
        guard line.hasPrefix(".It Li ") else { return [] }
        return line.dropFirst(7).split(separator: " ").map(String.init).filter { $0 != "," }
    }

    /// The literal displays among the examples.
    private static func examples() throws -> [String] {
        try page().section("EXAMPLES").split { $0.hasPrefix(".Bd -literal") }.dropFirst().map { display in
            display.prefix { $0 != ".Ed" }.joined(separator: "\n")
        }
    }
}
