import ArgumentParser
import Testing

@testable import AuthctlCLI

/// The examples in the help of every command.
struct HelpExampleTests {
    private static let withoutExamples: Set = [
        "help", "docker-credential", "read-back", "tasks", "exit-codes", "config", "environment",
    ]

    private static func pages() throws -> [(path: [String], examples: [String])] {
        try CommandTree.root().all.filter { !withoutExamples.contains($0.path.last ?? "") }.map { command in
            let lines = try TestWorld().run(command.path + ["--help"], server: []).output.split(separator: "\n")
            let examples = lines.drop { $0 != "Examples:" }.dropFirst().prefix { $0.hasPrefix("  ") }
            return (command.path, examples.map { $0.dropFirst(2).split(separator: "  #")[0].description })
        }
    }

    @Test func `every command has between one and four, in lines of 80 columns`() throws {
        for page in try Self.pages() {
            #expect((1...4).contains(page.examples.count), "\(page.path)")
            #expect(page.examples.allSatisfy { $0.count <= 78 }, "\(page.path)")
        }
    }

    @Test func `each is one of its command, as the parser takes it`() throws {
        for page in try Self.pages() where page.path != ["git-credential"] {
            for example in page.examples {
                #expect(Array(Self.words(example).prefix(page.path.count + 1)) == ["authctl"] + page.path, "\(example)")
                Self.expectParsed(example)
            }
        }
    }

    @Test func `the parser takes each command of help tasks`() {
        let lines = TasksHelpCommand.list.split(separator: "\n").filter { $0.hasPrefix("  ") }
        let commands = lines.flatMap { $0.dropFirst(2).split(separator: #/ +(?:\#|\||<|&&) /#) }.map {
            String($0).replacing("HEX", with: String(repeating: "0", count: 64))
        }.filter { $0.hasPrefix("authctl ") }
        #expect(commands.count > 20)
        for command in commands { Self.expectParsed(command) }
    }

    private static func expectParsed(_ example: String) {
        let arguments = Array(words(example).dropFirst())
        do {
            try ArgumentGuard.check(arguments)
            try CommandNames.check(arguments)
            let command = try Authctl.parseAsRoot(arguments)
            #expect(command is any EndingCommand || arguments[0] == "completion" || arguments[0] == "help")
        } catch {
            Issue.record("\(example): \(error)")
        }
    }

    /// As a shell has them, without what it redirects.
    private static func words(_ line: String) -> [String] {
        var words: [String] = [], word = "", quote: Character?, isOpen = false
        for character in line + " " {
            if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                (quote, isOpen) = (character, true)
            } else if quote == nil, character == " " {
                if isOpen || !word.isEmpty { words.append(word) }
                (word, isOpen) = ("", false)
            } else {
                word.append(character)
            }
        }
        return words.filter { !$0.hasPrefix(">") && !$0.hasPrefix("<") }
    }
}
