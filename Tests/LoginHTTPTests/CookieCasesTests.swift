@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// What a service sets, and what comes back: the cases that the IETF's working group for cookies tried browsers with (http-state), each
/// written anew, and those of RFC 6265 beside them.
///
/// What differs by decision, and is not in the tables: NUL and a carriage return make the whole response broken (`A hostile head`), a
/// control character its cookie alone. Without the list of public suffixes `Domain=co.uk` is taken: a cookie only goes back to the origin
/// that has set it. `Domain=.` is no domain, so its cookie is ignored. A cookie that replaces another one is a new one in the order.
struct `The cases of cookies` {
    private static let host = "http://one.shop.example:8888"

    /// Lines of `Set-Cookie` from `/set` of one.shop.example, and the `Cookie` of the next request.
    struct Case: Sendable, CustomTestStringConvertible {
        let lines: [String]
        /// A path there, or a whole URL.
        let target: String
        let sent: String
        var testDescription: String { "\(lines) to \(target)" }

        init(_ line: String, _ sent: String = "", to target: String = "/result") { self.init([line], sent, to: target) }

        init(_ lines: [String], _ sent: String = "", to target: String = "/result") {
            (self.lines, self.sent) = (lines, sent)
            self.target = target.hasPrefix("/") ? host + target : target
        }
    }

    @Test(arguments: pairs + attributes + ages + secure + paths + domains + orders)
    func `A cookie is taken and sent as RFC 6265 has it`(item: Case) throws {
        let proxy = try RecordingServer([.answer(200, item.lines.map { "Set-Cookie: \($0)" }), .answer(200)])
        defer { proxy.stop() }
        let settings = TransportSettings(allowHTTP: true, proxy: .url(proxy.url()))
        var cookies: [Cookie] = []
        for text in ["\(Self.host)/set", item.target] {
            let url = try URLParser.parsed(text)
            let request = HTTPRequest(method: "GET", url: url.text, cookies: cookies)
            cookies = try CurlTransport(origin: url.origin, settings: settings).send(request).cookies
        }
        let line = proxy.texts.last?.split(separator: "\n").first { $0.hasPrefix("Cookie: ") }
        #expect(String(line?.dropFirst(8) ?? "") == item.sent)
    }

    private static let pairs: [Case] =
        [
            .init("sid=one", "sid=one"), .init("sid=one;", "sid=one"), .init("sid", ""), .init("", ""),
            .init("   ", ""),
            .init("=", ""), .init("=one", ""), .init(" =one", ""), .init("==one", ""), .init("; sid=one", ""),
            .init("sid; lang=de", ""), .init("\"sid;x\"=one", ""), .init("\"sid\\\"x; path=/", ""),
            .init(["a=1", "=", "b=2"], "a=1; b=2"), .init(["a=1", "=x", "b=2"], "a=1; b=2"),
            .init(["a=1", "x=", "b=2"], "a=1; x=; b=2"), .init(["sid", "=", "", "  ", "; x", "lang"], ""),
            .init(["six", " =seven", "sid=eight"], "sid=eight"), .init(["sid=one", "sid=two"], "sid=two"),
            .init("sid=a, b=c", "sid=a, b=c"), .init("sid=\"a, b=c\"", "sid=\"a, b=c\""),
            .init("sid=a; x,y=z", "sid=a"),
            .init("sid=a; x=y,z", "sid=a"), .init("sid=a; x=y, b=c", "sid=a"),
            .init("sid=  one", "sid=one"), .init("sid =one", "sid=one"), .init("   sid=one", "sid=one"),
            .init("sid=one   ", "sid=one"), .init("sid=one   ;", "sid=one"),
            .init("  sid   =   one   ;   x", "sid=one"),
            .init("\tsid\t=\tone\t;\tx", "sid=one"), .init("sid=a\tb", "sid=a\tb"), .init("s\tid=one", ""),
            .init("sid=a\u{1}b", ""), .init("sid=a; x=\u{7f}", ""),
            .init("sid=\"one\"", "sid=\"one\""), .init("sid=\"  one \"", "sid=\"  one \""),
            .init("sid=\"one", "sid=\"one"),
            .init("sid=\"a;b\"", "sid=\"a"), .init("sid=\"a=b\"", "sid=\"a=b\""),
            .init("sid=\"a \"   \"b\"  ;", "sid=\"a \"   \"b\""),
            .init("sid=a\"b ;", "sid=a\"b"), .init("sid=\"a ;", "sid=\"a"), .init("sid=\"a;b\" ; ;", "sid=\"a"),
            .init("sid=== a  ;x;;;   y", "sid=== a"), .init("sid=a=b=", "sid=a=b="), .init("sid=;  path = /", "sid="),
            .init("\"sid=a\"=b", "\"sid=a\"=b"), .init(["\"sid=a\"=b", "\"sid=c"], "\"sid=c"),
            .init("s id=one", "s id=one"),
            .init("$Version=1; sid=one", "$Version=1"), .init("sid=\"a! = b;c\\\";\" d; max-age=6", "sid=\"a! = b"),
            .init("sid=\u{6625}\u{b7}\u{e4}", "sid=\u{6625}\u{b7}\u{e4}"),
            .init("\u{6625}=\u{e4}; \u{b7}", "\u{6625}=\u{e4}"),
            .init("sid=\"\u{6625}\"", "sid=\"\u{6625}\""),
            .init("sid=" + String(repeating: "x", count: 4094), ""),
            .init(["a=1", "sid=" + String(repeating: "x", count: 5000), "b=2"], "a=1; b=2"),
            .init("sid=" + String(repeating: "x", count: 4093), "sid=" + String(repeating: "x", count: 4093)),
        ]
        + ["7", "$", "!s", "@s", "#s", "$s", "%s", "^s", "&s", "*s", "(s", ")s", "-s", "_s", "+", "s\"", "S"].map {
            Case("\($0)=one", "\($0)=one")
        }

