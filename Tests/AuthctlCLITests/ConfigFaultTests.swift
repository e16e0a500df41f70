@testable import LoginKit
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// What a bad configuration is told: the file, the key's path, the line where the parser knows it, and what is wrong.
struct ConfigFaultTests {
    /// A profile that is good but for one line.
    private func fault(_ line: String, table: String = "profiles.p") throws -> String {
        let world = try TestWorld(config: Self.config(line, table: table))
        let run = world.run("profile", "show", "p")
        #expect(run.code == 2 && run.output.isEmpty)
        let file = "\(world.home.config)/authctl/config.toml"
        #expect(run.talk.contains(file))
        return run.talk.replacing(file, with: "config.toml")
    }

    private static func config(_ line: String, table: String) -> String {
        let parts = [
            "profiles.p": "url = \"https://p.example\"", "profiles.p.verify": "get = \"/\"",
            "profiles.p.login": "post = \"/l\"\ntoken = \"/t\"", "profiles.p.session": "cookies = true",
        ]
        var text = ""
        for name in ["profiles.p", "profiles.p.verify", table] where !text.contains("[\(name)]") {
            text += "[\(name)]\n" + (name == table && line.hasPrefix("!") ? "" : (parts[name] ?? "") + "\n")
            if name == table { text += line.drop { $0 == "!" } + "\n" }
        }
        return text
    }

