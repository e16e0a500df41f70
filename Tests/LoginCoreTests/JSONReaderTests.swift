@testable import LoginKit
import Secrets
import Testing

/// JSON as only one reader could take it.
struct JSONReaderTests {
    private func read(_ bytes: [UInt8]) throws(JSONFault) -> JSONValue {
        let secret = Secret(count: bytes.count) { $0.copyBytes(from: bytes) }
        return try secret.withUnsafeBytes { (bytes) throws(JSONFault) in try JSONReader.read(bytes) }
    }

    private func read(_ text: String) throws(JSONFault) -> JSONValue { try read(Array(text.utf8)) }

    @Test func `every kind of value is read`() throws {
        let text =
            " {\"s\": \"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00é\", \"n\": [0, -1, 1.5, 2E3, 1e-2, 9223372036854775807,"
            + " 9223372036854775808], \"t\": true, \"f\": false, \"z\": null, \"o\": {}, \"a\": [ ] }\n"
        #expect(
            try read(text)
                == .object([
                    "s": .string("a\"\\/\u{8}\u{c}\n\r\té😀é"),
                    "n": .array([
                        .integer(0), .integer(-1), .number(1.5), .integer(2000), .number(0.01), .integer(.max),
                        .number(9_223_372_036_854_775_808),
                    ]),
                    "t": .bool(true), "f": .bool(false), "z": .null, "o": .object([:]), "a": .array([]),
                ]))
    }

    @Test(arguments: [
        "", " ", "plain", "<html>", "\"text\"", "12", "{", "[", "{\"a\"}", "{\"a\":}", "{\"a\":1", "[1 2]", "[1]x",
        "[01]",
        "[1.]", "[.5]", "[+1]", "[1e]", "[--1]", "[NaN]", "[Infinity]", "[1e999]", "['a']", "{a:1}", "[\"a\nb\"]",
        "[\"\\x\"]", "[\"\\u12\"]", "[\"\\ud800\"]", "[\"\\ud800\\u0041\"]", "[\"\\udc00\"]", "[tru]", "[nulll]",
        "[,1]",
        "{,}", "[1,,2]", "[1]//", "/**/[1]", "[\"", "[\"\\", "[info] started",
    ])
    func `what is not JSON is none`(text: String) {
        #expect(throws: JSONFault.malformed) { try read(text) }
    }

    @Test(arguments: [
        "{\"token\":\"a\",\"token\":\"b\"}", "{\"a\":1,\"\\u0061\":2}", "{\"x\":{\"a\":null,\"b\":1,\"a\":null}}",
    ])
    func `two members of one name are not read`(text: String) {
        #expect(throws: JSONFault.repeatedMember) { try read(text) }
    }

    @Test(arguments: ["{\"a\":1,}", "[1,]", "[1, ]", "{\"a\":[{\"b\":1,\n}]}"])
    func `a comma with nothing behind it is not read`(text: String) {
        #expect(throws: JSONFault.trailingComma) { try read(text) }
    }

    @Test func `no encoding but UTF-8 is read, with a byte order mark or without`() throws {
        let text = "{\"a\":\"b\"}"
        let wide = Array(text.utf16)
        let little = wide.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        let big = wide.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
        let widest = wide.flatMap { [UInt8($0 & 0xff), 0, 0, 0] }
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        #expect(try read(mark + Array(text.utf8)) == .object(["a": .string("b")]))
        #expect(throws: JSONFault.malformed) { try read(mark + mark + Array(text.utf8)) }
        for bytes in [
            little, big, [0xff, 0xfe] + little, [0xfe, 0xff] + big, widest,
            [0xff, 0xfe, 0, 0] + widest, Array("{\"a\":\"J".utf8) + [0xfc] + Array("rgen\"}".utf8),
        ] {
            #expect(throws: JSONFault.otherEncoding) { try read(bytes) }
        }
        // A page in UTF-16 is a page.
        #expect(throws: JSONFault.malformed) { try read([0xff, 0xfe] + "<html>".utf8.flatMap { [$0, 0] }) }
    }

    /// U+2200 as UTF-16LE is a NUL and a quote: what counts bytes takes all that follows for a text.
    @Test func `an answer in UTF-16 that hides its depth takes no time`() {
        var text = "{\"a\":\"\u{2200}\",\"b\":"
        text += String(repeating: "[", count: 20_000) + String(repeating: "]", count: 20_000) + "}"
        let bytes = text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        let start = ContinuousClock.now
        #expect(throws: JSONFault.otherEncoding) { try read(bytes) }
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test(arguments: [
        String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
        String(repeating: "{\"a\":", count: 65) + "1" + String(repeating: "}", count: 65),
        "[" + String(repeating: "{},", count: 30_000) + "0]", "[" + String(repeating: "9", count: 2000) + "]",
    ])
    func `what would take long is given up`(text: String) {
        #expect(throws: JSONFault.tooMuch) { try read(text) }
    }

    @Test func `what is as deep and as large as may be is read`() throws {
        _ = try read(String(repeating: "[", count: 64) + String(repeating: "]", count: 64))
        _ = try read("[" + String(repeating: "1,", count: JSONReader.mostValues - 2) + "1]")
    }

    @Test func `a long answer takes no longer than its length`() throws {
        let members = (0..<19_000).map { "\"k\($0)\":\"\(String(repeating: "x", count: 40))\"" }
        let start = ContinuousClock.now
        _ = try read("{" + members.joined(separator: ",") + "}")
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    private func skim(_ text: String, keeping kept: Int) throws(JSONFault) -> JSONValue {
        try Array(text.utf8).withUnsafeBufferPointer { (bytes) throws(JSONFault) in
            try JSONReader.skim(UnsafeRawBufferPointer(bytes), deepest: 100, keeping: kept)
        }
    }

    @Test func `what is passed on is checked as a whole, and kept down to a depth`() throws {
        let text = #"{"a": {"b": {"c": 1}, "d": [1e999, {"x": 1}]}, "e": "f"}"#
        #expect(
            try skim(text, keeping: 2)
                == .object(["a": .object(["b": .object([:]), "d": .array([])]), "e": .string("f")]))
        #expect(throws: JSONFault.repeatedMember) { try skim(#"{"a":{"b":{"c":{"d":1,"d":2}}}}"#, keeping: 1) }
        #expect(throws: JSONFault.malformed) { try skim(#"{"a":{"b":{"c":[01]}}}"#, keeping: 1) }
        #expect(throws: JSONFault.tooMuch) { try skim(String(repeating: "[", count: 101), keeping: 1) }
        #expect(try skim("[1e999]", keeping: 1) == .array([.null]))
        _ = try skim("[" + String(repeating: "1,", count: 30_000) + "1]", keeping: 0)
    }

    @Test func `a long string that is passed on is checked in pieces, and not kept`() throws {
        let long = String(repeating: "é€", count: 100_000), most = String(repeating: "a", count: 64 << 10)
        #expect(
            try skim(#"{"a": "\#(long)\n\#(long)", "b": "\#(most)"}"#, keeping: 1)
                == .object(["a": .null, "b": .string(most)]))
        #expect(try skim(#"{"a": {"b": "\#(long)"}}"#, keeping: 1) == .object(["a": .object([:])]))
        for kept in [0, 1] {
            let broken = Array(#"{"a": "\#(long)"#.utf8) + [0xC3] + Array(#"\n"}"#.utf8)
            #expect(throws: JSONFault.otherEncoding) {
                try broken.withUnsafeBufferPointer { (bytes) throws(JSONFault) in
                    try JSONReader.skim(UnsafeRawBufferPointer(bytes), deepest: 100, keeping: kept)
                }
            }
            #expect(throws: JSONFault.malformed) { try skim(#"{"a": "\#(long)"#, keeping: kept) }
        }
    }

    @Test(arguments: [
        (#"["\ud83d"]"#, "\u{FFFD}"), (#"["\ude00!"]"#, "\u{FFFD}!"), (#"["\ud83d\ud83d\ude00"]"#, "\u{FFFD}\u{1F600}"),
        (#"["\ud83dx"]"#, "\u{FFFD}x"), (#"["\ud83d\n"]"#, "\u{FFFD}\n"),
    ])
    func `half a pair of surrogates is passed on, and refused where a text is read`(text: String, value: String) throws
    {
        #expect(try skim(text, keeping: 1) == .array([.string(value)]))
        #expect(throws: JSONFault.malformed) { try read(text) }
        #expect(throws: JSONFault.malformed) { try skim(#"["\ud83d\u12"]"#, keeping: 1) }
    }

    @Test(
        arguments: [
            (#"{"id": 5, "a": tru}"#, [.integer(5)]), (#"{"id": 5, "id": "x", "a"#, [.integer(5), .string("x")]),
            (#"{"a": {"b": 1, "b": 2}, "id": 5}"#, [.integer(5)]), (#"{"a": {"id": 5}, "b" 1, "id": 6}"#, []),
            ("[1]", []), ("", []), ("{", []),
        ] as [(String, [JSONValue])])
    func `a member is read as far as the text can be`(text: String, values: [JSONValue]) {
        #expect(Array(text.utf8).withUnsafeBytes { JSONReader.readable("id", in: $0) } == values)
    }

    @Test func `a part of a text is found again`() throws {
        let text = #"{"x": [0], "result": {"tools": [ {"n": 1.50} , 2,"é"], "next": null}}"#
        func parts(_ steps: String...) throws -> [String] {
            let bytes = Array(text.utf8)
            let places = try bytes.withUnsafeBufferPointer {
                try JSONReader.places(UnsafeRawBufferPointer($0), at: steps)
            }
            return places.map { "\($0.name)=" + String(decoding: bytes[$0.range], as: UTF8.self) }
        }
        #expect(try parts("result", "tools") == [#"0={"n": 1.50}"#, "1=2", #"2="é""#])
        #expect(try parts("result").last == "next=null")
        #expect(try parts("missing") == [])
        #expect(try parts("x", "0") == [])
    }
}
