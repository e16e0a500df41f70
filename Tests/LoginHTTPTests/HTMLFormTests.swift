@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// The forms of a page, as libxml2 and our outline see them.
struct `The forms of a page` {
    private let url = ParsedURL(
        origin: Origin(scheme: "https", host: "a.example", port: 443), path: "/in/login", query: "x=1", user: nil,
        password: nil)

    private func page(_ html: String, type: String = "text/html; charset=utf-8") throws -> LoginPage {
        try HTMLFormReader(url: url).page(HTTPResponse.answer(200, html, headers: ["Content-Type: \(type)"]))
    }

    private func values(_ form: PageForm) -> [String] {
        form.fields.map { "\($0.name)=\($0.value?.text ?? "")" }
    }

    @Test func `the forms of a page have their fields with their values byte for byte`() throws {
        let forms = try page(
            """
            <!DOCTYPE html><form method=POST action='do?a=1&amp;b=2'><INPUT TYPE=Hidden NAME=t VALUE='a&amp;b"&#10;+%41 ä'>
            <input name=u><p><input type=password name=p><select name=s><option>1</select><textarea name=a>x</textarea>
            <input type=hidden name=empty><input type=hidden value=nameless><button name=b value=1>in</button></form>
            """
        ).forms
        #expect(forms.count == 1)
        #expect(forms[0].methods == ["post"])
        #expect(forms[0].actions.map(\.url) == ["https://a.example/in/do?a=1&b=2"])
        #expect(values(forms[0]) == ["t=a&b\"\n+%41 ä", "u=", "p=", "s=1", "a=x", "empty=", "b=1"])
    }

    @Test func `a link with a method of its scripts is told from one that is followed`() throws {
        let page = try page(
            """
            <head><meta name="csrf-param" content="_csrf"><meta name="csrf-token" content="t1"></head>
            <a href="/user/logout" data-method="post">Sign out</a>
            """)
        #expect(page.guardValue?.name == "_csrf" && page.guardValue?.value?.text == "t1")
        #expect(page.logout == .form(page: "/in/login?x=1", action: "/user/logout"))
    }

    @Test func `a logout by its whole address, beside a tab of the same name, is found`() throws {
        let page = try page(
            """
            <a href="#logout">Logout</a><a href="https://a.example/?logout=1">Logout</a>
            <a class="btn" href="https://a.example:443/?logout=1"><span>I am sure</span></a>
            """)
        #expect(page.logout == .link(page: "/in/login?x=1", target: "/?logout=1"))
    }

    @Test(arguments: [
        ("<input name=f value=7>", "7"), ("<input name=f type=password>", "password"), ("<input name=f>", "text"),
        ("<select name=f><option value=a><option value=b selected><option value=c></select>", "b"),
        ("<select name=f><option value=a><option value=b></select>", "a"), ("<select name=f></select>", "select"),
        ("<input type=radio name=f value=1><input type=radio name=f value=2 checked>", "2"),
        ("<textarea name=f></textarea>", "textarea"), ("<input name=g>", nil),
    ])
    func `give a field's value, of a list the chosen one, else its type`(field: String, value: String?) throws {
        let response = HTTPResponse.answer(200, "<form>\(field)</form>", headers: ["Content-Type: text/html"])
        let body = try ResponsePage(response, at: "https://a.example/")?.body
        let facts = ParsedResponse(response: response, json: nil, html: body, origin: url.origin)
        #expect(facts.text(at: .field("f")) == value)
    }

    @Test func `a field outside of the forms is found after those of the forms`() throws {
        let html =
            "<input name=csrf value=1><form><input name=a value=2></form><input name=a value=3><input name=b form=x value=4>"
        let response = HTTPResponse.answer(200, html, headers: ["Content-Type: text/html"])
        let body = try ResponsePage(response, at: "https://a.example/")?.body
        let facts = ParsedResponse(response: response, json: nil, html: body, origin: url.origin)
        #expect(facts.text(at: .field("csrf")) == "1" && facts.text(at: .field("a")) == "2")
        #expect(facts.text(at: .field("b")) == nil)
    }

    @Test func `what is not HTML has none, and no tags to lose`() throws {
        let html = "<p class=error>No &lt;such&gt; <b>name</b>: &auml;</p>"
        let place = Place.between(.text, before: "error>", after: "</p>")
        for (type, expected) in [
            ("text/html", "No <such> name: ä"), ("text/plain", "No &lt;such&gt; <b>name</b>: &auml;"),
        ] {
            let response = HTTPResponse.answer(200, html, headers: ["Content-Type: \(type)"])
            let body = try ResponsePage(response, at: "https://a.example/")?.body
            let facts = ParsedResponse(response: response, json: nil, html: body, origin: url.origin)
            #expect(facts.text(at: place) == expected)
            #expect(facts.text(at: .between(.text, before: "error>No", after: "")) != nil)
            #expect(facts.text(at: .between(.text, before: "", after: "missing")) == nil)
        }
    }