    @Test(arguments: [
        ("usr = \"a\"", "profiles.p", "profiles.p.usr: unknown key; did you mean 'user'?"),
        ("frobnicate = 1", "profiles.p", "profiles.p.frobnicate: unknown key"),
        ("user = 7", "profiles.p", "profiles.p.user: must be a string, not an integer"),
        ("timeout = \"7\"", "profiles.p", "profiles.p.timeout: must be an integer, not a string"),
        ("timeout = 0", "profiles.p", "profiles.p.timeout: must be from 1 to 3600"),
        ("allow-http = \"yes\"", "profiles.p", "profiles.p.allow-http: must be true or false, not a string"),
        ("store = \"safe\"", "profiles.p", "profiles.p.store: there is no store 'safe'"),
        ("persist = \"forever\"", "profiles.p", "profiles.p.persist: 'forever' is not one of none, session, permanent"),
        ("method = \"bsic\"", "profiles.p", "profiles.p.method: 'bsic' is not one of auto"),
        ("method = []", "profiles.p", "profiles.p.method: must name at least one method"),
        (
            "method = [\"basic\", \"token\"]", "profiles.p",
            "profiles.p.method: 'auto', 'certificate', 'cookie', 'token', 'oauth' and 'browser' cannot be in a list"
        ),
        ("method = \"cookie\"", "profiles.p", "profiles.p.login: is missing"),
        ("logged-out = [401]", "profiles.p", "profiles.p.logged-out: belongs in 'verify'"),
        ("forbidden = [403]", "profiles.p", "profiles.p.forbidden: belongs in 'verify'"),
        ("signup = \"register\"", "profiles.p", "profiles.p.signup: must start with '/'"),
        ("signup = \"/{username}\"", "profiles.p", "profiles.p.signup: must be a path without templates"),
        (
            "graphql = \"/a;b\"", "profiles.p",
            "profiles.p.graphql: must be a path without a query that every service reads"
        ),
        ("graphql = \"/a?b\"", "profiles.p", "profiles.p.graphql: must be a path without a query"),
        ("allow = [\"GRAPHQL query *\"]", "profiles.p.serve", "profiles.p.graphql: is missing: 'serve' has rules for"),
        ("allow = [\"GRAPHQL query\"]", "profiles.p.serve", "profiles.p.serve.allow[1]: a rule for GraphQL is"),
        ("anonymous = 0", "profiles.p", "profiles.p.anonymous: must be true or false, not an integer"),
        ("logged-in = [401]", "profiles.p.verify", "profiles.p.verify.logged-in: 401 never proves a login"),
        ("logged-in = [502]", "profiles.p.verify", "profiles.p.verify.logged-in: 502 never proves a login"),
        ("logged-in = [422]", "profiles.p.login", "profiles.p.login.logged-in: is only for 'verify'"),
        ("login = \"/l\"", "profiles.p", "profiles.p.login: must be a table, not a string"),
        ("user = 1979-05-27", "profiles.p", "profiles.p.user: must be a string, not a date"),
        ("!", "profiles.p", "profiles.p.url: is missing"),
        ("!", "profiles.p.verify", "profiles.p.verify: must have exactly one of 'get', 'post' and 'send'"),
        ("post = \"/\"", "profiles.p.verify", "profiles.p.verify: must have exactly one of 'get', 'post' and 'send'"),
        ("usrname = \"/n\"", "profiles.p.verify", "profiles.p.verify.usrname: unknown key; did you mean 'username'?"),
        (
            "username = \"n\"", "profiles.p.verify",
            "profiles.p.verify.username: must be '/json/pointer', 'header:NAME', 'cookie:NAME', 'form:NAME', 'xml:/PATH' or 'text'"
        ),
        (
            "logged-out = 401", "profiles.p.verify",
            "profiles.p.verify.logged-out: must be a list of statuses and tables"
        ),
        ("logged-out = [1000]", "profiles.p.verify", "profiles.p.verify.logged-out: 1000 is not an HTTP status"),
        (
            "logged-out = [{}]", "profiles.p.verify",
            "profiles.p.verify.logged-out: an empty table would match every response"
        ),
        (
            "logged-out = [{ name = \"x\" }]", "profiles.p.verify",
            "profiles.p.verify.logged-out.name: must be '/json/pointer'"
        ),
        ("!get = \"me\"", "profiles.p.verify", "profiles.p.verify.get: must start with '/'"),
        ("!get = \"@evil/\"", "profiles.p.verify", "profiles.p.verify.get: must start with '/'"),
        ("!get = \"https://evil.example/\"", "profiles.p.verify", "profiles.p.verify.get: must start with '/'"),
        ("!get = \"/a b\"", "profiles.p.verify", "profiles.p.verify.get: contains a blank"),
        ("!get = \"/a#b\"", "profiles.p.verify", "profiles.p.verify.get: contains a '#'"),
        ("!send = \"get /\"", "profiles.p.verify", "profiles.p.verify.send: must be a method in capitals and a path"),
        ("header = \"X\"", "profiles.p.verify", "profiles.p.verify.header: must be \"Name: value\""),
        ("header = \"X Y: 1\"", "profiles.p.verify", "profiles.p.verify.header: must be \"Name: value\""),
        ("header = \"X: a\\r\\nY: 1\"", "profiles.p.verify", "profiles.p.verify.header: contains a control character"),
        ("header = \"X: {nope}\"", "profiles.p.verify", "profiles.p.verify.header: there is no {nope}"),
        ("header = \"X: {username\"", "profiles.p.verify", "profiles.p.verify.header: '{' without '}'"),
        ("json = 1\nform = { a = \"b\" }", "profiles.p.verify", "profiles.p.verify.json: cannot be used with 'form'"),
        ("json = { b = inf }", "profiles.p.verify", "profiles.p.verify.json.b: JSON has neither 'inf' nor 'nan'"),
        ("json = [nan]", "profiles.p.verify", "profiles.p.verify.json: JSON has neither 'inf' nor 'nan'"),
        ("json = 1979-05-27", "profiles.p.verify", "profiles.p.verify.json: JSON has no date"),
        (
            "expires = \"/a\"\nexpires-in = \"/b\"", "profiles.p.login",
            "profiles.p.login.expires-in: cannot be used with 'expires'"
        ),
        ("basic = \"{token}\"", "profiles.p.session", "profiles.p.session.basic: must be a user name and a password"),
        ("!cookies = false", "profiles.p.session", "profiles.p.session: is empty"),
        ("cookie = true", "profiles.p.session", "profiles.p.session.cookie: unknown key; did you mean 'cookies'?"),
        (
            "method = \"cookie\"\nlogin = { post = \"/l\" }\nsession = { header = \"X: {cookie:a}\" }", "profiles.p",
            "profiles.p.session: must have 'cookies = true'"
        ),
        (
            "method = \"token\"\nsession = { cookies = true }", "profiles.p",
            "profiles.p.session.cookies: needs a 'login'"
        ),
        (
            "method = \"token\"\nsession = { header = \"X: fixed\" }", "profiles.p",
            "profiles.p.session: must use {token}"
        ),
        (
            "method = \"cookie\"\nlogin = { post = \"/l\" }\nsession = { cookies = true, header = \"X: {token}\" }",
            "profiles.p", "profiles.p.session: {token} beside 'cookies = true' needs 'token' in 'login'"
        ),
        (
            "method = \"basic\"\nsession = { cookies = true }", "profiles.p",
            "profiles.p.session.cookies: needs a 'login' to set them"
        ),
        ("take = { null = \"/a\" }", "profiles.p.login", "profiles.p.login.take.null: must be a name of its own"),
        ("form = { a = \"{null}\" }", "profiles.p.login", "profiles.p.login.form.a: there is no {null}"),
        ("take = { otp = \"/a\" }", "profiles.p.login", "profiles.p.login.take.otp: must be a name of its own"),
        ("take = { Id = \"/a\" }", "profiles.p.login", "profiles.p.login.take.Id: must be a name of its own"),
        ("take = { id = \"a\" }", "profiles.p.login", "profiles.p.login.take.id: must be '/json/pointer'"),
        ("take = { id = [\"text\"] }", "profiles.p.login", "profiles.p.login.take.id: must be a place, or a list"),
        ("take = { id = [\"text\", \"*\"] }", "profiles.p.login", "profiles.p.login.take.id: must have one '*'"),
        ("take = { id = \"/a\" }", "profiles.p.verify", "profiles.p.verify.take: unknown key"),
        ("query = { id = \"{id}\" }", "profiles.p.verify", "profiles.p.verify.query.id: there is no {id}"),
        (
            "method = \"token\"\nsession = { header = [\"X: {token}\", \"Y: {cookie:csrf}\"] }", "profiles.p",
            "profiles.p.session: {cookie:csrf} is not available without 'cookies = true'"
        ),
        (
            "session = { csrf = { stale = [409], value = \"text\", header = \"X: Fetch\" } }", "profiles.p",
            "profiles.p.session.csrf.header: needs 'get'"
        ),
        (
            "session = { csrf = { get = \"/c\", value = \"text\", header = \"X: {token}\" } }", "profiles.p",
            "profiles.p.session.csrf.header: must be a header without templates"
        ),
        ("serve = true", "profiles.p", "profiles.p.serve: must be a table, not"),
        ("serve = { allows = [] }", "profiles.p", "profiles.p.serve.allows: unknown key; did you mean 'allow'?"),
        ("serve = { allow = \"GET /\" }", "profiles.p", "profiles.p.serve.allow: must be a list of rules"),
        ("serve = { allow = [1] }", "profiles.p", "profiles.p.serve.allow: must be a string or a list of strings"),
        (
            "serve = { ask = [\"GET /\", \"get /\"] }", "profiles.p",
            "profiles.p.serve.ask[2]: methods are written in capitals, not \"get\""
        ),
        ("serve = { deny = [\"GET x\"] }", "profiles.p", "profiles.p.serve.deny[1]: the path must begin with '/'"),
        (
            "serve = { deny = [" + String(repeating: "\"GET /\",", count: 257) + "] }", "profiles.p",
            "profiles.p.serve: has more than 256 rules"
        ),
        ("serve = { log = \"x\" }", "profiles.p", "profiles.p.serve.log: must be true or false, not"),
        ("serve = { overrides = 1 }", "profiles.p", "profiles.p.serve.overrides: must be true or false, not"),
        (
            "serve = { placeholder = [\"GH_TOKEN\", \"LD_PRELOAD\"] }", "profiles.p",
            "profiles.p.serve.placeholder: must be the name of a variable for a token"
        ),
        ("serve = { placeholder = \"AUTHCTL_TOKEN\" }", "profiles.p", "profiles.p.serve.placeholder: must be the name"),
        ("user-agent = \"\"", "profiles.p", "profiles.p.user-agent: must be 1 to 1000 printable ASCII characters"),
        ("user-agent = \"a\\tb\"", "profiles.p", "profiles.p.user-agent: must be 1 to 1000 printable"),
        ("json = { \"/a/1\" = 1 }", "profiles.p.session", "profiles.p.session.json: '/a/1' must be '/NAME/0'"),
        ("username = \"xml:/a//b\"", "profiles.p.verify", "profiles.p.verify.username: must be '/json/pointer'"),
        ("ca-file = \"\"", "profiles.p", "profiles.p.ca-file: is empty or contains a control character"),
        ("oauth = {}", "profiles.p", "profiles.p.oauth: needs method = \"oauth\""),
        (
            "method = \"oauth\"\nkeep-password = true", "profiles.p",
            "profiles.p.keep-password: cannot be used with method 'oauth'"
        ),
        ("second-factor = [401]", "profiles.p.verify", "profiles.p.verify.second-factor: unknown key"),
        ("origins = []", "profiles.p.login", "profiles.p.login.origins: needs 'open'"),
        ("body = \"x\"\njson = 1", "profiles.p.verify", "profiles.p.verify.body: cannot be used with 'json'"),
        (
            "!put = \"/a\"", "profiles.p.logout",
            "profiles.p.logout.put: unknown key"
        ),
    ])
    func `what is wrong, and where`(line: String, table: String, expected: String) throws {
        #expect(try fault(line, table: table).contains("config.toml: \(expected)"))
    }

