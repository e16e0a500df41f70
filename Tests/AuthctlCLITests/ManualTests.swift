import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// The manual is written by hand, so the tests hold it against the program.
struct ManualTests {
    @Test func `authctl(1) lists every exit code under its number and name`() throws {
        let listed = try Manual.page("authctl.1").section("EXIT STATUS").compactMap(Self.code)
        #expect(listed == ExitCode.allCases.map { Code(number: $0.rawValue, name: $0.name) })
    }

    @Test func `the README names exit codes by their numbers and names`() throws {
        let named = try Manual.text("README.md").matches(of: /`([0-9]+)` ([a-z-]+)/).compactMap { match -> Code? in
            guard let number = Int32(match.1) else { return nil }
            return Code(number: number, name: String(match.2))
        }
        let codes = ExitCode.allCases.map { Code(number: $0.rawValue, name: $0.name) }
        #expect(!named.isEmpty && named.allSatisfy { codes.contains($0) })
    }

    @Test func `EXAMPLES come after DESCRIPTION in every page, in authctl(1) after TASKS`() throws {
        for name in try Manual.pageNames() {
            let titles = try Manual.page(name).lines.filter { $0.hasPrefix(".Sh ") }.map { $0.dropFirst(4) }
            let before = try #require(titles.firstIndex(of: name == "authctl.1" ? "TASKS" : "DESCRIPTION"))
            #expect(titles[before + 1] == "EXAMPLES", "\(name)")
        }
    }

    @Test func `authctl(1) lists every task of help tasks, with the same command, page and section`() throws {
        var tasks: [String] = [], section = ""
        for line in try Manual.page("authctl.1").section("TASKS") {
            let text = String(line.dropFirst(4)).replacing("\\(dq", with: "\"").replacing("\\(aq", with: "'")
                .replacing("\\&", with: "")
            switch line.prefix(4) {
            case ".Ss ": tasks.append(text.uppercased())
            case ".It ": tasks.append(text)
            case ".Dl ": tasks.append("  " + text)
            case ".Sx " where text.hasSuffix(" ."): tasks.append("  → man authctl, \(text.dropLast(2))")
            case ".Sx ": section = text
            case ".Xr ": tasks.append("  → man \(text.prefix { $0 != " " }), \(section)")
            default: break
            }
        }
        // Two lines about the list go first.
        #expect(TasksHelpCommand.list.split(separator: "\n").dropFirst(2).map(String.init) == tasks)
        #expect(tasks.count { !$0.hasPrefix("  ") && $0 != $0.uppercased() } == 66)
    }

