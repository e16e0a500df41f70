@testable import LoginKit
import Testing

@testable import AuthctlCLI

/// authctl-config(5) against the readers of the configuration.
struct ConfigManualTests {
    @Test(arguments: [
        ProfileDecoder.keys, RequestDecoder.requestKeys, RequestDecoder.answerKeys, RequestDecoder.stepKeys,
        RequestDecoder.takingKeys, SessionDecoder.keys, SessionDecoder.csrfKeys, OAuthDecoder.keys,
        OAuthDecoder.endpointKeys, ServeDecoder.keys,
    ])
    func `every key is described`(keys: [String]) throws {
        let described = try Set(Self.page().section("KEYS").flatMap(Self.keys))
        #expect(Set(keys).subtracting(described).isEmpty)
    }

    @Test func `every example is read as written`() throws {
        var names: Set<String> = []
        for example in try Self.examples() {
            guard case .table(let members) = try ConfigValue.parse(example, file: "example") else { continue }
            let top = StrictTable(members, file: "example", path: "")
            guard let profiles = try top.table("profiles") else { continue }
            for name in profiles.keys {
                let table = try #require(try profiles.table(name))
                _ = try ProfileDecoder(folder: "/", home: nil).profile(named: name, table)
                names.insert(name)
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
