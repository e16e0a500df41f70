@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Profiles that come from others: which are taken, under which name, and what of them is asked about.
struct OfferedProfilesTests {
    private func offered(_ text: String, name: String? = nil) throws(UsageFault) -> OfferedProfiles {
        try OfferedProfiles(Secret(text), from: "f.toml", name: name)
    }

    private func problem(_ text: String, name: String? = nil) -> String? {
        do throws(UsageFault) {
            _ = try offered(text, name: name)
            return nil
        } catch {
            if case .badConfig("f.toml", _, _, let problem) = error { return problem }
            return "another fault"
        }
    }

    private func risks(_ members: String, url: String = "https://blog.example/v1") throws -> [String] {
        try offered("url = \"\(url)\"\n\(members)", name: "blog").risks
    }

    @Test func `a file has profiles with their names, or the keys of one that gets its name`() throws {
        let two = try offered("default = \"b\"\n[profiles.b]\nurl = \"x\"\n[profiles.a]\nurl = \"y\"")
        #expect(Set(two.profiles.map(\.name)) == ["a", "b"] && two.profiles.count == 2)
        #expect(two.profiles.first { $0.name == "b" }?.table.members == ["url": .string("x")])
        #expect(try offered("url = \"x\"", name: "own").profiles.map(\.name) == ["own"])
        #expect(try offered("[profiles.theirs]\nurl = \"x\"", name: "own").profiles.map(\.name) == ["own"])
    }

    @Test(
        arguments: [
            ("url = \"x\"", nil, "has no [profiles.NAME] table; use --name"),
            ("[profiles.a]\n[profiles.b]", "own", "has several profiles; --name is for one"),
            ("[profiles]", "own", "has no profile"), ("[profiles]", nil, "has no profile"),
            ("profiles = 1", nil, "must be a table, not an integer"),
            ("[profiles]\na = 1", nil, "must be a table, not an integer"),
        ] as [(String, String?, String)])
    func `what is not clear is refused`(text: String, name: String?, expected: String) {
        #expect(problem(text, name: name) == expected)
    }

    @Test(arguments: ["a/b", "..", "", "-x", String(repeating: "x", count: 300)])
    func `a name that is none is refused, whoever gives it`(name: String) {
        #expect(problem("url = \"x\"", name: name) != nil)
        #expect(problem("[profiles.\(ConfigValue.key(name))]\nurl = \"x\"") != nil)
    }

