@testable import LoginKit
import Secrets
import Testing

/// Codes that are typed on another device, and how often they are asked for.
struct OAuthDeviceTests {
    private func read(_ members: [String: String]) throws(LoginFault) -> DeviceAuthorization {
        let usual = [
            "device_code": "\"canary-device\"", "user_code": "\"FZX5-ASHU\"",
            "verification_uri": "\"https://id.example/device\"", "expires_in": "900", "interval": "5",
        ]
        let all = usual.merging(members) { _, new in new }.filter { !$0.value.isEmpty }
        let body = "{" + all.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
        return try DeviceAuthorization(
            SomeOAuth.response(200, body), rule: EndpointRule(), parse: SomeOAuth.parse)
    }

    @Test func `a code is read with its URLs`() throws {
        let code = try read(["verification_uri_complete": "\"https://id.example/device?code=FZX5-ASHU\""])
        #expect(code.userCode == "FZX5-ASHU" && code.deviceCode == Secret("canary-device"))
        #expect(code.verificationURL.text == "https://id.example/device")
        #expect(code.completeURL?.text == "https://id.example/device?code=FZX5-ASHU")
    }

    @Test func `Google's name for the URL serves, too`() throws {
        let code = try read(["verification_uri": "", "verification_url": "\"https://google.example/device\""])
        #expect(code.verificationURL.text == "https://google.example/device")
    }

    @Test(arguments: [
        ("", 5), ("0", 5), ("-1", 5), ("1e9", 5), ("null", 5), ("\"x\"", 5), ("\"5\"", 5), ("\"10\"", 10), ("7", 7),
        ("7.5", 8), ("60", 60), ("61", 5),
    ])
    func `an interval is a number from 1 to 60, else 5`(interval: String, seconds: Int) throws {
        #expect(try read(["interval": interval]).times.interval == seconds)
    }

    @Test(arguments: [("", 900), ("0", 900), ("9", 900), ("10", 10), ("\"600\"", 600), ("3600", 3600), ("1e9", 900)])
    func `a life is a number from 10 to 3600, else 900`(lifetime: String, seconds: Int) throws {
        #expect(try read(["expires_in": lifetime]).times.lifetime == seconds)
    }

