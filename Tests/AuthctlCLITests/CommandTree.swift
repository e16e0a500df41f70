import ArgumentParser
@testable import LoginKit

@testable import AuthctlCLI

/// The commands and their options, as the argument parser has them.
struct CommandTree {
    /// Such as `profile list`; empty for the root.
    let path: [String]
    /// Long names, such as `force`.
    let options: Set<String>
    let children: [CommandTree]

    static func root() throws -> CommandTree { try dumped.get() }

    private static let dumped = Result {
        do {
            _ = try Authctl.parseAsRoot(["--experimental-dump-help"])
        } catch {
            let dump = Authctl.fullMessage(for: error)
            let value = try Array(dump.utf8).withUnsafeBytes { try JSONReader.read($0, mostValues: $0.count) }
            if let command = JSONPointer("/command").flatMap({ value[$0] }) { return CommandTree(command, under: []) }
        }
        return CommandTree(path: [], options: [], children: [])
    }

    private init(path: [String], options: Set<String>, children: [CommandTree]) {
        self.path = path
        self.options = options
        self.children = children
    }

    private init(_ command: JSONValue, under parent: [String]) {
        let name = Self.text(command, "/commandName")
        let path = name == "authctl" ? [] : parent + [name]
        self.path = path
        options = Set(
            Self.list(command, "/arguments").flatMap { Self.list($0, "/names") }
                .filter { Self.text($0, "/kind") == "long" }.map { Self.text($0, "/name") })
        children = Self.list(command, "/subcommands").map { CommandTree($0, under: path) }
    }

    /// This one and all below.
    var all: [CommandTree] { [self] + children.flatMap(\.all) }

    private static func list(_ value: JSONValue, _ pointer: String) -> [JSONValue] {
        guard let found = JSONPointer(pointer).flatMap({ value[$0] }), case .array(let elements) = found else {
            return []
        }
        return elements
    }

    private static func text(_ value: JSONValue, _ pointer: String) -> String {
        JSONPointer(pointer).flatMap { value[$0]?.text } ?? ""
    }
}
