import Foundation

/// A block of README, the manual or the help that begins with a command: what a person copies, or types.
struct Example: Sendable, CustomStringConvertible {
    let page: String
    /// Its commands in order, each as it is typed: a logical line, or a script whose lines belong together.
    var commands: [String]

    var description: String { "\(page): \(commands.joined(separator: "; "))" }
}

/// Finds the examples where they stand. The Markdown in docs/manual is made of the pages, and compared with them by `make lint`.
enum ExampleText {
    /// Of Markdown: the blocks that are said to be for a shell.
    static func examples(ofMarkdown text: String, page: String) -> [Example] {
        var found: [Example] = [], block: (isShell: Bool, lines: [String])?
        for line in text.components(separatedBy: "\n") {
            if let open = block {
                if line.hasPrefix("```") {
                    if open.isShell { found.append(Example(page: page, commands: commands(open.lines))) }
                    block = nil
                } else {
                    block?.lines.append(line)
                }
            } else if line.hasPrefix("```") {
                block = (["```sh", "```console"].contains(line), [])
            }
        }
        return found
    }

    /// Of a page of the manual: its literal displays, and the lines of one item that are displayed by themselves.
    static func examples(ofManual text: String, page: String) -> [Example] {
        var found: [Example] = [], display: [String]?, lines: [String] = []
        func add(_ commands: [String]) {
            if !commands.isEmpty { found.append(Example(page: page, commands: commands)) }
        }
        for line in text.components(separatedBy: "\n") {
            if let open = display {
                if line == ".Ed" {
                    let isTyped = open.contains { $0.hasPrefix("$ ") }, script = open.joined(separator: "\n")
                    add(isTyped ? commands(open) : isData(script) ? [] : [script])
                    display = nil
                } else {
                    display?.append(plain(line))
                }
            } else if line.hasPrefix(".Bd -literal") {
                display = []
            } else if line.hasPrefix(".Dl ") {
                lines.append(plain(String(line.dropFirst(4))))
                continue
            }
            add(commands(lines))
            lines = []
        }
        return found
    }

    /// Of the help of a command: each of its examples stands alone.
    static func examples(ofHelp text: String, page: String) -> [Example] {
        let listed = text.components(separatedBy: "\n").drop { $0 != "Examples:" }.dropFirst().prefix { !$0.isEmpty }
        return listed.map { Example(page: page, commands: commands([$0.trimmingCharacters(in: .whitespaces)])) }
    }

    /// Of `help tasks`: what stands below a task, but the page about it.
    static func examples(ofTasks text: String) -> [Example] {
        text.components(separatedBy: "\n").split { !$0.hasPrefix("  ") || $0.hasPrefix("  → ") }
            .map { Example(page: "help tasks", commands: commands($0.map { String($0.dropFirst(2)) })) }
            .filter { !$0.commands.isEmpty }
    }

    /// Joins lines that go on below. Where a line begins with a prompt, the others are what is printed.
    private static func commands(_ lines: [String]) -> [String] {
        let isTyped = lines.contains { $0.hasPrefix("$ ") }
        var commands: [String] = []
        for line in lines {
            if let last = commands.last, [" \\", " |", " &&"].contains(where: last.hasSuffix) {
                commands[commands.count - 1] = last + "\n" + line
            } else if isTyped ? line.hasPrefix("$ ") : !isData(line) {
                commands.append(String(line.dropFirst(isTyped ? 2 : 0)))
            }
        }
        return commands
    }

    /// What goes into a file: TOML, JSON, YAML, a crontab, a Dockerfile, a unit; or what a server answers.
    private static func isData(_ text: String) -> Bool {
        text.isEmpty
            || text.prefixMatch(of: /[\w."-]+ += |\[+[\w."-]+\]+|[{"\/]|#[^!]|-? ?[\w-]+:(\s|$)|HTTP\/1.1/) != nil
            || text.prefixMatch(of: /\d+ \d+ \* \* \*|PATH=\S*\n|(FROM|RUN|ENV) |LoadCredential=|import\ /) != nil
    }

    private static func plain(_ line: String) -> String {
        [("\\(aq", "'"), ("\\(dq", "\""), ("\\&", ""), ("\\e", "\\")].reduce(line) { $0.replacing($1.0, with: $1.1) }
    }
}
