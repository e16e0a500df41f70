import LoginCore
import LoginTestSupport
import Secrets
import Testing

@testable import LoginHTTP

/// What a body may cost before it is judged.
struct JSONBoundsTests {
    @Test(arguments: [
        (#"{"a":[1,2,{"b":"c"}]}"#, 3, 5), (#"{"a":"[[[{{{,,,\"[["}"#, 1, 1), (#"["\\",["x"]]"#, 2, 3), ("plain", 0, 0),
    ])
    func `depth and values are counted outside of texts`(text: String, depth: Int, values: Int) {
        let bounds = Secret(text).withUnsafeBytes { JSONBounds($0) }
        #expect(bounds.depth == depth)
        #expect(bounds.values == values)
    }

    @Test(arguments: [
        String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
        "[" + String(repeating: "{},", count: 30_000) + "0]",
    ])
    func `B1 a body that would keep the decoder busy is a broken answer`(text: String) {
        let response = HTTPResponse(status: 200, body: Secret(text))
        #expect(throws: LoginError.network(.brokenAnswer("its JSON is nested too deeply, or has too many values"))) {
            try response.json()
        }
    }

    @Test func `a body of the usual kind is read`() throws {
        let response = HTTPResponse(
            status: 200, body: Secret(#"{"user":{"name":"ann","id":7,"tags":[true,null,1.5]}}"#))
        let json = try #require(try response.json())
        #expect(JSONPointer("/user/name").flatMap { json[$0]?.text } == "ann")
        #expect(JSONPointer("/user/tags/2").flatMap { json[$0]?.text } == "1.5")
    }

    @Test(arguments: [
        ("-9223372036854775808", Int64(0)), ("1e300", 253_402_300_799), ("-1", 0), ("1700000000", 1_700_000_000),
    ])
    func `E4 an absurd end is the nearest that can be counted with`(text: String, expected: Int64) throws {
        var rule = AnswerRule()
        rule.expiry = try .at(#require(Place("/e")))
        let response = HTTPResponse(status: 200, body: Secret("{\"e\":\"\(text)\"}"))
        let facts = AnswerFacts(
            response: response, json: try response.json(), origin: Origin(scheme: "https", host: "a.example", port: 443)
        )
        #expect(ExpiryReader(now: 5).expiry(facts, rule, token: Secret("t")) == expected)
    }

    @Test func `E4 the seconds that are left never overflow`() {
        let clock = WallClock { 1_800_000_000 }
        #expect(clock.seconds(until: .min) == .min)
        #expect(clock.seconds(until: .max) == .max - 1_800_000_000)
        #expect(clock.seconds(until: 1_800_000_007) == 7)
    }
}
