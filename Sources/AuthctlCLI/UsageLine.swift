/// The parser's line about the use of a command. With all options in it, it is longer than a terminal is wide.
enum UsageLine {
    /// - Parameter text: a page of the help, or a message with that line in it.
    /// - Returns: the same with `[<options>]` in the place of the options, behind the command's name.
    static func short(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.uppercased().hasPrefix("USAGE: ") ? shortLine(String(line)) : String(line)
        }.joined(separator: "\n")
    }

    private static func shortLine(_ line: String) -> String {
        let options = /\[-[^\]]*\] ?/
        guard line.contains(options) else { return line }
        let rest = line.replacing(options, with: "")
        let words = rest.split(separator: " "), name = words.prefix { !$0.contains(/[<\[.]/) }
        return (name + ["[<options>]"] + words.dropFirst(name.count)).joined(separator: " ")
    }
}