    private static let attributes: [Case] = [
        "version=1", "version=1000;", "x=1;", "x=\"1 or more\"", "x=\"no end", "HttpOnly", "httponly=no",
        "SameSite=Lax",
        "Priority=High; Partitioned", "\"Secure\"", "Secure x", "max-age-=0", ";;;", "=;=", "Path", "Path=", "Path=/",
        "path= /",
    ].map { Case("sid=one; \($0)", "sid=one") }

    private static let ages: [Case] = [
        .init("sid=one; max-age=60", "sid=one"), .init("sid=one; Max-Age = 60 ;", "sid=one"),
        .init("sid=one; max-age=0;"),
        .init("sid=one; max-age=-1"), .init("sid=one; MAX-AGE=-20"), .init("sid=one; max-age=60; max-age=0"),
        .init("sid=one; max-age=0; max-age=60", "sid=one"), .init("sid=one; max-age=60; max-age=none", "sid=one"),
        .init("sid=one; max-age=0; max-age=none"), .init("sid=one; max-age=50,399", "sid=one"),
        .init("sid=one; max-age=2.5,", "sid=one"), .init("sid=one;max-age=3600, b=c;path=/", "sid=one"),
        .init("sid=one; max-age=+0", "sid=one"), .init("sid=one; max-age=00"),
        .init("sid=one; expires=Thu, 04 Mar 1982 16:00:00 GMT"),
        .init("sid=one; expires=Thu, 04 Mar 2032 16:00:00 GMT", "sid=one"),
        .init("sid=one; expires=Thu 04 Mar 2032 16:00:00 GMT, b=c", "sid=one"),
        .init("sid=one; expires=Thu, 04-Mar-2032 16:00:00 GMT ; path=/  ;  ", "sid=one"),
        .init("sid=one; expires=Thu, 04 Mar 1982 16:00:00 GMT; max-age=60", "sid=one"),
        .init("sid=one; max-age=0; expires=Thu, 04 Mar 2032 16:00:00 GMT"),
        .init(["a=1; expires=Thu, 04 Mar 1982 16:00:00 GMT", "b=2; expires=Thu, 04 Mar 2032 16:00:00 GMT"], "b=2"),
        .init(["a=1; max-age=60", "b=2; max-age=60"], "a=1; b=2"),
        .init(["a=1; max-age=60", "b=2; max-age=60", "a=other; max-age=0"], "b=2"),
        .init(["a=1; max-age=60", "b=2; max-age=60", "a=other; max-age=0", "c=3; max-age=0"], "b=2"),
    ]

    /// Over plain http none of them is taken.
    private static let secure: [Case] = [
        "secure;", "Secure", "seCURe", "Secure=", "Secure=no", "Secure =no", "Secure= no", "Secure; x", "Secure;x",
        "Secure    ; x", "        Secure", "     Secure     ;", "x; Secure", "x=\"a;b\"; Secure",
    ].map { Case("sid=one; \($0)") }

