@testable import LoginKit
import Secrets
import Testing

@testable import AuthctlCLI

/// What git asks of a helper, and what it is answered, as bytes.
struct GitCredentialTests {
    private func request(_ text: String) throws(LoginFault) -> GitCredentialRequest {
        try GitCredentialRequest(parsing: Secret(text))
    }

    /// Why a request is refused, as a person reads it.
    private func fault(_ text: String) -> String? {
        do throws(LoginFault) {
            _ = try request(text)
            return nil
        } catch {
            #expect(error.exitCode == .usage)
            return error.message().what
        }
    }

    @Test func `what git writes is read, and what it may write one day is passed over`() throws {
        let text = """
            capability[]=authtype
            capability[]=state
            protocol=https
            host=good.example:8443
            path=a/b.git
            username=ann
            password=p=w
            password_expiry_utc=99999999999999999999999
            oauth_refresh_token=r
            wwwauth[]=Basic realm="a\u{1b}[2J=b"
            wwwauth[]=Negotiate
            state[]=some.helper=1
            ephemeral=1
            continue=1
            later=x

            protocol=http
            nonsense
            """
        let read = try request(text)
        #expect(read.url == "https://good.example:8443" && read.username == "ann")
        #expect(read.password == Secret("p=w") && read.credential == nil)
        #expect(read.takesAuthtype && !read.isOver)
        #expect(try request(text.replacing("\n\n", with: "\n").replacing("protocol=http\nnonsense", with: "")) == read)
    }

    @Test(arguments: [
        "protocol=https\nhost=good\r\nhost=evil\n", "protocol=https\nhost=good\rhost=evil\n",
        "protocol=https\r\nhost=good\r\n", "protocol=https\nhost=good\0.evil\n",
        "protocol=https\nhost=good\nusername=a\rb\n", "protocol=https\nhost=good\npath=a\rb\n",
        "protocol=https\nhost=good\nwwwauth[]=a\0b\n", "url=https://good?%0ahost=evil\n", "url=https://good%0d.com\n",
        "url=https://good/%0Ahost=evil\n", "url=https://a%00b@good/\n", "url=https://good/a%7f\n",
    ])
    func `a line end, a carriage return or a NUL in a value is refused`(text: String) {
        #expect(fault(text) == "malformed request: a value contains a control character")
    }

