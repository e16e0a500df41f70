@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// What a login sends of a form beside the fields that its profile names, as a browser does.
struct FormEntriesTests {
    private func entries(_ html: String, naming names: [String] = ["u", "p"]) throws -> String {
        let url = try URLParser().parse("https://a.example/in")
        let response = HTTPResponse.answer(200, html, headers: ["Content-Type: text/html; charset=utf-8"])
        var rule = try SomeProfiles.rule("POST", "/in")
        rule.content = .form(try names.map { try SomeProfiles.parameter($0, "x") })
        return try HTMLFormReader(url: url).page(response).entries(of: rule, with: names, leadingTo: "/in")
            .entries.map { "\($0.name)=\($0.value.text)" }.joined(separator: "&")
    }

    private func form(_ fields: String) throws -> String {
        try entries("<form method=post action=/in><input name=u><input type=password name=p>\(fields)</form>")
    }

    static let fields: [(html: String, sent: String)] = [
        ("<input name=a value=1><input type=EMAIL name=b><input type=odd name=c value=2>", "a=1&b=&c=2"),
        ("<input type=hidden name=a value=1><input type=hidden value=2><input name='' value=3>", "a=1"),
        (
            "<input type=checkbox name=a><input type=checkbox name=b checked><input type=checkbox name=c value=1 checked>",
            "b=on&c=1"
        ),
        ("<input type=radio name=a value=1><input type=radio name=a value=2 checked>", "a=2"),
        ("<input type=radio name=a value=1 checked><input type=radio name=a value=2 checked>", "a=2"),
        ("<select name=a><option value=1><option value=2></select>", "a=1"),
        ("<select name=a><option value=1><option value=2 selected><option value=3></select>", "a=2"),
        ("<select name=a><option disabled value=1><option> two\n words </option></select>", "a=two words"),
        ("<select name=a><option selected disabled value=1><option value=2></select>", ""),
        ("<select name=a size=2><option value=1></select><select name=b></select>", ""),
        (
            "<select name=a multiple><option value=1 selected><option value=2><option value=3 selected></select>",
            "a=1&a=3"
        ),
        (
            "<select name=a><optgroup disabled><option value=1></optgroup><optgroup><option value=2></optgroup></select>",
            "a=2"
        ),
        ("<textarea name=a>\n one\n two</textarea><textarea name=b></textarea>", "a= one\n two&b="),
        ("<input name=a disabled value=1><select name=b disabled><option value=1></select>", ""),
        (
            "<fieldset disabled><legend><input name=a value=1></legend><legend><input name=b></legend><input name=c></fieldset>",
            "a=1"
        ),
        ("<fieldset disabled><fieldset><legend><input name=a></legend></fieldset></fieldset><input name=b>", "b="),
        ("<datalist><input name=a><select name=b><option value=1></select></datalist>", ""),
        ("<template><input name=a></template><input type=file name=b><input type=reset name=c value=1>", "b="),
        ("<input type=hidden name=_charset_ value=x>", "_charset_=UTF-8"),
        ("<button name=a value=1>In</button><button name=b>Other</button>", "a=1"),
        ("<button>In</button><input type=submit name=b value=2>", ""),
        (
            "<button type=button name=a value=1></button><input type=button name=b value=2><input type=submit name=c>",
            "c="
        ),
        ("<button formmethod=dialog name=a>Cancel</button><button name=b value=2>In</button>", "b=2"),
        ("<input type=image name=a value=1>", "a.x=0&a.y=0"), ("<input type=image>", "x=0&y=0"),
    ]

    @Test(arguments: fields.indices) func `A form sends what a browser would`(index: Int) throws {
        #expect(try form(Self.fields[index].html) == Self.fields[index].sent, "\(Self.fields[index].html)")
    }

    @Test func `What the profile names replaces the form's own, be it a list, a text or the button`() throws {
        let html = """
            <form method=post><select name=s><option value=1></select><input name=t value=2><input type=radio name=r checked>
            <button name=first value=3></button><button name=second value=4></button><input name=u><input name=p></form>
            """
        #expect(try entries(html) == "s=1&t=2&r=on&first=3")
        #expect(try entries(html, naming: ["u", "p", "s", "t", "r"]) == "first=3")
        #expect(try entries(html, naming: ["u", "p", "second"]) == "s=1&t=2&r=on")
    }

    @Test(arguments: [
        "<button disabled>In</button>", "<fieldset disabled><input type=submit></fieldset><button>Other</button>",
    ])
    func `A form whose default button is disabled is not sent`(button: String) throws {
        #expect(fault { _ = try form(button) } == .failure(.formDisabled(page: "/in")))
    }

