import LoginCore
import LoginTestSupport
import Secrets
import Testing

@testable import LoginKit

/// What a login sends of a form beside the fields that its profile names, as a browser does.
struct FormEntriesTests {
    private func entries(_ html: String, naming names: [String] = ["u", "p"]) throws -> String {
        let url = try URLParser().parse("https://a.example/in")
        let response = HTTPResponse.answer(200, html, headers: ["Content-Type: text/html; charset=utf-8"])
        var rule = try SomeProfiles.rule("POST", "/in")
        rule.content = .form(try names.map { try SomeProfiles.parameter($0, "x") })
        return try HTMLFormReader(url: url).page(response).entries(of: rule, with: names, leadingTo: "/in")
            .map { "\($0.name)=\($0.value.text)" }.joined(separator: "&")
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
        values.pageEntries = [FormEntry(name: "a\nb", value: Secret("1\r2\n\n3\r\n4"))]
        var rule = try SomeProfiles.rule("POST", "/in")
        rule.content = .form([])
        let body = try rule.request(base: "https://a.example", values).body
        #expect(body?.text == "a%0D%0Ab=1%0D%0A2%0D%0A%0D%0A3%0D%0A4")
    }
}
