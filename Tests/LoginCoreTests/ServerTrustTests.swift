import Testing

@testable import LoginKit

struct ServerTrustTests {
    private let digits = (0..<32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }

    @Test func `a fingerprint is read in any case, with colons or without`() throws {
        let wanted = try #require(Fingerprint(bytes: Array(0..<32)))
        for text in [digits.joined(), digits.joined(separator: ":")] {
            for text in [text, text.uppercased()] {
                #expect(Fingerprint("sha256:" + text) == wanted)
                #expect(Fingerprint("SHA256:" + text) == wanted)
            }
        }
        #expect(Fingerprint(wanted.description) == wanted)
        #expect(wanted.description.hasPrefix("sha256:000102"))
        #expect(Fingerprint(typed: digits.joined(separator: ":")) == wanted && Fingerprint(typed: "always") == nil)
    }

    @Test func `what is not a whole fingerprint is none`() {
        let whole = digits.joined(), colons = digits.joined(separator: ":")
        let broken: [String] = [
            "", "\(whole.dropLast())", "\(whole)00", "\(whole.dropLast(2))", "\(whole.dropLast())g",
            "+1\(whole.dropFirst(2))", " \(whole)", ":\(colons)", "\(colons):", "\(colons.dropLast(3))",
            digits.joined(separator: "::"), digits.joined(separator: "-"),
        ]
        for text in broken.map({ "sha256:\($0)" }) + ["", whole, "sha1:\(whole)"] {
            #expect(Fingerprint(text) == nil, "\(text)")
        }
    }

    @Test func `an exception covers that origin, that key and those reasons alone`() {
        let trust = SomeLogin.trust
        let make = { (port: Int, reasons: [ServerTrust.Reason], key: String) in
            ServerTrust(
                origin: Origin(scheme: "https", host: "blog.example", port: port), reasons: reasons, subject: "",
                issuer: "", notBefore: 0, notAfter: 0, fingerprint: SomeLogin.fingerprint(9), key: key)
        }
        let exception = trust.exception
        #expect(exception.fault(with: trust) == nil)
        #expect(exception.fault(with: make(443, [.expired], trust.key)) == nil)
        let more = make(443, [.expired, .otherHost], trust.key)
        #expect(exception.fault(with: more) == .certificate(more))
        let weak = make(443, [.expired, .tooWeak], trust.key)
        #expect(weak.exception.fault(with: weak) == .certificate(weak))
        #expect(exception.fault(with: make(443, [.expired], "other")) != nil)
        #expect(exception.fault(with: make(444, [.expired], trust.key)) != nil)
        if case .certificateChanged? = exception.fault(with: make(443, [.expired], "other")) {
        } else {
            Issue.record("a changed key is not told as one")
        }
    }

    @Test(
        arguments: [
            (0, "1970-01-01"), (951_782_399, "2000-02-28"), (951_782_400, "2000-02-29"), (951_868_800, "2000-03-01"),
            (4_107_542_399, "2100-02-28"), (4_107_542_400, "2100-03-01"), (-1, "1969-12-31"),
            (1_735_689_599, "2024-12-31"),
            (253_402_300_799, "9999-12-31"),
        ] as [(Int64, String)])
    func `a date is a day of the calendar`(time: Int64, day: String) {
        #expect("\(CivilDate(time))" == day)
    }

    @Test(arguments: ServerTrust.Reason.allCases) func `every reason has words and is remembered by a name`(
        reason: ServerTrust.Reason
    ) {
        #expect(!reason.words.isEmpty)
        #expect(ServerTrust.Reason(rawValue: reason.rawValue) == reason)
    }
}
