@testable import LoginKit
import Secrets
import Testing

/// netrc(5) as several programs write it, and the faults by which one of them would send a host the login of another.
struct NetrcTests {
    private static let origin = Origin(scheme: "https", host: "a.example", port: 443)

    private func entry(
        _ text: String, for origin: Origin = Self.origin, username: String? = nil
    ) throws(NetrcFault) -> NetrcEntry? {
        try NetrcEntry.find(for: origin, username: username, in: Secret(text))
    }

    @Test(
        arguments: [
            ("machine a.example login ann password pw", "ann", "pw", 1),
            ("\u{FEFF}machine a.example login ann password pw", "ann", "pw", 1),
            ("default login x password y\nmachine a.example\n  login ann\n  password pw\n", "ann", "pw", 2),
            ("machine b.example login x password y machine A.Example login ann password pw", "ann", "pw", 1),
            ("machine a.example login ann password pw default login x password y", "ann", "pw", 1),
            ("machine a.example\r\n\tlogin ann\r\n\tpassword pw\r\n", "ann", "pw", 1),
            ("machine b.example login x password y\rmachine a.example login ann password pw\r", "ann", "pw", 2),
            (
                "# machine a.example password no\nmacdef m\nmachine a.example password no\n\nmachine a.example password pw",
                nil, "pw", 5
            ),
            ("macdef m\r\nmachine a.example password no\r\n\r\nmachine a.example password pw", nil, "pw", 4),
            ("machine a.example login \"an n\" password \"p\\\"w\"", "an n", "p\"w", 1),
            ("machine \"a.example\" login ann password \"\\p\\\\\\t#\" # the end", "ann", "p\\\t#", 1),
            ("machine a.example login ann password p\\w\"#'", "ann", "p\\w\"#'", 1),
            ("machine a.example login ann password #123\nmachine b.example login bob password zzz", "ann", "#123", 1),
            ("MACHINE a.example USER ann # that is me\nPassWd pw", "ann", "pw", 1),
            ("machine a.example login ann\nmachine a.example login bob account z password pw", "bob", "pw", 2),
            ("machine a.example login \"login\" password \"Default\"", "login", "Default", 1),
            (
                "machine a.example port 8443 login x password y\nmachine a.example port https login ann password pw",
                "ann", "pw", 2
            ),
            (
                "machine a.example protocol imap password y\nmachine a.example port 443 protocol HTTPS password pw",
                nil,
                "pw", 2
            ),
        ] as [(String, String?, String, Int)])
    func `the entry of a netrc file for a host is found, and default is not used`(
        text: String, username: String?, password: String, line: Int
    ) throws {
        let entry = try entry(text)
        #expect(
            entry?.username == username && entry?.password.unprotectedText == password && entry?.line == line, "\(text)"
        )
    }

    @Test(arguments: [
        "default login x password y", "machine a.example login ann", "machine xa.example login ann password pw",
        "machine a.example.evil login ann password pw", "machine a.example:443 login ann password pw", "", "\u{FEFF}",
        "machine a.example\ndefault login x password y", "# machine a.example password no", "\n\n",
        "machine b.example login a.example password \"machine\"",
    ])
    func `a netrc file without an entry for the host has none`(text: String) throws {
        #expect(try entry(text) == nil)
    }

    @Test(
        arguments: [
            (
                "machine a.example login ann password\nmachine b.example login bob password zzz", 1,
                "there is no value behind 'password' on this line"
            ),
            (
                "machine a.example login ann account\nmachine b.example login bob password zzz", 1,
                "there is no value behind 'account' on this line"
            ),
            (
                "machine a.example login ann password machine b.example login bob password zzz", 1,
                "there is no value behind 'password' on this line"
            ),
            (
                "machine a.example password default login bob password zzz", 1,
                "there is no value behind 'password' on this line"
            ),
            ("machine a.example login password #zzz\npassword yyy", 1, "there is no value behind 'login' on this line"),
            (
                "machine a.example login macdef\ninit\n\npassword zzz", 1,
                "there is no value behind 'login' on this line"
            ),
            (
                "machine a.example login ann password \"pw\nmachine b.example login bob password zzz", 1,
                "a double quote has to end on its line"
            ),
            (
                "machine a.example login ann password \"pw\\\nmachine b.example login bob password zzz", 1,
                "a double quote has to end on its line"
            ),
            ("machine a.example login ann password \"pw\"zzz", 1, "a double quote has to end on its line"),
            ("machine a.example login ann password pw\n\npassword zzz", 3, "a second 'password' for one machine"),
            ("machine a.example login ann user bob password zzz", 1, "a second 'login' for one machine"),
            ("machine a.example login ann password my secret", 1, "a word where a keyword belongs"),
            ("machine a.example login ann\u{A0}password zzz", 1, "a word where a keyword belongs"),
            ("machine a.example login ann \"password\" zzz", 1, "a word where a keyword belongs"),
            ("machine a.example login ann password pw\nmachine", 2, "there is no value behind 'machine' on this line"),
            ("machine\na.example login ann password pw", 1, "there is no value behind 'machine' on this line"),
            ("password zzz", 1, "'password' belongs behind a 'machine' and its name"),
            (
                "machine a.example login ann\nmacdef m\nput\n\npassword zzz", 5,
                "'password' belongs behind a 'machine' and its name"
            ),
            (
                "machine a.example login ann password pw\nmacdef m machine b.example", 2,
                "a word where a keyword belongs"
            ),
            ("machine a.example login ann password p\0w", 1, "a control character"),
            ("machine a.example login ann password \"p\\\u{1}w\"", 1, "a control character"),
            ("m\0a\0c\0h\0i\0n\0e\0", 1, "a control character"),
            // A fault in the entry of another machine is one of the file.
            (
                "machine a.example login ann password pw\r\nmachine b.example login bob password\r\n", 2,
                "there is no value behind 'password' on this line"
            ),
        ] as [(String, Int, String)])
    func `a netrc file with anything else is refused with its line`(
        text: String, line: Int, problem: String
    ) {
        let fault = #expect(throws: NetrcFault.self, "\(text)") { try entry(text) }
        #expect(fault?.line == line && fault?.problem.hasPrefix(problem) == true, "\(text)")
    }

    @Test func `an entry without a login serves the name that was chosen, after the entry of that name`() throws {
        let text = "machine a.example password any machine a.example login bob password bobs"
        #expect(try entry(text, username: "ann")?.password == Secret("any"))
        #expect(try entry(text, username: "bob")?.password == Secret("bobs"))
        #expect(try entry("machine a.example login bob password pw", username: "ann") == nil)
    }

    @Test func `an entry of a name that only looks the same serves another name`() throws {
        let text = "machine a.example login jose\u{301} password his machine a.example login jos\u{E9} password hers"
        #expect(try entry(text, username: "jos\u{E9}")?.password == Secret("hers"))
        #expect(try entry("machine a.example login Kim password pw", username: "\u{212A}im") == nil)
    }

    @Test(arguments: ["::1", "[::1]", "\"::1\""])
    func `an IPv6 address fits with brackets and without`(machine: String) throws {
        let origin = Origin(scheme: "http", host: "[::1]", port: 80)
        #expect(try entry("machine \(machine) login ann password pw", for: origin)?.username == "ann")
    }

    /// Each secret takes guarded memory, of which there is little.
    @Test func `as many entries of one host as fit into a file are read`() throws {
        let text = (0..<20_000).map { "machine a.example login u\($0) password p\($0)\n" }.joined()
        #expect(try entry(text)?.password == Secret("p0"))
        #expect(try entry(text, username: "u19999")?.password == Secret("p19999"))
    }

    @Test(arguments: [("https", false), ("8443", true), ("443", false)])
    func `a port by its name is the usual one`(port: String, isFound: Bool) throws {
        let origin = Origin(scheme: "https", host: "a.example", port: 8443)
        #expect(try (entry("machine a.example port \(port) password pw", for: origin) != nil) == isFound)
    }

    @Test func `a user name that is no UTF-8 is refused`() {
        let bytes = Array("machine a.example login ".utf8) + [0xff] + Array(" password pw".utf8)
        let text = Secret(count: bytes.count) { $0.copyBytes(from: bytes) }
        #expect(throws: NetrcFault(line: 1, problem: "the text is not UTF-8")) {
            try NetrcEntry.find(for: Self.origin, username: nil, in: text)
        }
    }
}
