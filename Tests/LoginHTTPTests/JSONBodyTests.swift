import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// What a body may cost before it is judged.
struct JSONBodyTests {
    @Test(arguments: [
        String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
        "[" + String(repeating: "{},", count: 30_000) + "0]",
    ])
    func `a body that would keep the decoder busy is a broken answer`(text: String) {
        let response = HTTPResponse(status: 200, body: Secret(text))
        #expect(throws: LoginFault.network(.brokenResponse("its JSON is nested too deeply, or has too many values"))) {
            try response.json()
        }
    }

    @Test(arguments: [
        ("{\"a\":1,\"a\":2}", JSONFault.repeatedMember), ("{\"a\":1,}", .trailingComma),
        ("{\u{0}\"\u{0}a\u{0}\"\u{0}:\u{0}1\u{0}}\u{0}", .otherEncoding),
    ])
    func `a body that could be read in two ways is a failure, and no refusal`(text: String, fault: JSONFault) {
        let response = HTTPResponse(status: 200, body: Secret(text))
        let thrown = #expect(throws: LoginFault.self) { try response.json() }
        #expect(thrown?.message().what == "invalid JSON from the server: \(fault.rawValue); it was not used")
        #expect(thrown?.exitCode == .failure)
    }

    @Test func `a token whose payload is in UTF-16 has no end that is known, and takes no time`() {
        var text = "{\"a\":\"\u{2200}\",\"exp\":1,\"b\":"
        text += String(repeating: "[", count: 9000) + String(repeating: "]", count: 9000) + "}"
        let payload = Data(text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }).base64EncodedString()
        let token = "e30." + payload.replacingOccurrences(of: "=", with: "") + ".x"
        let facts = ParsedResponse(
            response: HTTPResponse(status: 200), json: nil,
            origin: Origin(scheme: "https", host: "a.example", port: 443))
        let start = ContinuousClock.now
        #expect(ExpiryReader(now: 5).expiry(facts, ResponseRule(), token: Secret(token)) == nil)
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test func `a body of the usual kind is read`() throws {
        let response = HTTPResponse(
            status: 200, body: Secret(#"{"user":{"name":"ann","id":7,"tags":[true,null,1.5]}}"#))
        let json = try #require(try response.json())
        #expect(JSONPointer("/user/name").flatMap { json[$0]?.text } == "ann")
        #expect(JSONPointer("/user/tags/2").flatMap { json[$0]?.text } == "1.5")
    }

    @Test(
        arguments: [
            ("-9223372036854775808", 0), ("1e300", nil), ("-1", 0), ("1700000000", 1_700_000_000),
        ] as [(String, Int64?)])
    func `an absurd end is over or unknown, and never a number to stumble on`(text: String, expected: Int64?) throws {
        var rule = ResponseRule()
        rule.expiry = try .at(#require(Place("/e")))
        let response = HTTPResponse(status: 200, body: Secret("{\"e\":\"\(text)\"}"))
        let facts = ParsedResponse(
            response: response, json: try response.json(), origin: Origin(scheme: "https", host: "a.example", port: 443)
        )
        #expect(ExpiryReader(now: 5).expiry(facts, rule, token: Secret("t")) == expected)
    }

    @Test func `the seconds that are left never overflow`() {
        let clock = WallClock { 1_800_000_000 }
        #expect(clock.seconds(until: .min) == .min)
        #expect(clock.seconds(until: .max) == .max - 1_800_000_000)
        #expect(clock.seconds(until: 1_800_000_007) == 7)
    }
}