    private static let paths: [Case] = [
        .init("sid=one; Path=/other"), .init("sid=one; Path    =/other"), .init("sid=one; Path=    /other"),
        .init("sid=one; Path=/other      ; x"), .init("sid=one; Path=/other; Path=/", "sid=one"),
        .init("sid=one; Path=/; Path=/other"),
        .init("sid=one; Path=/other; Path=/result", "sid=one"), .init("sid=one; Path=/result; Path=/other"),
        .init("sid=one; path=/dog; path=", "sid=one"), .init("sid=one; path=; path=/dog"),
        .init("sid=one; Path=/RESULT"),
        .init("sid=one; path=/result/a"), .init("sid=one; path=/result/a", "sid=one", to: "/result/a?x"),
        .init("sid=one; path=/result/a", to: "/result/b"), .init("sid=one; path=/result/a/b", to: "/result/a"),
        .init("sid=one; path=/result/a/b", "sid=one", to: "/result/a/b"),
        .init("sid=one; path=/result/a/b", to: "/result/c/b"),
        .init("sid=one; path=/result/a/b", to: "/result/a/c"), .init("sid=one; path=/result/a/b/", to: "/result/a/c"),
        .init("sid=one; path=/result/a/b/", to: "/result/a/b"),
        .init("sid=one; path=/result/a/b/", "sid=one", to: "/result/a/b/"),
        .init("sid=one; path=/result/a/", "sid=one", to: "/result/a/b"),
        .init("sid=one; path=/result/a/", "sid=one", to: "/result/a//b"),
        .init("sid=one; path=/result/a/", to: "/result/ab"), .init("sid=one; path=/result/a?", to: "/result/a"),
        .init("sid=one; path=/result/a#", to: "/result/a"),
        .init("sid=one; path=/result/a;", "sid=one", to: "/result/a"),
        .init("sid=one; path=\"/other;\"", "sid=one"), .init("sid=one; path=/result/%61", to: "/result/a"),
        .init("sid=one; path=/result/a", to: "/result/%61"), .init("sid=one; path=/a\tb"),
        .init(["a=1;   path   =   /result   ", "b=2;   path   =   /book   "], "a=1"),
        .init(["sid=one", "sid=two; path=/result/a"], "sid=one"),
        .init(["sid=one; path=/result", "sid=two; path=/result/"], "sid=two; sid=one", to: "/result/dog"),
    ]

    private static let (sibling, below) = (
        "http://two.shop.example:8888/result", "http://deep.one.shop.example:8888/result"
    )
    private static let domains: [Case] = [
        .init("sid=one; domain=one.shop.example", "sid=one"), .init("sid=one; domain=one.shop.example", to: sibling),
        .init("sid=one; domain=.one.shop.example", "sid=one"),
        .init("sid=one; domain=one.shop.example", "sid=one", to: below),
        .init("sid=one; domain=.one.shop.example", "sid=one", to: below),
        .init("sid=one; domain=.one.shop.example", to: sibling),
        .init("sid=one; domain=two.shop.example", to: sibling), .init("sid=one; domain=.two.shop.example", to: sibling),
        .init("sid=one; domain=.shop.example", "sid=one"), .init("sid=one; domain=shop.example", "sid=one"),
        .init("sid=one; domain=shop.example", "sid=one", to: sibling), .init("sid=one", to: below),
        .init("sid=one", to: sibling),
        .init("sid=one; domain=..one.shop.example"), .init("sid=one; domain=one..shop.example"),
        .init("sid=one; domain=  .one.shop.example", "sid=one"), .init("sid=one; domain=  .  one.shop.example"),
        .init("sid=one; domain=one.shop.example."), .init("sid=one; domain=one.shop.example.."),
        .init("sid=one; domain=one.shop.example ."),
        .init("sid=one; domain=.example"), .init("sid=one; domain=.example."),
        .init("sid=one; domain=\"one.shop.example\""),
        .init("sid=one; domain=one.sHoP.example", "sid=one"), .init("sid=one; domain=one.shop.example:8888"),
        .init("sid=one; domain=deep.one.shop.example", to: below),
        .init("sid=one; domain=.deep.one.shop.example", to: below),
        .init("sid=one; domain=one.shop.example", "sid=one", to: "http://oNe.sHop.exaMple:8888/result"),
        .init("sid=one; domain=.shop.example; domain=one.shop.example", to: sibling),
        .init("sid=one; domain=one.shop.example; domain=.shop.example", "sid=one", to: sibling),
        .init("sid=one; domain=one.shop.example; domain=one.other.example"),
        .init("sid=one; domain=one.other.example; domain=one.shop.example", "sid=one"),
        .init("sid=one; domain=one.shop.example; domain=x.other.example; domain=one.shop.example", "sid=one"),
        .init("sid=one; domain=x.other.example; domain=one.shop.example; domain=x.other.example"),
        .init("sid=one; domain=one.shop.example; domain=shop.example", "sid=one"), .init("sid=one; domain=", "sid=one"),
        .init("sid=one; domain=shop.example; domain=", "sid=one"), .init("sid=one; domain=x.shop.example; domain="),
        .init("sid=one; domain=x.shop.example; domain=", to: below),
        .init("sid=one; domain=.other.test; ;; ;=; ,,, ===,a,=; x! max-age=20;=;;"),
        .init(["a=1; domain=one.shop.example", "b=2; domain=.one.shop.example"], "a=1; b=2"),
        .init(["b=2; domain=.shop.example", "a=1; domain=one.shop.example"], "b=2; a=1"),
    ]

