import ArgumentParser
@testable import LoginKit
import Synchronization

@testable import AuthctlCLI

/// A command that a text tells somebody to type, with what its placeholders stand for.
struct AdvisedCommand: CustomStringConvertible {
    /// Without the program's name.
    let arguments: [String]

    var description: String { arguments.joined(separator: " ") }

    private static let names = Set(Authctl.configuration.subcommands.map { $0._commandName } + ["help"])
    private static let digits = String(repeating: "ab", count: 32)
    private static let placeholders = [
        "METHOD": "basic", "STORE": "file", "SECONDS": "60", "URL": "https://HOST/x", "MODE": "get", "...": "", "…": "",
    ]

    /// Those in a sentence or in lines to be copied: what follows the program's name, up to where the punctuation ends it.
    static func all(in text: String) -> [AdvisedCommand] {
        var found: [AdvisedCommand] = [], rest = text[...]
        while let range = rest.firstRange(of: "authctl ") {
            let before = text[..<range.lowerBound]
            rest = text[range.upperBound...]
            guard before.last.map({ " \n('`\"!$@|".contains($0) }) ?? true else { continue }
            let words = words(rest, in: before.last)
            // "another authctl has …" is a sentence; whatever a colon or a bracket leads to is a command.
            let isLedTo = ["(", "`", ":", "$"].contains(before.last { $0 != " " })
            guard let first = words.first, first != "NAME", words != ["help", "NAME"],
                names.contains(first) || first.hasPrefix("-") || isLedTo
            else { continue }
            // git adds what it wants to do.
            let isGits = first == "git-credential" && !words.dropFirst().contains { !$0.hasPrefix("-") && $0 != "work" }
            found.append(AdvisedCommand(arguments: words + (isGits ? ["get"] : [])))
        }
        return found
    }

    /// What the parser has against each command, since many texts advise the same and a debug build takes a tenth of a second to parse one.
    private static let faults = Mutex<[[String]: String?]>([:])

    /// What the parser has against it.
    var fault: String? {
        if let known = Self.faults.withLock({ $0[arguments] }) { return known }
        let fault = foundFault
        Self.faults.withLock { $0[arguments] = .some(fault) }
        return fault
    }

    private var foundFault: String? {
        // The name of a command, in a sentence about it.
        if arguments.allSatisfy({ $0.allSatisfy { $0.isLetter || $0 == "-" } && !$0.hasPrefix("-") }), isName {
            return nil
        }
        do {
            try ArgumentGuard.check(arguments)
            try CommandNames.check(arguments)
            try ExecCommand.checkTerminator(arguments)
            let command = try CommandNames.parsed(arguments) ?? Authctl.parseAsRoot(arguments)
            let isHelp = arguments.contains("--help") || ["completion", "help"].contains(arguments[0])
            return command is any EndingCommand || isHelp ? nil : "no command"
        } catch let error as LoginFault {
            return error.message().what
        } catch {
            return Authctl.exitCode(for: error).isSuccess ? nil : Authctl.message(for: error)
        }
    }

    private var isName: Bool {
        var commands = Authctl.configuration.subcommands
        for word in arguments {
            guard let command = commands.first(where: { CommandNames.goes($0, by: word) }) else {
                return word == "help"
            }
            commands = command.configuration.subcommands
        }
        return true
    }

    /// The words as a shell has them.
    /// - Parameter opening: what stands before the command; a quote or a bracket ends it as well.
    private static func words(_ text: Substring, in opening: Character?) -> [String] {
        var words: [String] = [], word = "", quote: Character?, wasQuoted = false
        let end: Character? =
            opening == "(" ? ")" : opening == "!" ? "'" : opening.flatMap { "'`\"".contains($0) ? $0 : nil }
        func finish() {
            if wasQuoted || !word.isEmpty { words.append(word) }
            (word, wasQuoted) = ("", false)
        }
        scan: for character in text {
            if character == quote {
                quote = nil
            } else if quote != nil {
                word.append(character)
            } else if character == end || "\n;)`|<>&#→".contains(character) {
                // The descriptor of a redirection.
                if character == ">", Int(word) != nil { word = "" }
                break scan
            } else if character == "\"", !word.isEmpty {
                // It ends the text in which the command stands.
                break scan
            } else if character == "'" || character == "\"" {
                (quote, wasQuoted) = (character, true)
            } else if character == " ", word.isEmpty, !wasQuoted, !words.isEmpty {
                // A column of its own.
                break scan
            } else if character == " " {
                let isLast = word.last.map { ",.:".contains($0) } ?? false
                if isLast, word != "..." { break scan }
                finish()
            } else {
                word.append(character)
            }
        }
        let isSentence = word.last.map { ",.:".contains($0) } ?? false
        if isSentence, word != "...", word != "." { word.removeLast() }
        finish()
        if let option = words.firstIndex(of: "--sha256"), option + 1 < words.count { words[option + 1] = digits }
        return words.compactMap(value).filter { !$0.isEmpty }
    }

    private static func value(_ word: String) -> String? {
        if word.hasPrefix("[") { return nil }
        if word.hasPrefix("sha256:") { return "sha256:" + digits }
        return placeholders[word] ?? word
    }
}
