import ArgumentParser
import LoginKit

/// The words that a command line begins with. The parser's own message counts arguments that it does not repeat.
enum CommandNames {
    /// - Throws: `usage` for a first word that is no command, with the nearest one.
    static func check(_ arguments: [String]) throws(LoginFault) {
        guard let word = arguments.first else { return }
        if word.hasPrefix("-") { return try checkOrder(arguments) }
        if word == "help" { return try HelpTopics.check(arguments.dropFirst()) }
        try check(word, among: Authctl.configuration.subcommands, of: "", before: arguments.dropFirst().first)
        for group in Authctl.configuration.subcommands where group._commandName == word {
            guard arguments.count > 1, !arguments[1].hasPrefix("-") else { return }
            let inner = group.configuration.subcommands
            if !inner.isEmpty { try check(arguments[1], among: inner, of: "\(word) ") }
        }
    }

    /// As with git and docker, somebody writes `authctl --config FILE login`.
    private static func checkOrder(_ arguments: [String]) throws(LoginFault) {
        guard !["--version", "--help", "-h"].contains(arguments[0]),
            let command = arguments.first(where: { word in
                Authctl.configuration.subcommands.contains { goes($0, by: word) }
            })
        else { return }
        throw .usage("options stand after the command: authctl \(command) [<options>]")
    }

    /// The command that the first words name, without the tree of all commands around it: that tree is put together at every
    /// start, and costs a tenth of it.
    /// - Returns: `nil` if the line does not begin with a command, or does not parse; the whole tree then says why.
    static func parsed(_ arguments: [String]) -> (any ParsableCommand)? {
        guard !mayAskForHelp(arguments) else { return nil }
        var commands = Authctl.configuration.subcommands, rest = arguments[...]
        while let word = rest.first, let command = commands.first(where: { goes($0, by: word) }) {
            rest = rest.dropFirst()
            commands = command.configuration.subcommands
            guard commands.isEmpty else { continue }
            let parsed = $parsesAlone.withValue(true) { try? command.parseAsRoot(Array(rest)) }
            return parsed.flatMap { type(of: $0) == command ? $0 : nil }
        }
        return nil
    }

    /// Whether a command is parsed without the tree around it. It then knows no options for help: to put together their names,
    /// the parser reflects on a value, which looks eleven times through all conformances of the program.
    @TaskLocal static var parsesAlone = false

    /// Whether an option may be one of those for help. Some of these lines ask for none; the whole tree knows.
    private static func mayAskForHelp(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains {
            $0.hasPrefix("--help") || ($0.hasPrefix("-") && !$0.hasPrefix("--") && $0.utf8.contains(UInt8(ascii: "h")))
        }
    }

    /// Whether it is the command's name, or another one for it.
    static func goes(_ command: any ParsableCommand.Type, by word: String) -> Bool {
        // Put together anew by each look at it.
        let configuration = command.configuration
        return configuration.commandName == word || configuration.aliases.contains(word)
    }

    /// - Parameter next: the word behind, which is meant where others have groups: `auth login`.
    private static func check(
        _ word: String, among commands: [any ParsableCommand.Type], of group: String, before next: String? = nil
    ) throws(LoginFault) {
        if commands.contains(where: { goes($0, by: word) }) { return }
        let shown = commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        let meant =
            word == "version" && group.isEmpty
            ? "--version" : shown.nearest(to: word).first ?? next.flatMap { shown.contains($0) ? $0 : nil }
        let hint = meant.map { "did you mean '\(group)\($0)'?" }
        let known = "the commands are: \(shown.map { group + $0 }.joined(separator: ", "))"
        throw .usage("unknown command \(SafeText.quoted(group + word, limit: 40)); \(hint ?? known)")
    }
}