    @Test func `what is no text is refused before it is parsed`() {
        let bytes: [UInt8] = [0x61, 0x3D, 0x22, 0xFF, 0x22]
        #expect(throws: UsageFault.badConfig(file: "f.toml", path: nil, line: nil, problem: "is not UTF-8")) {
            try OfferedProfiles(bytes.withUnsafeBytes { Secret(copying: $0) }, from: "f.toml", name: "own")
        }
    }

    @Test func `a preset gets the person's own URL`() throws {
        let home = try TemporaryHome()
        try home.write("[profiles.p]\nurl = \"https://theirs.example\"\nmethod = \"basic\"\n", to: "p.toml")
        let preset = Presets.Preset(name: "p", file: home.path + "/p.toml", tried: nil, about: "", hasURL: false)
        let own = try OfferedProfiles(preset, url: "https://own.example", name: "own")
        #expect(own.profiles.map(\.name) == ["own"])
        #expect(own.profiles[0].table.members == ["url": .string("https://own.example"), "method": .string("basic")])
    }

    @Test(
        arguments: [
            ("password-command = \"sh -c x\"", "blog: password-command = \"sh -c x\""),
            ("otp-command = \"a\"", "blog: otp-command = \"a\""), ("browser = \"b\"", "blog: browser = \"b\""),
            ("allow-http = true", "blog: allow-http = true"), ("proxy = 1", "blog: proxy"),
            ("ca-file = [\"x\"]", "blog: ca-file"),
            ("store = \"plaintext\"", "blog: store = \"plaintext\""),
            ("store = \"helper:x\"", "blog: store = \"helper:x\""),
            ("store = \"file\"", nil), ("method = \"basic\"", nil), ("store = 1", nil),
            ("certificate = \"a    b\"", "blog: certificate = \"a \\u{20}\\u{20}\\u{20}b\""),
            ("key = \"\\u202Ex\"", "blog: key = \"\\u{202E}x\""),
            ("serve = { overrides = false, deny = [\"* /a\"] }", "blog: serve.overrides = false"),
            ("serve = { overrides = true }", nil), ("serve = { allow = [\"* /a\"] }", nil),
            ("lend-to = [\"https://id.example\"]", "blog: lend-to = \"https://id.example\""),
        ] as [(String, String?)]) func `what can run programs or weaken trust is shown whole`(
            member: String, risk: String?
        ) throws
    {
        #expect(try risks(member) == (risk.map { [$0] } ?? []))
    }

    @Test(
        arguments: [
            ("key-file = \"k.pem\", claims = { aud = \"x\" }", ["key-file = \"k.pem\"", "claims.aud = \"x\""]),
            ("identity = { profile = \"x\", opaque = true }", ["identity.profile = \"x\""]),
            ("identity = { command = [\"a\", \"b\"] }", ["identity.command = \"a\" \"b\""]),
            (
                "identity = { env = \"A\" }, token-endpoint = \"/token\"",
                ["identity.env = \"A\"", "token-endpoint = \"/token\""]
            ),
        ])
    func `what would prove who a machine is is shown with where it goes`(table: String, shown: [String]) throws {
        let found = try risks("oauth = { \(table) }")
        #expect(
            Set(found) == Set(shown.map { "blog: oauth." + $0 } + ["blog: url = \"https://blog.example/v1\""]),
            "\(found)")
    }

    @Test func `what is too long to be reviewed is refused`() throws {
        let long = String(repeating: "x", count: 501)
        #expect(throws: UsageFault.self) { try risks("browser = \"\(long)\"") }
        #expect(try risks("browser = \"\(long.dropLast())\"").count == 1)
    }

    @Test(arguments: [
        ("issuer = \"https://id.example\"", ["blog: oauth.issuer = \"https://id.example\""]),
        ("issuer = \"https://bl\u{43E}g.example\"", [#"blog: oauth.issuer = "https://bl\u{43E}g.example""#]),
        ("issuer = \"https://blog.example/id\"", []), ("issuer = \"HTTPS://BLOG.example\"", []),
        ("token-endpoint = \"/token\"", []), ("token-endpoint = \"//id.example/t\"", []),
        (
            "token-endpoint = \"https://blog.example:444/t\"",
            ["blog: oauth.token-endpoint = \"https://blog.example:444/t\""]
        ),
        ("issuer = \"http://blog.example\"", ["blog: oauth.issuer = \"http://blog.example\""]),
        ("resource = \"https://id.example\"", []), ("client-id = \"c\"", []),
    ]) func `an authorization server elsewhere is a risk, and one of the service is none`(
        member: String, expected: [String]
    ) throws {
        #expect(try risks("oauth = { \(member) }") == expected)
        let table = try offered("url = \"https://blog.example/v1\"\noauth = { \(member) }", name: "blog").profiles[0]
            .table
        #expect((table.withoutRisks["oauth"] == nil) == !expected.isEmpty)
    }

    @Test func `without its risks a profile is what is left`() throws {
        let text = "url = \"x\"\nbrowser = \"b\"\nallow-http = true\nstore = \"plaintext\"\nmethod = \"basic\""
        let table = try offered(text, name: "blog").profiles[0].table
        #expect(table.withoutRisks == ["url": .string("x"), "method": .string("basic")])
        let served = try offered("url = \"x\"\nserve = { overrides = false, log = true }", name: "blog").profiles[0]
            .table
        #expect(served.withoutRisks == ["url": .string("x"), "serve": .table(["log": .bool(true)])])
    }
}

/// Presets of this machine, and those of the person's own folders.
struct PresetsTests {
    private func presets(_ files: [String: String], _ folders: String) throws -> (Presets, TemporaryHome) {
        let home = try TemporaryHome()
        for (name, text) in files { try home.write(text, to: name) }
        let data = folders.split(separator: ":").map { $0.hasPrefix("/") ? "\(home.path)\($0)" : String($0) }
        return (Presets(Environment(["XDG_DATA_DIRS": data.joined(separator: ":")])), home)
    }

    @Test func `of two with one name the one of the earlier folder is meant, and each name is there once`() throws {
        let files = [
            "a/authctl/presets/own.toml": "# tried: A\n# Of a.\n# More.\n",
            "b/authctl/presets/own.toml": "# tried: B\n",
            "b/authctl/presets/zzz.toml": "# About, not tried.\n# More.\n", "b/authctl/presets/.hidden.toml": "",
            "b/authctl/presets/other.txt": "",
        ]
        let (presets, home) = try presets(files, "relative:/a:/b")
        let own = try #require(try presets.preset(named: "own"))
        #expect(own.tried == "A" && own.about == "Of a. More." && own.file == "\(home.path)/a/authctl/presets/own.toml")
        #expect(presets.names.count { $0 == "own" } == 1 && presets.names == presets.names.sorted())
        #expect(presets.names.last == "zzz" && !presets.names.contains("other") && !presets.names.contains(".hidden"))
        let untried = try #require(try presets.preset(named: "zzz"))
        #expect(untried.tried == nil && untried.about == "More.")
    }

    @Test(arguments: ["none", "../own", "a/b", ""]) func `what is no name of one is nothing`(name: String) throws {
        let (presets, home) = try presets(["a/authctl/presets/own.toml": "", "a/authctl/own.toml": ""], "/a")
        #expect(try presets.preset(named: name) == nil)
        #expect(try presets.preset(named: "own")?.file.hasPrefix(home.path) == true)
    }

    @Test(
        arguments: [
            (["Transmission"], ["transmission"]), (["my-transmission!"], ["transmission"]), (["transmissions"], []),
            (["Log in - Jupyter Server"], ["jupyter"]), ([], []),
            (["Tiny Tiny RSS : Login"], ["tt-rss"]), (["Tiny RSS Tiny", "Big data"], []),
            (["transmission", "JUPYTER"], ["jupyter", "transmission"]),
            (["\u{212A}upyter"], []), ([String(repeating: "x ", count: 500) + "jupyter"], []),
        ] as [([String], [String])])
    func `a service names its preset by a whole word of its own`(texts: [String], names: [String]) {
        #expect(Presets(Environment([:])).named(by: texts) == names)
    }

    @Test func `a preset of several words needs them all`() throws {
        let (presets, home) = try presets(["a/authctl/presets/two-words.toml": ""], "/a")
        defer { withExtendedLifetime(home) {} }
        #expect(presets.named(by: ["The words of Two"]) == ["two-words"])
        #expect(presets.named(by: ["words"]).isEmpty)
    }

    @Test func `a name that is nearly one gets it`() {
        let presets = Presets(Environment([:]))
        #expect(presets.problem(with: "jupiter") == "there is no preset of this name; did you mean 'jupyter'?")
        #expect(presets.problem(with: "xxxxxxxxxxxxxxxx") == "there is no preset of this name")
    }
}
