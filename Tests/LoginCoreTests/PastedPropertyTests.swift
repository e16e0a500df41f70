@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Requests as browsers copy them, by a writer that knows what it wrote.
struct PastedPropertyTests {
    @Test func `a copied request is read as it was written, or not at all`() {
        for seed in Thoroughness.seeds {
            let written = WrittenRequest(seed: seed)
            let shown = "seed \(seed):\n\(written.text.debugDescription)"
            do throws(CopyFault) {
                let read = try CopiedRequest(Secret(written.text)) { _ in [] }
                if written.isBroken { Issue.record("a fault was not seen; \(shown)") }
                #expect(read.url == written.url, "\(shown)")
                #expect(read.headers.map { "\($0.name): \($0.value.unprotectedText)" } == written.headers, "\(shown)")
                #expect(read.cookies.map { "\($0.name)=\($0.value.unprotectedText)" } == written.cookies, "\(shown)")
            } catch {
                if !written.isBroken { Issue.record("\(error); \(shown)") }
            }
        }
    }
}

private struct WrittenRequest {
    private(set) var text = ""
    private(set) var url: String?
    private(set) var headers: [String] = []
    private(set) var cookies: [String] = []
    /// Whether the text has what a shell would run, or is cut off.
    private(set) var isBroken = false

    private enum Form { case bash, cmd, headers }
    private let form: Form
    private var random: SeededGenerator
    private var values = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        form = random.pick([.bash, .bash, .cmd, .headers])
        text = random.pick(["", "", "\u{FEFF}", "\n", " \r\n"])
        for _ in 0..<Int.random(in: 1...4, using: &random) { cookies.append("c\(values)=\(value(without: ";"))") }
        for _ in 0..<Int.random(in: 0...3, using: &random) { headers.append("X-H\(values): \(value(without: ""))") }
        if form == .headers { writeHeaders() } else { writeCommand() }
    }

    private mutating func value(without left: String) -> String {
        values += 1
        let pieces = [
            "a", "'", "\"", "!", "$HOME", "`id`", "%41", "%PATH%", "^", "&", "|", ">", "ä", "\u{1F600}", " b", "=",
            "{}", "[x]", "#",
            "*", "~", "(", ",", "@", ";",
        ]
        let made = (0..<Int.random(in: 0...6, using: &random)).map { _ in random.pick(pieces) }.joined()
        return "v\(values)" + made.filter { !left.contains($0) } + "z"
    }

    private mutating func writeHeaders() {
        let end = random.pick(["\n", "\r\n"])
        text += (["Cookie: " + cookies.joined(separator: "; ")] + headers).joined(separator: end)
    }

    private mutating func writeCommand() {
        let path = random.pick(["", "x?a=1&b=%20", "[slug]", "\u{e4}!", "it's"])
        url = "https://wiki.example/" + path
        let copied = (url ?? "").replacing("[", with: "\\[").replacing("]", with: "\\]")
        var words = [quoted(copied)]
        for header in headers { words += [random.pick(["-H", "--header"]), quoted(header)] }
        let line = cookies.joined(separator: "; ")
        words += random.isOne(in: 2) ? ["-b", quoted(line)] : ["-H", quoted("Cookie: " + line)]
        if random.isOne(in: 2) { words += ["--data-raw", quoted(value(without: "") + "https://evil.example/")] }
        if random.isOne(in: 3) { words += [random.pick(["--compressed", "--insecure"])] }
        let goesOn = form == .bash ? random.pick([" \\\n  ", " "]) : random.pick([" ^\n  ", " ^\r\n  "])
        text += (["curl"] + words).joined(separator: goesOn)
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            isBroken = true
            text +=
                form == .bash
                ? random.pick(["; id", " | sh", " $(id)", " > x", " `id`", "\nid"]) : random.pick([" & calc", " | x"])
        case 1:
            isBroken = true
            text += form == .bash ? random.pick([" 'x", " \"x", " $'x", " \\"]) : " ^\"x"
        default: text += random.pick(["", "\n", "\r\n", " \n\n"])
        }
    }

    private mutating func quoted(_ value: String) -> String {
        form == .bash ? quotedForBash(value) : quotedForCmd(value)
    }

    private mutating func quotedForBash(_ value: String) -> String {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return "'" + value.replacing("'", with: "'\\''") + "'"
        case 1:
            return "\"" + value.map { "\"$`\\".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "\""
        default:
            // As Chromium and Firefox do, each unit of UTF-16 for itself.
            let units = value.utf16.map { unit -> String in
                switch unit {
                case 0x27, 0x5c: "\\" + String(UnicodeScalar(UInt8(unit)))
                case 0x21: random.pick(["\\041", "\\u0021", "\\x21"])
                case 0x20..<0x7f: String(UnicodeScalar(UInt8(unit)))
                default: "\\u" + String(unit, radix: 16).leftPadded
                }
            }
            return "$'" + units.joined() + "'"
        }
    }

    /// As Chromium does: quotes for the C library, then a caret before all that `cmd` could read.
    private func quotedForCmd(_ value: String) -> String {
        var inner = "", backslashes = ""
        for character in value {
            if character == "\\" { backslashes += "\\" }
            if character == "\"" { inner += backslashes + "\\" }
            if character != "\\" { backslashes = "" }
            inner.append(character)
        }
        inner += backslashes
        return "^\"" + inner.map { $0.isLetter || $0.isNumber || " -_=:/.,".contains($0) ? "\($0)" : "^\($0)" }.joined()
            + "^\""
    }
}

extension String {
    fileprivate var leftPadded: String { String(repeating: "0", count: 4 - count) + self }
}
