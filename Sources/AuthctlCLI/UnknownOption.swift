import LoginCore
import LoginKit

/// An option that the command does not have. The parser names the nearest one, however far that is.
struct UnknownOption {
    private let option: String
    private let command: CommandShape
    /// Such as `profile list`.
    private let path: [String]
    private let root: CommandShape

    /// More commands than these are not listed.
    private static let mostCommands = 6

    /// - Parameters:
    ///   - message: the parser's; nothing comes of one that is about something else.
    ///   - arguments: without the program's own name.
    init?(_ message: String, in arguments: [String]) {
        guard let match = message.firstMatch(of: /^Unknown option '([^'=]+)'/), let root = CommandShape.root() else {
            return nil
        }
        option = String(match.1)
        self.root = root
        (command, path) = root.command(of: arguments)
    }

    /// Names the commands that have the option, else the nearest option of this one.
    var words: String {
        let shown = "'\(SafeText.escaped(option, limit: 40))'"
        let having = root.paths { $0.options.contains { $0.isNamed(option) } }
        if !path.isEmpty, !having.isEmpty {
            let others =
                having.count > Self.mostCommands ? "other commands have it" : Self.having(having)
            return "'\(path.joined(separator: " "))' has no option \(shown); \(others)"
        }
        let known = command.options.flatMap { $0.names ?? [] }.map(\.text).filter { $0.hasPrefix("--") }
        let near = (known.nearest(to: option).first ?? beginning(in: known)).map { "; did you mean '\($0)'?" } ?? ""
        return "unknown option \(shown)\(near)"
    }

    /// The option whose words but for the last one are nearly these, such as `--password-stdin` for `--pasword`.
    private func beginning(in known: [String]) -> String? {
        known.first { name in
            let words = name.split(separator: "-")
            return words.count > 1 && !["--" + words.dropLast().joined(separator: "-")].nearest(to: option).isEmpty
        }
    }

    private static func having(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return "\(names.joined()) has it" }
        return "\(names.dropLast().joined(separator: ", ")) and \(last) have it"
    }
}

extension CommandShape {
    /// The command that the first words name, and those words; this one for none.
    func command(of arguments: [String]) -> (command: CommandShape, path: [String]) {
        var command = self, path: [String] = []
        for word in arguments {
            guard let next = command.subcommands?.first(where: { $0.isNamed(word) }) else { break }
            command = next
            path.append(next.commandName)
        }
        return (command, path)
    }

    /// The names of the commands below for which this holds, such as `profile test`.
    fileprivate func paths(where holds: (CommandShape) -> Bool) -> [String] {
        shown.flatMap { child in
            (holds(child) ? [child.commandName] : []) + child.paths(where: holds).map { "\(child.commandName) \($0)" }
        }
    }
}
