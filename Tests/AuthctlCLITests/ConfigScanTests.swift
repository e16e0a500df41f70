@testable import LoginKit
import Testing

@testable import AuthctlCLI

/// What the TOML parser cannot bear is refused before it sees it.
struct ConfigScanTests {
    private func fault(_ text: String) -> UsageFault? {
        do throws(UsageFault) {
            _ = try ConfigValue.parse(text, file: "f")
            return nil
        } catch {
            return error
        }
    }

    private static func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

    @Test(arguments: [
        "a\(times(10_000, ".a")) = 1", "[a\(times(10_000, ".a"))]", "[[a\(times(10_000, ".a"))]]",
        "a = \(times(10_000, "["))", "a = { b\(times(10_000, ".b")) = 1 }", "a = \(times(200, "{ b.b.b = "))",
        "['a'\(times(10_000, ".\"a\""))]", "[a\(times(40, ".a"))]\nb\(times(40, ".b")) = 1",
        "a = [\n1, # [\n{ b\(times(10_000, ".b")) = 1 }]", "a = \"\"\"x\"\"\"\"\"\nb\(times(10_000, ".b")) = 1",
        "a = ''\nb\(times(10_000, " . b")) = 1",
    ])
    func `levels without end are refused with their line`(text: String) {
        let line = text.split(separator: "\n", omittingEmptySubsequences: false).count
        let problem = "is nested deeper than 64 levels"
        #expect(fault("\n" + text) == .badConfig(file: "f", path: nil, line: line + 1, problem: problem))
    }

    @Test(arguments: [
        "a = [\(times(1000, "1.5, "))]", "a = [\(times(1000, "{ b.c = 1 }, "))]", times(1000, "[[a.b.c]]\nd.e = 1\n"),
        "a = \"\(times(1000, ".[{"))\"", "a = '\(times(1000, ".[{\\"))'", "a = 1 # \(times(1000, "."))",
        "a = \"\"\"\n\(times(1000, ".[{\\\"\n"))\"\"\"", "a = '''\n\(times(1000, "''[[\n"))'''",
        "a = \"\\\\u0000\"", "a = '\\u0000'", "a = '''\\u0000'''", "a = 1 # \\u0000", "a = \"\\u0001\"",
        "\"a.b\" = \"\"\"\"x\"\"\"\"\"", "a = \"\\\"[[[\"", "a = \"\"\"\\\n  x\"\"\"",
    ])
    func `what only looks like it is not`(text: String) {
        #expect(fault(text) == nil)
    }

    @Test(arguments: [
        "a = \"b\\u0000c\"", "a = \"\\U00000000\"", "\"a\\u0000\" = 1", "a = \"\"\"x\\u0000\"\"\"",
        "a = [ \"\\\\\\u0000\" ]", "[\"a\\u0000\"]",
    ])
    func `an escaped NUL would cut a text short, and is refused`(text: String) {
        let problem = "has an escaped NUL, which is not allowed"
        #expect(fault("\n\n" + text) == .badConfig(file: "f", path: nil, line: 3, problem: problem))
    }

    @Test(arguments: [
        "[\u{fffd}.a]", "[%]", "[[=]]", "[\n]", "[[\na]]", "[#]", "[ .a]", "[[[a]]]", "[\u{e4}]", "[{}]", "[,]",
        "  [\r\n]",
    ])
    func `a heading that begins with no key is refused, where the parser would abort`(heading: String) {
        let problem = "has an invalid character at the start of a heading"
        #expect(fault("a = 1\n" + heading) == .badConfig(file: "f", path: nil, line: 2, problem: problem))
        #expect(fault("\u{feff}" + heading) == .badConfig(file: "f", path: nil, line: 1, problem: problem))
    }

    @Test(arguments: ["a = [}", "a = { b = ]", "a = [{]}", "a = [[[}", "[a}"])
    func `brackets that do not match are refused, where the parser would abort`(text: String) {
        let problem = "has mismatched brackets"
        #expect(fault("\n" + text) == .badConfig(file: "f", path: nil, line: 2, problem: problem))
    }

    @Test(arguments: ["a = [\u{2028}]", "a = [\u{85}]", "\u{a0}[%]", "\u{e4} = 1", "a = \u{7f}", "a = [\u{c}]"])
    func `what may stand in texts and comments only is refused elsewhere`(text: String) {
        let problem = "has a character that is allowed only in strings and comments"
        #expect(fault(text) == .badConfig(file: "f", path: nil, line: 1, problem: problem))
        #expect(fault("a = 'ä\u{2028}\u{85}' # ä") == nil)
    }

    @Test(arguments: [
        "a = 1979-05-27 2", "a = [1979-05-27 1, 2]", "a = 19_79-05-27 1#", "a = 1 2", "a = { b = 1979-05-27 1}",
        "a = 1979-05-2% 2,", "a = 1979-05-2+ 2]",
    ])
    func `half a time is refused, where the parser would abort`(text: String) {
        let problem = "has two values without a comma between them"
        #expect(fault("\n" + text) == .badConfig(file: "f", path: nil, line: 2, problem: problem))
        #expect(fault("a = [1979-05-27 07:32:00, 1, 2, 1979-05-27 ] # a 1\nb = 'x 1'\nc = { d = 1, e = 2 }") == nil)
    }

    @Test(arguments: ["a = 1979-05-27Ta", "a = [1979-05-27t:0:0z]", "a = 1979-05-27T", "a = { b = 1979-05-27T'0' }"])
    func `a date with no time behind its T is refused, where the parser would abort`(text: String) {
        let problem = "has a date without a time after its T"
        #expect(fault("\n" + text) == .badConfig(file: "f", path: nil, line: 2, problem: problem))
        #expect(fault("a = [1979-05-27T07:32:00, 1979-05-27t07:32:00Z]\n1979-05-Ta = 1\nb = '1979-05-27Ta'") == nil)
    }

    @Test(arguments: ["a = 1979-05-2\" 2,\"", "a = [x'y']", "a\"b\" = 1", "a = 1979-05-%' 2, '"])
    func `a quote inside of a word is refused, where the parser would read on differently`(text: String) {
        let problem = "has a quote inside a word"
        #expect(fault("\n" + text) == .badConfig(file: "f", path: nil, line: 2, problem: problem))
        #expect(fault("a.\"b\" = [\"\",'x','''y''']\n[c.'d'.\"e\"]\nf={\"g\"='h',\"i\"=1}") == nil)
    }

    @Test(arguments: ["[ a ]", "[[ 'x' ]]", "[\"y\"]", "[-]", "[_.9]", "a = [ %", "a = [\n%"])
    func `other brackets are the parser's`(text: String) {
        guard case .badConfig(_, _, _, let problem)? = fault(text) else { return }
        #expect(!problem.hasPrefix("a heading"))
    }
}
