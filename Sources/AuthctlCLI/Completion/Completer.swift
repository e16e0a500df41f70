import LoginCore
import LoginKit

/// `authctl complete -- WORDS`, which the completion scripts run: what may stand at the end of the last word.
///
/// Its answer is a line with what is wanted, and behind `words` a line for each choice: the whole word, and after a tab what it
/// is. The scripts do the rest, each by its shell's own rules of quoting.
struct Completer {
    /// The word that it goes by; no command of the parser's, so that nothing else has to know of it.
    static let name = "complete"

    let dependencies: Dependencies
    let streams: Streams

    func answer(_ arguments: [String]) throws(LoginFault) {
        let words = Array(arguments.drop { $0 != "--" }.dropFirst())
        guard let root = CommandShape.root() else { return }
        try streams.result(answer(to: CommandLinePlace(words, in: root)))
    }

    private func answer(to place: CommandLinePlace) -> String {
        switch place.wanted {
        case .nothing: return "words"
        case .program: return "command"
        case .command(let among): return list(among.map { ($0.commandName, $0.abstract) })
        case .topic(let among): return list(topics(among, isTop: place.command.count == 1))
        case .option(let among):
            return list(
                among.flatMap { option in (option.names ?? []).map { ($0.text, option.abstract) } }
                    .filter { $0.0.hasPrefix("--") })
        case .value(let argument) where argument.completionKind?.file != nil: return "files"
        case .value(let argument):
            let values = CompletionSources(dependencies: dependencies, place: place).values(of: argument)
            return list(values.map { (place.prefix + $0, nil) })
        }
    }

    private func topics(_ commands: [CommandShape], isTop: Bool) -> [(String, String?)] {
        let names = isTop ? HelpTopics.names : []
        return commands.filter { $0.shouldDisplay && $0.commandName != "help" || names.contains($0.commandName) }
            .map { ($0.commandName, $0.abstract) }
    }

    /// Leaves out values with line breaks or escape sequences.
    private func list(_ choices: [(text: String, meaning: String?)]) -> String {
        let safe = choices.filter { SafeText.escaped($0.text, limit: .max) == $0.text }
        return (["words"] + safe.map { choice in choice.meaning.map { "\(choice.text)\t\($0)" } ?? choice.text })
            .joined(separator: "\n")
    }
}
