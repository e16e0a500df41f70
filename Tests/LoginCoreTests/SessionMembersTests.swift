@testable import LoginKit
import Secrets
import Testing

/// What the session adds to the body of a person's own request.
struct SessionMembersTests {
    private func rule() throws -> SessionRule {
        var rule = SessionRule(cookies: true)
        rule.form = [
            RequestRule.Parameter(name: "token", value: try Template(parsing: "{csrf}")),
            RequestRule.Parameter(name: "as sert", value: try Template(parsing: "us er")),
        ]
        rule.json = [
            JSONTemplate.Member(name: "auth", value: .string(try Template(parsing: "{token}"))),
            JSONTemplate.Member(name: "id", value: .integer(1)),
        ]
        return rule
    }

    private func body(_ text: String, type: String?, csrf: String? = "a+\\") throws -> String? {
        var values = SlotValues()
        (values.token, values.csrf) = (Secret("t\"1"), csrf.map { Secret($0) })
        let headers = type.map { [HTTPRequestField(name: "content-Type", value: Secret($0))] } ?? []
        let request = HTTPRequest(method: "POST", url: "https://a.example/", headers: headers, body: Secret(text))
        return try rule().adding(to: request, values)?.unprotectedText
    }

    @Test(arguments: [
        ("a=b&c", "a=b&c&token=a%2B%5C&as+sert=us+er"), ("", "token=a%2B%5C&as+sert=us+er"),
        ("token=mine", "token=mine&as+sert=us+er"), ("t%6Fken&as%20sert=", "t%6Fken&as%20sert="),
        ("as+sert=&a=%", "as+sert=&a=%&token=a%2B%5C"),
    ])
    func `a form gets what it does not have`(text: String, expected: String) throws {
        #expect(try body(text, type: "application/x-www-form-urlencoded; charset=utf-8") == expected)
    }

    @Test(arguments: [
        (#" { "a" : {"auth": 1} } "#, #" { "a" : {"auth": 1} ,"auth":"t\"1","id":1} "#),
        ("{}", #"{"auth":"t\"1","id":1}"#),
        (#"{"auth": null}"#, #"{"auth": null,"id":1}"#), (#"{"auth":"x","id":2}"#, #"{"auth":"x","id":2}"#),
        ("[{}]", "[{}]"), ("nothing", "nothing"), (#"{"a": 1,"#, #"{"a": 1,"#),
    ])
    func `an object gets the members that it does not have, and nothing else is touched`(
        text: String, expected: String
    ) throws {
        for type in [
            "application/json", "Application/JSON; charset=utf-8", "application/json-rpc", "application/x+json",
        ] {
            #expect(try body(text, type: type) == expected)
        }
    }

    @Test(
        "what is put first in an array follows its bracket",
        arguments: [
            (#"{"params": ["a"], "id": 1}"#, #"{"params": ["token:t\"1","a"], "id": 1}"#),
            (#"{ "params":[ ] }"#, #"{ "params":["token:t\"1" ] }"#),
            (
                #"{"x":{"params":[1]},"y":"params","params":[[2]]}"#,
                #"{"x":{"params":[1]},"y":"params","params":["token:t\"1",[2]]}"#
            ),
            (
                #"{"id":"\\\",\"params\":[","\u0070arams":[3]}"#,
                #"{"id":"\\\",\"params\":[","\u0070arams":["token:t\"1",3]}"#
            ),
            (#"{"id":1}"#, #"{"id":1,"params":["token:t\"1"]}"#), (#"{"params":{"a":[]}}"#, #"{"params":{"a":[]}}"#),
            (#"[{"params":[]}]"#, #"[{"params":[]}]"#),
            (#"\#u{FEFF}{"params":[1]}"#, #"\#u{FEFF}{"params":["token:t\"1",1]}"#),
        ])
    func arrays(text: String, expected: String) throws {
        var rule = SessionRule()
        rule.json = [JSONTemplate.Member(name: "/params/0", value: .string(try Template(parsing: "token:{token}")))]
        var values = SlotValues()
        values.token = Secret("t\"1")
        let headers = [HTTPRequestField(name: "Content-Type", value: Secret("application/json"))]
        let request = HTTPRequest(method: "POST", url: "https://a.example/", headers: headers, body: Secret(text))
        #expect(try rule.adding(to: request, values)?.unprotectedText == expected)
    }

    @Test(arguments: ["text/plain", "multipart/form-data; boundary=application/json", nil])
    func `another body stays as it is`(type: String?) throws {
        #expect(try body("a=b", type: type) == "a=b")
        #expect(try body("{}", type: type) == "{}")
    }

    @Test func `what is not known yet is left out`() throws {
        #expect(
            try body("a=b", type: "application/x-www-form-urlencoded", csrf: nil) == "a=b&as+sert=us+er")
    }

    @Test func `a token in the body is the session`() throws {
        var rule = SessionRule()
        rule.form = [RequestRule.Parameter(name: "a", value: try Template(parsing: "{csrf}"))]
        #expect(rule.isCredential)
        rule.json = [JSONTemplate.Member(name: "auth", value: .string(try Template(parsing: "{token}")))]
        #expect(!rule.isCredential && rule.slots == [.csrf, .token])
    }
}