    @Test func `the text of a page in another encoding is read in that`() throws {
        let bytes = Array("<meta charset=latin1><p>Grüße, J".utf8) + [0xFC] + Array("rgen</p>".utf8)
        let response = HTTPResponse(
            status: 200, headers: [HTTPResponseField(name: "Content-Type", value: "text/html")],
            body: bytes.withUnsafeBytes { Secret(copying: $0) })
        let body = try ResponsePage(response, at: "https://a.example/")?.body
        let facts = ParsedResponse(response: response, json: nil, html: body, origin: url.origin)
        #expect(facts.text(at: .between(.text, before: ", ", after: "</p>")) == "Jürgen")
        #expect(facts.place(of: "Jürgen", missingIn: nil) != nil)
    }

    @Test func `white space of HTML is one blank, that of other text stays`() throws {
        let html = "<p>\n    Sorry,\r\n\t<b>no</b>&nbsp;such\n    name.\n</p>"
        let place = Place.between(.text, before: "<p>", after: "</p>")
        for (type, expected) in [
            ("text/html", "Sorry, no\u{A0}such name."),
            ("text/plain", "\n    Sorry,\r\n\t<b>no</b>&nbsp;such\n    name.\n"),
        ] {
            let response = HTTPResponse.answer(200, html, headers: ["Content-Type: \(type)"])
            let body = try ResponsePage(response, at: "https://a.example/")?.body
            let facts = ParsedResponse(response: response, json: nil, html: body, origin: url.origin)
            #expect(facts.text(at: place) == expected)
        }
    }

