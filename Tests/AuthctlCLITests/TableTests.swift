@testable import LoginKit
import Testing

@testable import AuthctlCLI

/// Lists for people, at every width.
struct TableTests {
    private static let wide = TextLook(columns: nil, hasColors: false, isUnicode: true, isSeen: true)

    private static func look(_ columns: Int) -> TextLook {
        TextLook(columns: columns, hasColors: false, isUnicode: true, isSeen: true)
    }

    private func text(_ table: Table, _ look: TextLook) -> [String] {
        look.text(table.text(for: look), wraps: false).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    private static let accounts: Table = {
        var table = Table(headings: ["NAME", "STATE", "ABOUT"])
        table.rows.append(["ann", "\(isGood: true)stored", "A service that many people at this place work with"])
        table.rows.append(["東京", "-", "-"])
        return table
    }()

    @Test func `columns are as wide as needed, with two blanks between, and none at the end`() {
        #expect(
            text(Self.accounts, Self.wide) == [
                "NAME  STATE     ABOUT",
                "ann   ✓ stored  A service that many people at this place work with",
                "東京  -         -",
            ])
    }

    @Test func `a mark takes its column's room only where it is seen`() {
        #expect(text(Self.accounts, .plain)[1].hasPrefix("ann   stored  A service"))
    }

    @Test func `what is one column too wide has its last column in several lines`() {
        #expect(text(Self.accounts, Self.look(66)).count == 3)
        #expect(
            text(Self.accounts, Self.look(65)) == [
                "NAME  STATE     ABOUT",
                "ann   ✓ stored  A service that many people at this place work",
                "                with",
                "東京  -         -",
            ])
    }

    @Test func `dispensable columns go one after the other until the table fits`() {
        var table = Table(headings: ["USER", "METHOD", "STORE", "STATE"])
        table.dispensable = ["METHOD", "STORE"]
        table.rows.append(["ann", "basic", "file", "stored"])
        #expect(text(table, Self.look(27))[1] == "ann   basic   file   stored")
        #expect(text(table, Self.look(26))[0] == "USER  STORE  STATE")
        #expect(text(table, Self.look(19))[1] == "ann   file   stored")
        #expect(text(table, Self.look(18)) == ["USER  STATE", "ann   stored"])
        #expect(text(table, .plain)[0] == "USER  METHOD  STORE  STATE")
    }

    @Test func `with less than 20 columns for the last, each row is lines of its own`() {
        #expect(text(Self.accounts, Self.look(36))[0] == "NAME  STATE     ABOUT")
        #expect(
            text(Self.accounts, Self.look(35)) == [
                "ann", "  STATE  ✓ stored", "  ABOUT  A service that many people", "         at this place work with",
                "東京",
            ])
    }

    @Test func `a word that is wider than its column stands below the name of the column`() {
        var table = Table(headings: ["ORIGIN", "FAULTS", "FINGERPRINT"])
        table.rows.append(["https://a.example", "self-signed", "sha256:0123456789"])
        #expect(text(table, Self.look(49))[1] == "https://a.example  self-signed  sha256:0123456789")
        #expect(
            text(table, Self.look(48)) == [
                "https://a.example", "  FAULTS       self-signed", "  FINGERPRINT  sha256:0123456789",
            ])
        #expect(text(table, Self.look(31)).suffix(2) == ["  FINGERPRINT", "  sha256:0123456789"])
    }

    @Test func `what is not there is left out, and the names stand out`() {
        let look = TextLook(columns: 10, hasColors: true, isUnicode: true, isSeen: true)
        var table = Table(headings: ["A", "LONGER"])
        table.rows.append(["one", "-"])
        table.rows.append([StyledText("two"), "it is"])
        #expect(
            text(table, look) == [
                "\u{1B}[1mone\u{1B}[0m", "\u{1B}[1mtwo\u{1B}[0m", "  LONGER  it", "          is",
            ])
    }

    @Test func `without rows there are the headings, or nothing at all`() {
        let table = Table(headings: ["NAME", "ABOUT"])
        #expect(text(table, Self.wide) == ["NAME  ABOUT"] && text(table, Self.look(5)) == [""])
    }
}

/// Help on a narrow terminal.
struct HelpLayoutTests {
    private static let page = """
        OVERVIEW: Log in to a service, and keep the session for other commands.

        Examples:
          authctl login https://api.example/me --store keyring

        USAGE: authctl login [<options>] [<target>]

        OPTIONS:
          -P, --profile <name>    The profile to use.
          --a-long-option-name <value>
                                  What it does, in several words.
          -h, --help              Show help information.

          See 'authctl help login' for detailed help.
        """

    private func lines(_ columns: Int, _ page: String = page) -> [String] {
        HelpLayout(columns: columns).text { _ in page }.split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    @Test(arguments: [(60, 60), (80, 80), (100, 100), (101, 100), (5000, 100), (59, 2000), (10, 2000)])
    func `the parser lays out what is wide enough, but no wider than can be read`(columns: Int, asked: Int) {
        var widths: [Int] = []
        _ = HelpLayout(columns: columns).text { width in
            widths.append(width)
            return "OVERVIEW: x"
        }
        #expect(widths == [asked])
    }

    @Test func `a name stands above what it means, and what is to be copied is not broken`() {
        let lines = lines(30)
        #expect(
            lines.starts(with: ["OVERVIEW: Log in to a service,", "and keep the session for other", "commands.", ""]))
        #expect(lines.contains("  authctl login https://api.example/me --store keyring"))
        for pair in [
            ["  -P, --profile <name>", "      The profile to use."],
            ["  --a-long-option-name <value>", "      What it does, in several", "      words."],
            ["  -h, --help", "      Show help information."],
        ] {
            let start = lines.firstIndex(of: pair[0])
            #expect(start.map { Array(lines[$0...].prefix(pair.count)) } == pair, "\(lines)")
        }
    }

    @Test func `every word of the page is still there, in its order`() {
        let words = Self.page.split(whereSeparator: \.isWhitespace)
        for columns in [20, 30, 45, 59] {
            #expect(lines(columns).joined(separator: "\n").split(whereSeparator: \.isWhitespace) == words)
        }
    }

    @Test func `another result than a page is left as it is`() {
        let script = "#compdef authctl\n" + String(repeating: "word ", count: 40)
        #expect(lines(30, script).joined(separator: "\n") == script)
    }
}
