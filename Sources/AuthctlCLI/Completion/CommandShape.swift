import ArgumentParser
import FoundationEssentials

/// A command with its options, arguments and subcommands, as the argument parser tells of itself.
struct CommandShape: Decodable {
    let commandName: String
    let abstract: String?
    /// Other names of it, which are not offered.
    let aliases: [String]?
    let shouldDisplay: Bool
    let subcommands: [CommandShape]?
    let arguments: [Argument]?

    struct Argument: Decodable {
        let kind: Kind
        let names: [Name]?
        let valueName: String?
        let abstract: String?
        let isRepeating: Bool
        let shouldDisplay: Bool
        let completionKind: Completion?
    }

    enum Kind: String, Decodable {
        case positional, option, flag
    }

    struct Name: Decodable {
        let kind: String
        let name: String

        /// As it is typed.
        var text: String { kind == "long" ? "--\(name)" : "-\(name)" }
    }

    /// The kind of a value, known without opening any file.
    struct Completion: Decodable {
        /// `values`, and the choices.
        let list: [String: [String]]?
        let file: [String: [String]]?
    }

    private struct Tool: Decodable {
        let command: CommandShape
    }

    func isNamed(_ word: String) -> Bool { commandName == word || aliases?.contains(word) == true }

    /// The whole tree, read from the parser's own description.
    /// - Returns: `nil` if the parser describes itself in another way than it did.
    static func root() -> CommandShape? {
        let text = Authctl._dumpHelp()
        return try? JSONDecoder().decode(Tool.self, from: Data(text.utf8)).command
    }

    /// The commands below that a person is shown.
    var shown: [CommandShape] { (subcommands ?? []).filter(\.shouldDisplay) }

    /// With those that the help leaves to another page.
    var options: [Argument] { (arguments ?? []).filter { $0.kind != .positional } }

    var positionals: [Argument] { (arguments ?? []).filter { $0.kind == .positional } }
}

extension CommandShape.Argument {
    /// The key of an argument: the long name of an option, else the name of its value.
    var key: String { names?.first { $0.kind == "long" }?.name ?? valueName ?? "" }

    func isNamed(_ text: String) -> Bool { names?.contains { $0.text == text } ?? false }
}