    @Test(arguments: [
        ("!get = \"/{password}\"", "profiles.p.verify"), ("query = { p = \"{password}\" }", "profiles.p.verify"),
        ("header = \"X: {password}\"", "profiles.p.verify"), ("!post = \"/{secret:pin}\"", "profiles.p.login"),
        ("header = \"X: {password}\"", "profiles.p.session"),
        ("basic = \"{username}:{password}\"", "profiles.p.session"),
    ])
    func `a password gets into bodies only, and no secret into a URL`(line: String, table: String) throws {
        #expect(try fault(line, table: table).contains("is allowed only in 'form'"))
    }

    @Test(arguments: ["[profiles.p]\nurl = \"a\nb", "default = \"p\n", "a = = 1", "[profiles.p]\n[profiles.p]\n"])
    func `a syntax error has its line`(text: String) throws {
        let world = try TestWorld(config: "\n\n" + text)
        let run = world.run("profile", "list")
        #expect(run.code == 2 && run.output.isEmpty)
        #expect(run.talk.contains("config.toml: line "))
    }

    @Test(arguments: [
        "defualt = \"p\"", "profile = 1", "persist = \"x\"", "store = \"x\"", "proxy = 1", "profiles = 1",
    ])
    func `the keys at the top are read strictly, too`(text: String) throws {
        let run = try TestWorld(config: text).run("profile", "list")
        #expect(run.code == 2 && run.output.isEmpty && run.talk.contains("config.toml: "))
    }