    @Test(arguments: [
        "host", "protocol", "username", "password", "url", "credential", "quit", "path", "password_expiry_utc",
        "ephemeral",
        "later",
    ])
    func `an attribute that is said twice is refused`(name: String) {
        #expect(
            fault("protocol=https\nhost=good\n\(name)=https\n\(name)=evil\n")
                == "malformed request: \"\(name)\" occurs twice")
    }

    @Test func `an attribute whose name ends in brackets may be said twice`() throws {
        let lists = "wwwauth[]=a\nwwwauth[]=b\nlater[]=a\nlater[]=a\n"
        #expect(try request("protocol=https\nhost=good\n\(lists)").url == "https://good")
    }

    @Test func `a URL beside its parts is refused`() {
        #expect(fault("url=https://good\nhost=evil\n") == "malformed request: \"host\" occurs twice")
        #expect(fault("protocol=https\nurl=https://good\n") == "malformed request: \"protocol\" occurs twice")
    }

    @Test func `what names no host or no protocol is refused`() {
        #expect(fault("") == "malformed request: missing \"protocol\"")
        #expect(fault("\nprotocol=https\nhost=good\n") == "malformed request: missing \"protocol\"")
        #expect(fault("host=good\n") == "malformed request: missing \"protocol\"")
        #expect(fault("protocol=\nhost=good\n") == "malformed request: missing \"protocol\"")
        #expect(fault("protocol=https\n") == "malformed request: missing \"host\"")
        #expect(fault("protocol=https\nhost=\n") == "malformed request: missing \"host\"")
        #expect(fault("url=https:///x\n") == "malformed request: missing \"host\"")
        #expect(fault("url=https://?x\n") == "malformed request: missing \"host\"")
        #expect(fault("url=good\n") == "malformed request: invalid URL")
        #expect(fault("url=://good\n") == "malformed request: invalid URL")
        #expect(fault("protocol https\nhost=good\n") == "malformed request: a line without '='")
        #expect(fault("protocol=https\nhost=good\nhost") == "malformed request: a line without '='")
    }

    @Test(arguments: [
        "protocol=cert\nhost=good\n", "protocol=HTTPS\nhost=good\n", "protocol=https://evil\nhost=good\n",
        "protocol=https\nhost=ann@good\n", "protocol=https\nhost=good/path\n", "protocol=https\nhost=good?x\n",
        "protocol=https\nhost=good#x\n", "protocol=https\nhost=good%2eevil\n", "protocol=https\nhost=good evil\n",
        "protocol=https\nhost=evil\\good\n", "protocol=ssh\nhost=good\n",
    ])
    func `what is no https or http host is nobody's`(text: String) throws {
        #expect(try request(text).url == nil)
    }

    @Test func `authtype only where git announces it, and nothing after quit`() throws {
        let place = "protocol=https\nhost=good\n"
        #expect(try !request(place).takesAuthtype)
        #expect(try !request("capability[]=state\n" + place).takesAuthtype)
        #expect(try !request("capability[]=authtype\ncapability[]=\n" + place).takesAuthtype)
        #expect(try !request("capability[]=authtypes\ncapability=authtype\n" + place).takesAuthtype)
        #expect(try request("capability[]=authtype\n" + place).takesAuthtype)
        for yes in ["1", "true", "yes", "on"] { #expect(try request("quit=\(yes)\n" + place).isOver) }
        for no in ["0", "false", ""] { #expect(try !request("quit=\(no)\n" + place).isOver) }
    }

    @Test func `it is bounded, and text where it has to be`() {
        let long = String(repeating: "x", count: GitCredentialRequest.limit)
        #expect(
            fault("protocol=https\nhost=good\nlater=\(long)")
                == "malformed request: longer than \(GitCredentialRequest.limit) bytes")
        let bytes: [UInt8] = Array("protocol=https\nhost=good\nusername=".utf8) + [0xff, 0x0a]
        #expect(throws: LoginFault.malformedRequest("\"username\" is not UTF-8")) {
            try GitCredentialRequest(parsing: bytes.withUnsafeBytes { Secret(copying: $0) })
        }
    }

    private func answer(_ rule: SessionRule, _ session: Session) throws -> String? {
        try LentLogin(session, rule, SlotValues(session, username: "ann"))?.gitAnswer().unprotectedText
    }

    private func token(_ value: String, expires: Int64? = nil) -> Session {
        .token(Token(value: Secret(value), refreshToken: nil, expires: expires))
    }

    private var pair: SessionRule {
        var rule = SessionRule()
        let slot = { (slot: Template.Slot) in Template(parts: [.slot(slot)]) }
        rule.basic = SessionRule.BasicRule(username: slot(.username), password: slot(.token))
        return rule
    }

    @Test func `a Basic login is a pair, and so is what the profile makes of a token`() throws {
        let basic = Session.credential(Credential(username: "ann", .password(Secret("p w"))))
        #expect(try answer(SessionRule(), basic) == "username=ann\npassword=p w")
        #expect(try answer(pair, token("t0k", expires: 99)) == "username=ann\npassword=t0k\npassword_expiry_utc=99")
    }

    @Test func `a token in Authorization is an authtype, and one elsewhere is not lent`() throws {
        let bearer = "capability[]=authtype\nauthtype=Bearer\ncredential=t0k"
        #expect(try answer(.bearer, token("t0k")) == bearer)
        #expect(try answer(.bearer, token("t0k", expires: 0)) == bearer + "\npassword_expiry_utc=0")
        var own = SessionRule()
        own.headers = [HeaderRule(name: "PRIVATE-TOKEN", value: try Template(parsing: "{token}"))]
        #expect(try answer(own, token("t0k")) == nil)
        #expect(try answer(SessionRule(cookies: true), token("t0k")) == nil)
        let cookie = Cookie(name: "s", value: Secret("v"), record: Secret("r"), expires: nil)
        #expect(try answer(SessionRule(cookies: true), .cookies([cookie])) == nil)
    }

    @Test(arguments: ["a\nb", "a\rb", "a\0b"]) func `a value that ends its line is not answered`(secret: String)
        throws
    {
        let basic = Session.credential(Credential(username: "ann", .password(Secret(secret))))
        let fault = LoginFault.failure(
            .other("the login contains a line end, which git's protocol does not allow; git got nothing"))
        #expect(throws: fault) { try answer(SessionRule(), basic) }
        #expect(throws: FillFault.self) { try answer(pair, token(secret)) }
        #expect(throws: FillFault.self) { try answer(.bearer, token(secret)) }
    }

    @Test func `a line of more than 65,535 bytes, with its end, is not answered`() throws {
        // `password=` and the line end take ten of them.
        let longest = String(repeating: "x", count: 65_535 - 10)
        let basic = { (text: String) in Session.credential(Credential(username: "ann", .password(Secret(text)))) }
        #expect(try answer(SessionRule(), basic(longest)) == "username=ann\npassword=\(longest)")
        let fault = LoginFault.failure(
            .other("the login is longer than 65535 bytes, the limit of a line in git's protocol; git got nothing"))
        #expect(throws: fault) { try answer(SessionRule(), basic(longest + "x")) }
        #expect(throws: fault) { try answer(.bearer, token(longest)) }
    }
}