    @Test func `authctl(1) lists every variable of help environment, in the same words`() throws {
        var items: [(names: String, text: String)] = []
        for line in try Manual.page("authctl.1").section("ENVIRONMENT").prefix(while: { $0 != ".El" }) {
            if line.hasPrefix(".It Ev ") {
                items.append((String(line.dropFirst(7)).replacing(" ,", with: ","), ""))
            } else if !items.isEmpty {
                items[items.count - 1].text += Self.plain(line) + " "
            }
        }
        let known = Self.variables(in: EnvironmentHelpCommand.table)
        #expect(items.map(\.names) == known.map(\.names))
        for (item, variables) in zip(items, known) {
            #expect(
                item.text.replacing(" ;", with: ";").replacing(" .", with: ".").replacing(" ,", with: ",").hasPrefix(
                    variables.meaning), "\(item)")
        }
    }

    /// The names of the help page stand at a margin of two, what they mean at one of six.
    private static func variables(in page: String) -> [(names: String, meaning: String)] {
        var variables: [(names: [String], meaning: [String])] = []
        for line in page.split(separator: "\n") where line.hasPrefix("  ") {
            let text = String(line.drop { $0 == " " })
            if line.hasPrefix("      ") {
                variables[variables.count - 1].meaning.append(text)
            } else if let last = variables.last, last.meaning.isEmpty {
                variables[variables.count - 1].names.append(text)
            } else {
                variables.append(([text], []))
            }
        }
        return variables.map { ($0.names.joined(separator: " "), $0.meaning.joined(separator: " ")) }
    }

    /// A line of mdoc as it is printed.
    private static func plain(_ line: String) -> String {
        guard line.hasPrefix(".") else { return line }
        let words = line.dropFirst().split(separator: " ").map(String.init),
            rest = words.dropFirst().filter { $0 != "Cm" }
        switch words[0] {
        case "Fl":
            return rest.map { $0.first?.isLetter == true || $0.hasPrefix("-") ? "-\($0)" : $0 }.joined(separator: " ")
        case "Nm": return (["authctl"] + rest).joined(separator: " ")
        case "Xr": return "\(rest[0])(\(rest[1]))" + rest.dropFirst(2).joined()
        default: return rest.joined(separator: " ")
        }
    }

    @Test func `every page of a command points to authctl(1) and tells its exit status`() throws {
        for page in try Manual.commandPages() {
            #expect(!page.section("EXIT STATUS").isEmpty, "\(page.name)")
            #expect(page.lines.contains { $0.hasPrefix(".Xr authctl 1") }, "\(page.name)")
        }
    }

    @Test func `authctl(1) refers to every other page`() throws {
        let references = try Set(Manual.page("authctl.1").section("SEE ALSO").compactMap(Self.reference))
        let others = try Set(Manual.pageNames().filter { $0 != "authctl.1" })
        #expect(references == others)
    }

    @Test func `COMMANDS of authctl(1) lists every page of a command`() throws {
        let items = try Manual.page("authctl.1").section("COMMANDS").filter { $0.hasPrefix(".It Xr ") }
        #expect(try Set(items.compactMap(Self.reference)) == Set(Manual.commandPages().map(\.name)))
    }

    @Test func `every page that is referred to is there`() throws {
        let names = try Set(Manual.pageNames())
        for name in names {
            let ours = try Manual.page(name).lines.compactMap(Self.reference).filter { $0.contains("authctl") }
            #expect(Set(ours).subtracting(names).isEmpty, "\(name)")
        }
    }

    @Test func `what is to be copied fits into 80 columns`() throws {
        // Both margins, of the section and of the display.
        let room = 80 - 5 - 6
        for name in try Manual.pageNames() {
            var isDisplay = false
            for line in try Manual.page(name).lines {
                if line.hasPrefix(".Bd -literal") { isDisplay = true }
                if line == ".Ed" { isDisplay = false }
                let shown = line.replacing(/\\\[u[0-9A-F]+\]|\\\(..|\\e/, with: "?")
                #expect(!isDisplay || shown.count <= room, "\(name): \(line)")
            }
        }
    }

    private struct Code: Equatable {
        let number: Int32
        let name: String
    }

    /// `.It 3 rejected`
    private static func code(_ line: String) -> Code? {
        let words = line.split(separator: " ")
        guard words.count == 3, words[0] == ".It", let number = Int32(words[1]) else { return nil }
        return Code(number: number, name: String(words[2]))
    }

    /// `.Xr authctl-login 1 ,` or `.It Xr authctl-login 1`, as the name of the page's file.
    private static func reference(_ line: String) -> String? {
        var words = line.split(separator: " ").map(String.init)
        if words.first == ".It" { words.removeFirst() }
        guard words.count >= 3, [".Xr", "Xr"].contains(words[0]) else { return nil }
        return "\(words[1]).\(words[2])"
    }
}

/// The pages in `man/`, as they stand in the source.
enum Manual {
    struct Page {
        let name: String
        let lines: [String]

        /// The lines from `.Sh TITLE` to the next section.
        func section(_ title: String) -> [String] {
            let after = lines.drop { $0 != ".Sh \(title)" }.dropFirst()
            return Array(after.prefix { !$0.hasPrefix(".Sh ") })
        }
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOfFile: "\(Repository.path)/\(path)", encoding: .utf8)
    }

    static func page(_ name: String) throws -> Page {
        let lines = try text("man/\(name)").split(separator: "\n", omittingEmptySubsequences: false)
        return Page(name: name, lines: lines.map(String.init))
    }

    static func pageNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Repository.path + "/man").sorted()
    }

    /// The pages of single commands, such as `authctl-login.1`; authctl-demo is another program.
    static func commandPages() throws -> [Page] {
        try pageNames().filter { $0.hasSuffix(".1") && !["authctl.1", "authctl-demo.1"].contains($0) }.map(page)
    }
}