    @Test func `The forms of Tiny Tiny RSS, LDAP Account Manager and Icinga Web send what these look for`() throws {
        let rss = """
            <form action="in" method="POST" id="loginForm" name="loginForm"><input dojoType="dijit.form.TextBox" name="op"
            value="login" style="display:none"><fieldset><label>Login:</label><input name="login" required></fieldset>
            <fieldset><input type="password" name="password"></fieldset><fieldset class="narrow"><label>
            <input dojoType="dijit.form.CheckBox" name="bw_limit" id="bw_limit" type="checkbox">Use less</label></fieldset>
            <fieldset class="align-right"><button dojoType="dijit.form.Button" type="submit">Log in</button></form>
            """
        #expect(try entries(rss, naming: ["login", "password"]) == "op=login")
        let lam = """
            <form action="in" method="post" name="login"><select name="server"><option selected>lam</option></select></form>
            <form action="/in" method="post"><table><tr><td><select size="1" name="username"><option value="admin" selected>
            admin</option><option value="second">x</option></select></td></tr><tr><td><input type="password" name="passwd">
            </td></tr><tr><td><select name="language"><option value="de_DE.utf8">Deutsch</option>
            <option value="en_GB.utf8" selected="selected">English</option></select></td></tr></table>
            <input type=hidden name=sec_token value=7><button name="checklogin" value="checklogin">Login</button></form>
            """
        let names = ["username", "passwd"]
        #expect(try entries(lam, naming: names) == "language=en_GB.utf8&sec_token=7&checklogin=checklogin")
        let icinga = """
            <form id="form_login" name="form_login" method="post" action="/in"><input type="text" name="username">
            <input type="password" name="password"><label><input type="checkbox" name="rememberme" value="1"></label>
            <input type="submit" name="btn_submit" value="Login"><input type="hidden" name="redirect" value="">
            <input type="hidden" name="CSRFToken" value="s|t"><input type="hidden" name="formUID" value="form_login"></form>
            """
        #expect(
            try entries(icinga, naming: ["username", "password"])
                == "btn_submit=Login&redirect=&CSRFToken=s|t&formUID=form_login")
    }

    @Test func `Line ends are sent as CR LF`() throws {
        var values = SlotValues()
        values.pageEntries = EntryList([FormEntry(name: "a\nb", value: Secret("1\r2\n\n3\r\n4"))])
        var rule = try SomeProfiles.rule("POST", "/in")
        rule.content = .form([])
        let body = try rule.request(base: "https://a.example", values).body
        #expect(body?.text == "a%0D%0Ab=1%0D%0A2%0D%0A%0D%0A3%0D%0A4")
    }

    /// The body of a login by the form of this page, whose name and password are typed.
    private func body(
        _ page: [UInt8], type: String, username: String = "Jürgen", password: String = "ä €"
    ) throws -> String? {
        let body = page.withUnsafeBytes { Secret(copying: $0) }
        let response = HTTPResponse(
            status: 200, headers: [HTTPResponseField(name: "Content-Type", value: type)], body: body)
        var rule = try SomeProfiles.rule("POST", "/in")
        rule.content = .form([
            try SomeProfiles.parameter("u", "{username}"), try SomeProfiles.parameter("p", "{password}"),
        ])
        var values = SlotValues()
        (values.username, values.password) = (username, Secret(password))
        values.pageEntries = try HTMLFormReader(url: URLParser().parse("https://a.example/in")).page(response)
            .entries(of: rule, with: ["u", "p"], leadingTo: "/in")
        return try rule.request(base: "https://a.example", values).body?.text
    }

    private func page(_ head: String = "", form: String = "", hidden: [UInt8] = []) -> [UInt8] {
        Array("\(head)<form method=post \(form)><input name=u><input name=p>".utf8)
            + (hidden.isEmpty ? [] : Array("<input type=hidden name=t value='".utf8) + hidden + Array("'>".utf8))
            + Array("<input type=hidden name=_charset_></form>".utf8)
    }

    private static let western = "u=J%FCrgen&p=%E4+%80&_charset_=windows-1252"
    private static let latin9 = "u=J%FCrgen&p=%E4+%A4&_charset_=ISO-8859-15"
    private static let utf8 = "u=J%C3%BCrgen&p=%C3%A4+%E2%82%AC&_charset_=UTF-8"

    @Test(arguments: [
        ("text/html; charset=ISO-8859-1", "", "", western), ("text/html; x=y; Charset=\"latin1\"", "", "", western),
        ("text/html", "<meta charset=windows-1252>", "", western),
        ("text/html", "<META Http-Equiv=content-type content='text/html; charset=us-ascii'>", "", western),
        ("text/html", "<meta charset=unheard-of><meta charset=ISO-8859-15><meta charset=utf-8>", "", latin9),
        ("text/html; charset=unheard-of", "<meta charset=iso-8859-15>", "", latin9),
        ("text/html; charset=utf-8", "<meta charset=latin1>", "", utf8),
        ("text/html", "<meta charset=utf-16>", "", utf8),
        ("text/html", "", "", utf8), ("text/html", "\u{FEFF}<meta charset=latin1>", "", utf8),
        ("text/html; charset=latin1", "", "accept-charset=' nonsense UTF-8 latin1'", utf8),
        ("text/html; charset=utf-8", "", "accept-charset=iso-8859-15", latin9),
        ("text/html; charset=latin1", "", "accept-charset=nonsense", western),
    ])
    func `A form is sent in the encoding that it or its page names`(
        type: String, head: String, form: String, sent: String
    ) throws {
        #expect(try body(page(head, form: form), type: type) == sent)
    }

    @Test(arguments: [
        ("shift_jis", "表=&", "%95%5C%3D%26", "Shift_JIS"), ("EUC-JP", "表", "%C9%BD", "EUC-JP"),
        ("gb2312", "表", "%B1%ED", "GBK"), ("gb18030", "表ä", "%B1%ED%810%8A1", "gb18030"),
        ("big5", "表", "%AA%ED", "Big5"),
        ("euc-kr", "가", "%B0%A1", "EUC-KR"), ("koi8-r", "ж", "%D6", "KOI8-R"), ("cp1251", "ж", "%E6", "windows-1251"),
        ("iso-8859-9", "ğ", "%F0", "windows-1254"), ("latin2", "ł", "%B3", "ISO-8859-2"),
    ])
    func `A password is sent in each encoding of pages`(
        label: String, password: String, sent: String, name: String
    ) throws {
        let found = try body(page(), type: "text/html; charset=\(label)", username: "ann", password: password)
        #expect(found == "u=ann&p=\(sent)&_charset_=\(name)")
    }

    @Test func `What a page has filled in goes back as it came, with references for what its encoding lacks`() throws {
        let hidden = [0xE4, 0x93] + Array("&auml;&#8594;&#x1F600;".utf8)
        let sent = "%E4%93%E4%26%238594%3B%26%23128512%3B"
        for (type, head) in [
            ("text/html; charset=latin1", ""), ("text/html", "<meta charset=latin1>"), ("text/html", ""),
        ] {
            #expect(
                try body(page(head, hidden: hidden), type: type, username: "ann", password: "x")
                    == "u=ann&p=x&t=\(sent)&_charset_=windows-1252")
        }
        // Not a byte of these two is a character: the page goes on behind it.
        #expect(
            try body(page(hidden: [0x81]), type: "text/html; charset=big5", username: "a", password: "b")?.contains(
                "charset") == true)
    }

    @Test func `A name or a password that the page's encoding cannot hold is not sent`() throws {
        #expect(throws: FillFault.notInEncoding(field: "p", encoding: "windows-1252")) {
            try body(page(), type: "text/html; charset=latin1", password: "→")
        }
        #expect(throws: FillFault.notInEncoding(field: "u", encoding: "KOI8-R")) {
            try body(page(), type: "text/html; charset=koi8-r")
        }
    }

    @Test func `A person's own form is sent in the encoding of its page, but for what is not UTF-8`() throws {
        let url = try URLParser().parse("https://a.example/in")
        let form = "<form method=post action=/in><input name=größe><input type=hidden name=t value=ß></form>"
        let found = try HTMLFormReader(url: url).page(Secret("<meta charset=latin1>\(form)"), in: .utf8)
        #expect(
            try found.submission(leadingTo: "/in", filled: Secret("a=@ä")).body.text == "a=@ä&gr%C3%B6%C3%9Fe=&t=%C3%9F"
        )
        let western = try HTMLFormReader(url: url).page(
            HTTPResponse.answer(200, form.replacing("form ", with: "form accept-charset=latin1 "))
        ).submission(leadingTo: "/in", filled: Secret("größe=%C3%A4+b=%c3%84&raw=%FC&@=1&&%"))
        #expect(western.body.text == "gr%F6%DFe=%E4+b=%C4&raw=%FC&@=1&&%&t=%DF")
    }
}
