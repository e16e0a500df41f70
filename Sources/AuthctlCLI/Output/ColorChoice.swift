import LoginKit

/// `--color`: whether what is for people is coloured.
enum ColorChoice: String, CaseIterable {
    /// Colours on a terminal that has them, unless `NO_COLOR` is set.
    case auto
    /// In pipes, too.
    case always
    case never

    /// Before anything is parsed: what cannot be parsed is told in colours, too.
    init(_ arguments: [String]) {
        let words = arguments.prefix { $0 != "--" }
        let values = words.indices.compactMap { index in
            words[index] == "--color"
                ? words.dropFirst(index + 1).first
                : words[index].hasPrefix("--color=") ? String(words[index].dropFirst(8)) : nil
        }
        self = values.last.flatMap { ColorChoice(rawValue: $0) } ?? .auto
    }

    /// The look of one of the two streams. Each is judged for itself: often only one is a terminal.
    func look(of stream: Int32, in dependencies: Dependencies) -> TextLook {
        let isTerminal = dependencies.isTerminal(stream)
        guard isTerminal || self == .always else { return .plain }
        return TextLook(
            columns: isTerminal ? dependencies.columns(stream) : nil,
            hasColors: self == .always || self == .auto && dependencies.environment.hasColors,
            isUnicode: dependencies.isUnicode(), isSeen: true)
    }
}