    @Test func `the forms of a page have GET and the page itself where they do not say`() throws {
        let forms = try page("<form><input name=u></form><form method=put action=''></form>").forms
        #expect(forms.map(\.methods) == [["get"], ["put"]])
        #expect(
            forms.map { $0.actions.map(\.url) } == [
                ["https://a.example/in/login?x=1"], ["https://a.example/in/login?x=1"],
            ])
    }

    @Test func `the forms of a page are told apart, however broken the page is`() throws {
        let forms = try page(
            """
            <table><form id=one method=post><tr><td><input name=a><form action=//evil><input name=b></table><input name=c>
            <template><form><input name=t></template><form id=two><input name=d disabled><div><input name=e></form>
            <input name=f form=one><input name=g form=none>
            """
        ).forms
        #expect(forms.map { $0.fields.map(\.name) } == [["a", "b", "c", "e", "f"]])
        #expect(
            try page("<input name=a></form><b><form><i><input name=b").forms.map { $0.fields.map(\.name) } == [["b"]])
        #expect(try page("").forms.isEmpty)
        #expect(try page("{\"no\": \"html\"}").forms.isEmpty)
        #expect(try page("\u{0}\u{0}<form>").forms.count <= 1)
    }

    @Test(arguments: [
        // An inner form is ignored, and the first end tag closes the outer one.
        ("<form action=/a><input name=a><form action=//evil><input name=b></form><input name=c></form>", [["a", "b"]]),
        (
            "<form action=/a><table><tr><td><input name=a></form><input name=b></table><input name=c>",
            [["a", "b", "c"]]
        ),
        ("<table><form action=/a><tr><td><input name=a></form><input name=b></table>", [["a"]]),
        ("<form action=/a><div><p><input name=a></form><input name=b></div><input name=c>", [["a", "b"]]),
        ("<form action=/a><p><input name=a></form><input name=b>", [["a"]]),
        ("<div><form><table><tr><td></form></table><input name=a></div><input name=b>", [["a"]]),
        ("<p>x<form><div><input name=a></form><input name=b></div><input name=c>", [["a", "b"]]),
        ("<form><div></form><form action=/b><input name=a></form><input name=b></div>", [["b"], ["a"]]),

        ("<table><form action=/a><tr><td><input name=a></td></tr></form></table><input name=b>", [["a"]]),
        ("<table><tr><form action=/a><td><input name=a></td><td><input name=b></form></td></table>", [["a", "b"]]),
        ("<div><form action=/a><input name=a></div><input name=b></form><input name=c>", [["a", "b"]]),
        ("<FORM ACTION=/a><p><form><input name=a></FORM ><form action=/b><input name=b>", [["a"], ["b"]]),
        ("</form><form/action=/a><input name=a></formal><input name=b></form", [["a", "b"]]),
        ("<!-- <form action=//evil> --><script>'<form action=//evil>'</script><form><input name=a>", [["a"]]),
        ("<title><form action=//evil></title><form><input name=a></form>", [["a"]]),
        ("<input name=z form=f><form id=f><input name=a></form><input name=b form=f>", [["z", "a", "b"]]),
        ("<p id=f><form id=f><input name=a></form><input name=b form=f>", [["a"]]),
        ("<form><input name=a><noscript><input type=submit></noscript></form>", [["a"]]),
        ("<script><!-- document.write('<script src=x>'); --></script><form><input name=a></form>", [["a"]]),
        ("<script><!-- x --> s = '<script>'</script><form><input name=a></form>", [["a"]]),
        ("<script><!--> s = '<script>'</script><form><input name=a></form>", [["a"]]),
        ("<form><input name=a></form><plaintext><form action=//evil><input name=b></plaintext></form>", [["a"]]),
        ("<form><svg><path d=x /><g><title>x</title></g></svg><input name=a></form>", [["a"]]),
    ])
    func `A form has the fields that browsers give it`(html: String, names: [[String]]) throws {
        let found = try page(html)
        #expect(found.forms.map { $0.fields.map(\.name) } == names && !found.isUnclear)
        #expect(found.forms.allSatisfy { $0.actions[0].origin == url.origin })
    }

    @Test(arguments: [
        "<svg><form action=//evil></svg>", "<form><math><input name=p></math>",
        "<form><textarea name=t><b>x</b></textarea>",
        "<form><textarea name=t><form action=//evil></textarea><input name=p>",
        "<noscript><form action=/a></noscript><form action=//evil><input name=p></form>",
        "<form action=/a><input name=a><noscript></form></noscript><form action=//evil><input name=p></form>",
        "<noscript><base href=//evil></noscript><form action=a><input name=p></form>",
        "<script><!--<script></script><form action=/a><input name=p></form><!-- --></script>",
    ])
    func `A page whose forms browsers read differently is refused`(html: String) throws {
        let fault = fault { _ = try page(html).form(with: [], leadingTo: "/") }
        #expect(fault?.exitCode == .untrusted)
        #expect(fault?.message().what.hasPrefix("the page \"/in/login?x=1\" has tags") == true)
    }

    @Test func `A tag in the text of an attribute stays text`() throws {
        let found = try page("<form><input name=t value='x0x- <Form a> </FORM> <form'><input name=u value='&lt;form>'>")
        #expect(found.forms.map(values) == [["t=x0x- <Form a> </FORM> <form", "u=<form>"]])
    }

    @Test(arguments: [
        ("a&colon;b&plus;&sol;&equals;&lowbar;&commat;", "a:b+/=_@"), ("&amp;colon; &AMP;colon;", "&colon; &colon;"),
        ("&Tab;&NewLine;&nosuch;&colon", "\t\n&nosuch;&colon"),
    ])
    func `A named character is decoded once`(text: String, decoded: String) throws {
        #expect(try page("<form><input name=t value=\"\(text)\">").forms.map(values) == [["t=\(decoded)"]])
    }

    @Test func `lead where their buttons lead, too`() throws {
        let forms = try page(
            """
            <form method=post action=/a><button formaction=/b>x</button><input type=image formaction=//evil/c formmethod=GET>
            <button type=button formaction=/never></button><button formmethod=dialog></button></form>
            """
        ).forms
        #expect(forms[0].actions.map(\.url) == ["https://a.example/a", "https://a.example/b", "https://evil/c"])
        #expect(forms[0].methods == ["post", "get", "dialog"])
    }

    static let addresses = [
        "//evil.example/", "https://evil.example/", "http://a.example/", "https://a.example:444/",
        "javascript:alert(1)",
        " javascript:alert(1)", "java\nscript:alert(1)", "\\\\evil.example", "/\\evil.example", "\t//evil.example",
        "https:\\\\evil.example\\", "mailto:x@a.example", "data:text/html,x", "https://a.example@evil.example/",
        "https://a.example.evil.example/", "http:///evil.example", "https:evil.example", "/\t/evil.example",
        "https://a.example.", "ht\ttps://evil.example", "javascript&colon;alert(1)", "&sol;&sol;evil.example",
        "https&colon;&bsol;&bsol;evil&period;example", "java&Tab;script&colon;alert(1)", "&sol;&NewLine;/evil.example",
    ]

    @Test(arguments: addresses)
    func `lead away by every kind of address that a browser takes so`(address: String) throws {
        let forms = try page("<form method=post action=\"\(address)\"></form>").forms
        #expect(forms[0].actions[0].origin != url.origin, "\(forms[0].actions)")
    }

    @Test(arguments: [
        "/x", "x", "?y", "#z", "./x", "../../x", "https://a.example/x", "https://A.EXAMPLE:443/x", "//a.example/x",
    ])
    func `lead to the origin by every kind of address that is one of its own`(address: String) throws {
        let forms = try page("<form method=post action=\"\(address)\"></form>").forms
        #expect(forms[0].actions[0].origin == url.origin, "\(forms[0].actions)")
    }

    @Test func `count from the base, which is noted`() throws {
        let found = try page("<base href='//evil.example/x/'><base href=/y/><form action=z></form><form></form>")
        #expect(found.base?.url == "https://evil.example/x/")
        #expect(found.forms[0].actions[0].url == "https://evil.example/x/z")
        #expect(found.forms[1].actions[0].url == "https://a.example/in/login?x=1")
    }

    @Test func `the forms of a page are read in the page's own characters`() throws {
        let latin = HTTPResponse(
            status: 200, headers: [HTTPResponseField(name: "content-type", value: "text/html; Charset=\"ISO-8859-1\"")],
            body: Secret(copying: UnsafeRawBufferPointer(start: nil, count: 0)))
        #expect(try HTMLFormReader(url: url).page(latin).forms.isEmpty)
        let bytes = Array("<form><input type=hidden name=t value=\"".utf8) + [0xe4] + Array("\">".utf8)
        let body = bytes.withUnsafeBytes { Secret(copying: $0) }
        let reader = try HTMLFormReader(url: url)
        // A page cannot name UTF-16: it stands for UTF-8, in which the byte is wrong.
        for (label, value) in [("iso-8859-1", "ä"), ("UTF-16", "\u{FFFD}"), (nil, "ä")] {
            let encoding = label.flatMap { PageEncoding(label: $0) }
            #expect(try reader.page(body, in: encoding).forms.map(values) == [["t=\(value)"]], "\(label ?? "none")")
        }
        let unsaid = try page("<form><input type=hidden name=t value=ä>", type: "text/html").forms
        #expect(unsaid.map(values) == [["t=ä"]])
        #expect(
            try page("<meta charset=utf-8><form><input type=hidden name=t value=ä>", type: "text/html").forms.map(
                values) == [["t=ä"]])
    }

    @Test(arguments: [
        ("text/html", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>", "windows-1252"),
        ("application/xhtml+xml", "<?xml version='1.0' encoding = 'KOI8-R' standalone='yes'?>", "KOI8-R"),
        ("application/xhtml+xml", "<?xml version='1.0' encoding='latin1'?><meta charset=koi8-r>", "windows-1252"),
        ("text/html", "<?xml version='1.0' encoding='latin1'?><meta charset=koi8-r>", "KOI8-R"),
        ("text/html; charset=utf-8", "<?xml version='1.0' encoding='latin1'?>", "UTF-8"),
        ("text/html", "\u{FEFF}<?xml version='1.0' encoding='latin1'?>", "UTF-8"),
        ("text/html", "<?xml version='1.0' encoding='UTF-16'?>", "UTF-8"),
        ("text/html", "<?xml version='1.0' encoding='x-unknown'?>", "UTF-8"),
        ("text/html", "<?xml version='1.0' encoding=latin1?>", "UTF-8"),
        ("text/html", "<?xml version='1.0'?><p title=\"encoding='latin1'\">", "UTF-8"),
        ("text/html", "<!-- <?xml version='1.0' encoding='latin1'?> -->", "UTF-8"),
    ])
    func `XHTML is in the encoding of its XML declaration, unless something stronger names another`(
        type: String, start: String, encoding: String
    ) throws {
        let found = try page("\(start)<html><form><input name=u></form></html>", type: type)
        #expect(found.encoding.name == encoding)
        #expect(found.forms.map(\.encoding.name) == [encoding])
    }

    @Test func `the forms of a page are bounded in number and depth`() throws {
        let many = String(repeating: "<form><input name=a></form>", count: 3000)
        #expect(try page(many).forms.count == HTMLFormReader.most)
        let fields = "<form>" + String(repeating: "<input name=a>", count: 3000)
        #expect(try page(fields).forms[0].fields.count == HTMLFormReader.most)
        #expect(try page(String(repeating: "<div>", count: 100_000) + "<form>").forms.isEmpty)
    }
}
