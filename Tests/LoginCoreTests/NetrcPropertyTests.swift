@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// netrc files that are made up, by a writer that knows which secret belongs to which machine.
struct NetrcPropertyTests {
    private static let hosts = ["wiki.example", "xwiki.example", "wiki.example.evil", "other.example", "[::1]"]

    @Test func `whatever is sent to a host stands in that host's entry`() {
        var found = 0, refused = 0
        for seed in Thoroughness.seeds {
            let file = WrittenNetrc(seed: seed, hosts: Self.hosts)
            let text = Secret(file.text)
            for host in Self.hosts {
                for username in [nil, file.entries.last?.login, "nobody"] {
                    let shown = "seed \(seed), \(host), \(username ?? "-"):\n\(file.text.debugDescription)"
                    let sent: NetrcEntry?
                    do throws(NetrcFault) {
                        sent = try NetrcEntry.find(
                            for: Origin(scheme: "https", host: host, port: 443), username: username, in: text)
                        if file.isFaulty { Issue.record("a fault was not seen; \(shown)") }
                        found += sent == nil ? 0 : 1
                    } catch {
                        sent = nil
                        refused += 1
                        if !file.isFaulty { Issue.record("line \(error.line), \(error.problem); \(shown)") }
                    }
                    let expected = file.isFaulty ? nil : file.entry(for: host, username)
                    #expect(sent?.line == expected?.line && sent?.username == expected?.login, "\(shown)")
                    #expect(sent?.password.unprotectedText == expected?.password, "\(shown)")
                }
            }
        }
        #expect(found > Thoroughness.seeds.count && refused > Thoroughness.seeds.count)
    }
}

/// A file, and what its writer meant by it.
private struct WrittenNetrc {
    struct Entry {
        let host: String
        /// Of its `machine`.
        let line: Int
        var login: String?
        var password: String?
        var isForHTTPS = true
    }

    private(set) var text = ""
    private(set) var entries: [Entry] = []
    /// Whether something is missing, or stands where it does not belong.
    private(set) var isFaulty = false

    private var random: SeededGenerator
    private var line = 1, values = 0
    /// Whether one more fault may be written.
    private var mayFail: Bool

    init(seed: UInt64, hosts: [String]) {
        random = SeededGenerator(seed: seed)
        mayFail = random.isOne(in: 2)
        if random.isOne(in: 4) { text = "\u{FEFF}" }
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: endLine(before: "# \(random.pick(hosts)) machine login mallory password no\(next())")
            case 1: writeMacro(hosts)
            case 2: writeEntry(of: nil)
            default: writeEntry(of: random.pick(hosts))
            }
            if random.isOne(in: 8) { text += " " } else { endLine() }
        }
    }

    /// The entry that a host is to be sent, by the rules of the manual.
    func entry(for host: String, _ username: String?) -> Entry? {
        let usable = entries.filter { $0.host == host && $0.password != nil && $0.isForHTTPS }
        guard let username else { return usable.first }
        return usable.first { $0.login == username } ?? usable.first { $0.login == nil }
    }

    private mutating func next() -> Int {
        values += 1
        return values
    }

    private mutating func endLine(before comment: String = "") {
        text += comment + random.pick(["\n", "\r\n", "\r", "\n"])
        // A CR of one line and a LF of the next would be one line end.
        if text.hasSuffix("\r") { text += " " }
        line += 1
    }

    private mutating func separate() {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: text += "\t "
        case 1: endLine(before: " ")
        case 2: endLine(before: " #machine wiki.example password no\(next()) ")
        default: text += " "
        }
    }

    private mutating func writeMacro(_ hosts: [String]) {
        endLine()
        text += "macdef init"
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            text += "\n  machine \(random.pick(hosts)) login mallory password no\(next())"
            line += 1
        }
        text += random.pick(["\n\n", "\r\n\r\n"])
        line += 2
        // Whose it would be after a macro nobody knows.
        if fails(in: 4) { text += "password \(value())" }
    }

    private mutating func writeEntry(of host: String?) {
        if let host {
            text += random.pick(["machine ", "Machine\t"])
            entries.append(Entry(host: host, line: line))
            let bare = host == "[::1]" && random.isOne(in: 2) ? "::1" : host
            if !fails(in: 20) { text += random.pick([bare, bare.uppercased(), "\"\(bare)\""]) }
        } else {
            text += "default"
        }
        for keyword in ["login", "password", "account", "port"].shuffled(using: &random) {
            let isWritten = keyword == "account" || keyword == "port" ? random.isOne(in: 5) : !random.isOne(in: 6)
            if isWritten { write(keyword, isOwned: host != nil) }
        }
    }

    private mutating func write(_ keyword: String, isOwned: Bool) {
        separate()
        text += keyword == "login" && random.isOne(in: 4) ? "user" : keyword
        let value = keyword == "port" ? random.pick(["443", "https", "8443", "imap"]) : value()
        if isOwned {
            let last = entries.count - 1
            switch keyword {
            case "login": entries[last].login = value
            case "password": entries[last].password = value
            case "port": entries[last].isForHTTPS = ["443", "https"].contains(value)
            default: break
            }
        }
        guard fails(in: 10) else {
            text += random.pick([" ", "\t", "  "])
            text += written(value)
            return
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: break
        case 2:
            endLine()
            text += written(value)
        case 3:
            // A quote later on the line would end it.
            text += " \"\(value.filter { $0 != "\"" })"
            endLine()
        case 4: text += " \"x\"\(value)"
        case 5: text += " \(written(value)) \(keyword) \(self.value())"
        case 6: text += " a\(value.filter { $0 != " " }) v\(next())"
        default: text += " a\u{1}\(value)"
        }
    }

    private mutating func fails(in count: Int) -> Bool {
        guard mayFail, random.isOne(in: count) else { return false }
        isFaulty = true
        // Two in one entry may hide each other.
        mayFail = false
        return true
    }

    /// No two are alike.
    private mutating func value() -> String {
        random.pick(["", "", "#", "'", "ä", " "]) + "v\(next())"
            + random.pick(["", "", "#", "\\", "\"", " b", "\\n", "=:"])
    }

    private mutating func written(_ value: String) -> String {
        let needsQuotes = value.contains(" ")
        guard needsQuotes || random.isOne(in: 4) else { return value }
        return "\"" + value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