    private static let orders: [Case] = [
        .init(["a=1", "z=2"], "a=1; z=2"), .init(["z=2", "a=1"], "z=2; a=1"),
        .init(["a=1", "longer=2", "mid=3"], "a=1; longer=2; mid=3"),
        .init(["a=1; path=/", "z=2; path=/result"], "z=2; a=1"),
        .init(["a=1; path=/result", "z=2; path=/"], "a=1; z=2"),
        .init(["z=2; path=/", "a=1; path=/result"], "a=1; z=2"),
        .init(["z=2; path=/result", "a=1; path=/"], "z=2; a=1"),
        .init(
            [
                "k=0;", "k=1; path=/result", "k=2; path=/", "k=3; path=/bar", "k=4; domain=.shop.example",
                "k=5; domain=.shop.example; path=/result/a",
            ],
            "k=5; k=1; k=2; k=4", to: "/result/a/b"),
    ]

    /// One moment, as many programs write it (the IETF's tables of dates).
    @Test(arguments: [
        "Tue, 09 Mar 2032 10:20:30 GMT", "Tue, 09-Mar-2032 10:20:30 GMT", "Tuesday, 09-Mar-32 10:20:30 GMT",
        "Tue Mar  9 10:20:30 2032", "Tue Mar 9 10:20:30 2032 GMT", "Tue, 9 Mar 2032 10:20:30 GMT",
        "Tue, 09 Mar 10:20:30 2032 GMT", "9-Mar-2032 10:20:30 GMT", ", 9-Mar-2032 10:20:30 GMT",
        "Tue,9-Mar-32 10:20:30 GMT", "tue, 09-mar-2032   10:20:30", "Tue, 09/Mar\\2032 10:20:30 GMT",
        "\"Tue, 09-Mar-32\\\"10:20:30\\\"GMT\"", "Tue, 09 Mar 2032 10:20:30 GMT-0500 (EST)",
        "Tue, 09 Mar 2032 10:20:30 GMT-3",
        "Tue, 09 Mar 2032 10:20:30 GMT and more", "10:20:30 Tue Mar 9 2032 GMT", "Tue 10:20:30 Mar 9 2032",
        "Tue Mar 10:20:30 9 2032", "9-Tue, Mar-32 10:20:30 GMT", "9 32 Mar 10:20:30", "Mar 9 32 10:20:30",
        "Mar 9 10:20:30 32", "2032 Mar 9 10:20:30",
    ])
    func `A date of a cookie is read in many forms`(text: String) throws {
        _ = try CurlLibrary()
        #expect(CookieJar.date(text) == 1_962_440_430)
    }

    /// Those after the first line are read by RFC 6265 and not by libcurl, whose reader is in use: no service is known that writes them.
    @Test(arguments: [
        "tomorrow", "", "98 March 32 10:20:30", "Tue, 09 Mar 2032 91:20:30 GMT", "Tue, 09-Mar-9999999999 10:20:30 GMT",
        "Holiday, 09-Mar-32 10:20:30 GMT", "Tuesda, 09-Marc-2032 10:20:30 GMT", "Tue, 09-Mar-32 10:20:30 DST",
        "Tue, 09-Mar-32 10:20:30 (by hand)", "Tue, 09-Mar-32 what:is 10:20:30", "2032 March 9 10:20:30",
    ])
    func `A cookie with a date that cannot be read lasts as long as the session`(text: String) throws {
        _ = try CurlLibrary()
        #expect(CookieJar.date(text) == nil)
    }
}