    @Test(arguments: [
        ("[wire]\nurl = \"https://p.example\"\n", "wire: unknown key; the heading of a profile is [profiles.NAME]"),
        ("[profile.wire]\n", "profile: unknown key; did you mean 'profiles'?"),
        (
            "store = plaintext\n",
            "line 1: Error while parsing value: could not determine value type; a text needs quotes"
        ),
        ("store = file\n", "; a text needs quotes"), ("proxy = none\n", "; a text needs quotes"),
    ])
    func `the usual mistakes of a first profile are told with what is right`(text: String, words: String) throws {
        let run = try TestWorld(config: text).run("profile", "list")
        #expect(run.code == 2 && run.talk.contains(words), "\(run.talk)")
    }

    @Test(arguments: ["", ".hidden", "-rf", "a/b", "..", "a\\u0007b", "a\\nb", "a\\u001b[2J", "a\\u202eb"])
    func `what is no name for a profile is refused, and never shown raw`(name: String) throws {
        let config = "[profiles.\"\(name)\"]\nurl = \"https://p.example\"\nverify = { get = \"/\" }\n"
        let run = try TestWorld(config: config).run("profile", "list")
        #expect(run.code == 2 && run.talk.contains("a profile's name "))
        #expect(run.talk.unicodeScalars.allSatisfy { $0 == "\n" || SafeText.escape(for: $0) == nil })
    }

    @Test(arguments: [
        "https://u:canary@p.example", "https://p.example/?x=1", "ftp://p.example", "p.example", "https://",
        "file:///etc/canary", "", "https://p.example:99999", "https://p.example:0", "https://p.example/#x",
        "https://p.example/a b", "https://canary@/", "https://:80/", "https:///canary", "https://p.example:x/",
        "https://p\\u0007/", "http:/canary@h", "https://[::1]:canary",
    ])
    func `the url of a profile is checked wherever the profile is read`(url: String) throws {
        let world = try TestWorld(config: "profiles.p = { url = \"\(url)\", verify = { get = \"/\" } }")
        for words in [["login", "p"], ["profile", "show", "p"], ["profile", "list"]] {
            let run = world.run(words, server: [])
            #expect(run.code == 2 && world.requests.isEmpty)
            #expect(run.talk.contains("profiles.p.url: "))
            #expect(!(run.talk + run.output).contains("canary"))
        }
    }

    @Test(arguments: ["https://p.example/@me/", "https://[::1]:8/x", "HTTPS://p.example", "http://p.example:65535"])
    func `a url that is one is taken`(url: String) throws {
        #expect(ProfileURL(text: url).problem == nil)
    }

    @Test func `one bad profile does not stop the others`() throws {
        let world = try TestWorld(config: Examples.wire + "\n[profiles.bad]\nurl = 1\n")
        let run = world.run("profile", "show", "wire")
        #expect(run.code == 0)
        let list = world.run("profile", "list")
        #expect(list.code == 2 && list.output.contains("wire") && list.talk.contains("profiles.bad"))
    }

    @Test(arguments: [("bolg", "blog"), ("blgo", "blog"), ("wires", "wire"), ("Chat", "chat")])
    func `an unknown name is told with those that are near`(name: String, near: String) throws {
        let run = try TestWorld(config: Examples.config).run("whoami", name)
        #expect(run.code == 2)
        #expect(run.talk == "authctl: there is no profile \"\(name)\"\n  did you mean \(near)?\n")
    }
}
