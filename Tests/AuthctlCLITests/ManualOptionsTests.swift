import Foundation
import Testing

@testable import AuthctlCLI

/// The options in the manual against those that the commands take, both ways.
struct ManualOptionsTests {
    /// What stands in authctl(1) alone, for all commands.
    private static let general: Set = [
        "profile", "username", "quiet", "verbose", "no-prompt", "color", "config", "timeout", "json", "help", "version",
    ]

    @Test func `authctl(1) tells of every general option`() throws {
        let described = try Self.options(of: Manual.page("authctl.1"))
        #expect(described == Self.general)
    }

    @Test(
        arguments: try CommandTree.root().children.map { $0.path[0] }.filter {
            !["help", "tasks", "exit-codes", "config", "environment"].contains($0)
        })
    func `the page of a command tells of its options and no others`(command: String) throws {
        let page = try Manual.page(Self.page(of: command))
        let tree = try #require(try CommandTree.root().children.first { $0.path == [command] })
        let real = tree.all.reduce(into: Set<String>()) { $0.formUnion($1.options) }
        let described = try Self.options(of: page)
        #expect(described.subtracting(real) == [], "described, but not there")
        #expect(real.subtracting(Self.general).subtracting(described) == [], "there, but not described")
    }

    @Test func `every command has a page`() throws {
        let commands = try CommandTree.root().children.map { $0.path[0] }.filter {
            !["help", "tasks", "exit-codes", "config", "environment"].contains($0)
        }
        #expect(try Set(Manual.commandPages().map(\.name)) == Set(commands.map(Self.page)))
    }

    /// docker runs its helper by a name of its own.
    private static func page(of command: String) -> String {
        command == DockerCredentialCommand.name ? "\(DockerCredentialCommand.program).1" : "authctl-\(command).1"
    }

    /// The long names in `.It Fl u , Fl -username Ar user` of the section OPTIONS.
    private static func options(of page: Manual.Page) throws -> Set<String> {
        let items = page.section("OPTIONS").filter { $0.hasPrefix(".It Fl ") }
        return Set(
            items.flatMap { $0.split(separator: " ") }.filter { $0.hasPrefix("-") }.map { String($0.dropFirst()) })
    }
}