    @Test(
        arguments: [
            ("http://id.example/device", "http"), ("javascript:alert(1)", "javascript"),
            ("https://a:b@id.example/", "https"),
            ("https://id.example/\u{1b}[2J", "https"), ("https://id.example/\"x", "https"),
            ("file:///etc/passwd", "file"),
            ("no-url", nil), ("https://id.example/a b", "https"),
        ] as [(String, String?)])
    func `a URL that is not safe is not shown, but for its scheme`(url: String, scheme: String?) {
        let shown = scheme.map { "\"\($0)\"" } ?? "unknown"
        let quoted =
            "\"" + url.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\u{1b}", with: "\\u001b")
            + "\""
        for member in ["verification_uri", "verification_uri_complete"] {
            let fault = #expect(throws: LoginFault.self) { try read([member: quoted]) }
            #expect(fault?.exitCode == .untrusted)
            #expect(
                fault?.message().what
                    == "the server sent a URL to open that is not safe (scheme: \(shown)); it is not shown")
        }
    }

    @Test(arguments: [
        String(repeating: "x", count: 41), "AB\u{A0}CD", "AB\u{2003}\u{2003}Password for ann:", "A\u{2800}B",
        "A\u{3000}B", "\u{456}d",
        " AB", "AB ", "AB\\tCD", "AB\\u001b[2J",
    ])
    func `a code to be typed is at most 40 printable ASCII characters`(code: String) {
        #expect(throws: LoginFault.unsafeText("user_code", at: .deviceAuthorization)) {
            try read(["user_code": "\"\(code)\""])
        }
    }

    @Test func `a code to be typed may be long, or have a blank in it`() throws {
        for code in [String(repeating: "x", count: 40), "AB CD-EF_1.2~"] {
            #expect(try read(["user_code": "\"\(code)\""]).userCode == code)
        }
    }

    @Test func `the two pages for a code have one origin`() {
        let fault = #expect(throws: LoginFault.self) {
            try read(["verification_uri_complete": "\"https://evil.example/device?code=1\""])
        }
        #expect(fault?.exitCode == .untrusted)
        #expect(fault?.message().what.contains("https://id.example and https://evil.example") == true)
    }

    @Test func `on this machine plain http is enough to be shown`() throws {
        #expect(try read(["verification_uri": "\"http://127.0.0.1:8080/device\""]).verificationURL.origin.port == 8080)
    }

    @Test func `what is missing or refused is told`() {
        for member in ["device_code", "user_code", "verification_uri"] {
            #expect(throws: LoginFault.oauth(.unusableResponse(.deviceAuthorization, "it has no \(member)"))) {
                try read([member: ""])
            }
        }
        #expect(throws: LoginFault.oauth(.refused(OAuthRefusal(.invalidScope, at: .deviceAuthorization, status: 200))))
        {
            try read(["error": "\"invalid_scope\""])
        }
    }

    @Test(
        arguments: [
            (OAuthErrorCode.unauthorizedClient, 400, true), (nil, 404, true), (nil, 405, true),
            (.invalidScope, 400, false),
            (.invalidClient, 401, false), (nil, 400, false),
        ] as [(OAuthErrorCode?, Int, Bool)])
    func `some refusals lead on to the browser`(code: OAuthErrorCode?, status: Int, rulesOut: Bool) {
        #expect(OAuthRefusal(code, at: .deviceAuthorization, status: status).rulesOutDeviceFlow == rulesOut)
        #expect(!OAuthRefusal(code, at: .token, status: status).rulesOutDeviceFlow)
    }

    /// Polls until the end with these answers, then `pending`; the milliseconds between two polls.
    private func gaps(
        _ answers: [DevicePolling.Answer], _ times: DeviceAuthorization.Times = .init(lifetime: 300),
        clockStands: Bool = false
    ) -> [Int] {
        var polling = DevicePolling(times)
        var answers = answers[...], gaps: [Int] = [], last = 0
        for _ in 0..<10_000 {
            switch polling.next {
            case .expired: return gaps
            case .wait(let milliseconds): polling.waited(total: clockStands ? 0 : polling.elapsed + milliseconds)
            case .poll:
                gaps.append(polling.elapsed - last)
                last = polling.elapsed
                polling.note(answers.popFirst() ?? .pending, total: polling.elapsed)
            }
        }
        Issue.record("it never ends")
        return gaps
    }

    @Test func `the first poll waits, and none comes sooner than asked`() {
        let gaps = gaps([])
        #expect(gaps.first == 6000 && gaps.allSatisfy { $0 == 6000 } && gaps.count == 49)
        #expect(self.gaps([], .init(lifetime: 10, interval: 1)).allSatisfy { $0 == 1200 })
    }

    @Test func `whatever asks for more time gets it for good`() {
        #expect(gaps([.slowDown(interval: nil)]).dropFirst().allSatisfy { $0 == 12_000 })
        #expect(gaps([.slowDown(interval: nil), .slowDown(interval: 30)]).prefix(4) == [6000, 12_000, 36_000, 36_000])
        #expect(gaps([.slowDown(interval: 1)]).dropFirst().allSatisfy { $0 == 12_000 })
        #expect(gaps([.tooMany(retryAfter: 20)]).dropFirst().allSatisfy { $0 == 24_000 })
        #expect(gaps([.tooMany(retryAfter: nil)]).dropFirst().allSatisfy { $0 == 12_000 })
        #expect(gaps([.unavailable(retryAfter: nil)]).dropFirst().allSatisfy { $0 == 12_000 })
        #expect(gaps([.tooMany(retryAfter: .max)]) == [6000])
    }

    @Test func `a clock that stands still keeps nothing from ending`() {
        #expect(gaps([], clockStands: true).count == 49)
    }

    @Test func `a laptop that was closed finds its code expired`() {
        var polling = DevicePolling(.init(lifetime: 300))
        #expect(polling.next == .wait(milliseconds: 6000) && polling.left == 300_000)
        polling.waited(total: 28_800_000)
        #expect(polling.next == .expired && polling.left == 0)
    }

    @Test func `a last wait is no longer than the code lives`() {
        let polling = DevicePolling(.init(lifetime: 10, interval: 60))
        #expect(polling.next == .wait(milliseconds: 10_000))
    }

    static let answers: [(Int, String, DevicePolling.Answer)] = [
        (400, "{\"error\":\"authorization_pending\"}", .pending),
        (200, "{\"error\":\"authorization_pending\"}", .pending),
        (400, "{\"error\":\"slow_down\"}", .slowDown(interval: nil)),
        (200, "{\"error\":\"slow_down\",\"interval\":15}", .slowDown(interval: 15)),
        (429, "{\"error\":\"slow_down\"}", .slowDown(interval: nil)), (429, "", .tooMany(retryAfter: nil)),
        (500, "{\"error\":\"access_denied\"}", .unavailable(retryAfter: nil)),
        (502, "<html>", .unavailable(retryAfter: nil)),
        (400, "{\"error\":\"access_denied\"}", .refused(OAuthRefusal(.accessDenied, at: .token, status: 400))),
        (400, "{\"error\":\"expired_token\"}", .refused(OAuthRefusal(.expiredToken, at: .token, status: 400))),
        (400, "", .refused(OAuthRefusal(nil, at: .token, status: 400))),
    ]

    @Test(arguments: answers) func `what a poll brings`(status: Int, body: String, answer: DevicePolling.Answer)
        throws
    {
        let read = try DevicePolling.Answer.read(SomeOAuth.response(status, body))
        #expect(read.0 == answer && read.1 == nil)
    }

    @Test func `a poll that brings tokens ends it`() throws {
        let read = try DevicePolling.Answer.read(
            SomeOAuth.response(200, "{\"access_token\":\"a\",\"token_type\":\"bearer\"}"))
        #expect(read.0 == .granted && read.1?.accessToken == Secret("a"))
        let later = SomeOAuth.response(429, "", ["Retry-After": "30"])
        #expect(try DevicePolling.Answer.read(later).0 == .tooMany(retryAfter: 30))
    }

    @Test func `a dropped connection is no end, and a certificate or an unreadable response is`() {
        #expect(DevicePolling.Answer(SomeLogin.network) == .unavailable(retryAfter: nil))
        #expect(DevicePolling.Answer(SomeLogin.busy) == .unavailable(retryAfter: 7))
        // It may have been the tokens.
        #expect(DevicePolling.Answer(.network(.brokenResponse("its body is encoded as br"))) == nil)
        #expect(DevicePolling.Answer(.untrusted(.plainHTTP)) == nil && DevicePolling.Answer(.cancelled) == nil)
    }
}
