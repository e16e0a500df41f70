import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// Whatever a person is told to type, the parser takes.
struct AdviceTests {
    private static let origin = Origin(scheme: "https", host: "blog.example", port: 443)

    /// Of every kind of run that an error can end.
    private static let topics: [ErrorContext] = {
        var profile = ErrorContext(profile: "blog", origin: origin)
        profile.options = ["-u", "ann", "--config", "/c", "--timeout", "5"]
        var url = ErrorContext(origin: origin, url: "https://blog.example/me?a=b c")
        url.options = ["--name", "mine", "--store", "file", "--persist", "session", "--force", "--method", "basic"]
        var test = profile
        test.command = ["profile", "test"]
        test.options += ["--method", "basic", "--ttl", "5", "--max-attempts", "2", "--scope", "a b", "--allow-http"]
        var consent = profile
        (consent.asksForConsent, consent.options) = (true, ["--browser", "w3m", "--qr"])
        var inner = profile
        (inner.isWithinUnstoredExec, inner.namesAuthorities, inner.isForgeable) = (true, true, true)
        var environment = ErrorContext()
        (environment.environmentNamesURL, environment.ignoresVariables) = (true, true)
        return [profile, url, test, consent, inner, environment, ErrorContext(profile: SomeErrors.hostile)]
    }()

    @Test func `every command that an error advises parses`() {
        var known: Set<String> = []
        for (error, _) in SomeErrors.all {
            for topic in Self.topics {
                let message = error.message(about: topic)
                for command in ([message.what, message.next] + message.details).flatMap({ AdvisedCommand.all(in: $0) })
                {
                    guard known.insert(command.description).inserted, let fault = command.fault else { continue }
                    Issue.record("\(error): authctl \(command): \(fault)")
                }
            }
        }
    }

    /// Of options that stand outside of a command, the reader has to know that the command at hand has them.
    @Test func `an option that an error advises is one of every command, of its own command, or of none of ours`() {
        let ofOwnCommand: Set = ["-P", "--min-ttl", "--curl-config", "--serve", "--password-stdin", "--digest"]
        let everywhere = Set(["--timeout", "--config", "--color", "--quiet", "--verbose", "-q", "-v"])
        for (error, _) in SomeErrors.all {
            var next = error.message(about: Self.topics[0]).next
            for command in next.matches(of: /authctl [^;,)]*/).reversed() { next.removeSubrange(command.range) }
            let options = next.matches(of: /(?:^|[ (])(--[a-z-]+|-[A-Za-z](?![A-Za-z]))/).map { String($0.1) }
            #expect(Set(options).subtracting(everywhere).subtracting(ofOwnCommand) == [], "\(error): \(next)")
        }
    }

    @Test func `every command in our own sentences parses`() throws {
        var count = 0
        for file in try Self.files(below: "Sources", ending: ".swift")
        where !["Sources/DemoBackend", "Sources/AuthctlCLI/Completion"].contains(where: file.hasPrefix) {
            for text in try Self.literals(in: Manual.text(file)) {
                for command in AdvisedCommand.all(in: text) {
                    count += 1
                    if let fault = command.fault { Issue.record("\(file): authctl \(command): \(fault)") }
                }
            }
        }
        #expect(count > 60)
    }

    @Test func `every command in the manual, in README and on our screens parses`() throws {
        let pages = try Manual.pageNames().map { "man/\($0)" }
        let screens = try Self.files(below: "Tests/AuthctlCLITests/Snapshots", ending: ".txt").filter {
            // Lines of these are broken where the terminal ends, or are code, which the test above reads.
            !$0.contains("look-") && !$0.contains("thrown-")
        }
        for file in pages + screens + ["README.md"] {
            var text = try Manual.text(file).replacing(#/ *\\e?\n */#, with: " ")
            text = text.replacing("\\(dq", with: "\"").replacing("\\(aq", with: "'").replacing("\\[u2026]", with: "…")
            if file.contains("/json-") { text = text.replacing("\"", with: "\n") }
            let isRoff = file.hasPrefix("man/")
            // In roff only what is printed as it is.
            let lines = isRoff ? Self.displays(in: text) : text
            for command in AdvisedCommand.all(in: lines) {
                if let fault = command.fault { Issue.record("\(file): authctl \(command): \(fault)") }
            }
        }
    }

    private static func files(below folder: String, ending: String) throws -> [String] {
        let names = FileManager.default.enumerator(atPath: "\(Repository.path)/\(folder)")
        return (names?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(ending) }.map { "\(folder)/\($0)" }
            .sorted()
    }

    private static func displays(in page: String) -> String {
        var isDisplay = false, found: [String] = []
        for line in page.split(separator: "\n") {
            if line.hasPrefix(".Bd -literal") { isDisplay = true }
            if line == ".Ed" { isDisplay = false }
            if isDisplay || line.hasPrefix(".Dl ") { found.append(String(line)) }
        }
        return found.joined(separator: "\n")
    }

    /// The text of a source file without its comments, each value in it a name, and what is built of words joined.
    private static func literals(in source: String) -> [String] {
        let code = source.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(
            separator: "\n"
        )
        .replacing(/\\\n +/, with: "")
        let built = code.matches(of: /ShellCommand\(("authctl"(?:, [^()\[\]]+(?:\([^()]*\))?)*)\)/).map { match in
            match.1.split(separator: ", ").map { word in
                word.hasPrefix("\"") ? String(word.dropFirst().dropLast()) : word == "url" ? "https://HOST/x" : "NAME"
            }.joined(separator: " ")
        }
        // The command at hand, as an advice names it: `\(.login("--force"))`.
        let logins = code.matches(of: /\\\(\.login\(([^()]*)\)\)/).map { match in
            "authctl login NAME " + match.1.replacing("\"", with: "").replacing(",", with: "")
        }
        let lines = code.split(separator: "\n").filter { $0.contains("authctl ") && !$0.contains("ShellCommand(") }
        return built + logins
            + lines.flatMap { line in
                let text = withoutValues(String(line)).replacing("\\\"", with: "'")
                let parts = text.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
                // A line of a longer literal has no quote of its own.
                return parts.count == 1 ? parts : parts.indices.filter { $0 % 2 == 1 }.map { parts[$0] }
            }
    }

    private static func withoutValues(_ line: String) -> String {
        var text = "", depth = 0, last: Character = " "
        for character in line {
            if depth == 0, last == "\\", character == "(" {
                text.removeLast()
                text += "NAME"
                depth = 1
            } else if depth > 0 {
                depth += character == "(" ? 1 : character == ")" ? -1 : 0
            } else {
                text.append(character)
            }
            last = character
        }
        return text
    }
}
