import Testing

@testable import LoginKit

/// Where our own decoding of files and Foundation's could differ: numbers at their bounds, what is missing, and what is nested.
struct JSONFormEdgeTests {
    private func decode<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) throws -> Value {
        try Array(text.utf8).withUnsafeBytes { try JSONForm.decode(type, from: $0) }
    }

    private func check<Number: FixedWidthInteger & Decodable>(_: Number.Type, below: String?, above: String?) throws {
        #expect(try decode("[\(Number.min), \(Number.max)]") == [Number.min, Number.max])
        for text in [below, above].compactMap({ $0 }) {
            #expect(throws: (any Error).self) { try decode("[\(text)]", as: [Number].self) }
        }
    }

    @Test func `a whole number fits its type, or is refused`() throws {
        try check(Int8.self, below: "-129", above: "128")
        try check(Int16.self, below: "-32769", above: "32768")
        try check(Int32.self, below: "-2147483649", above: "2147483648")
        try check(Int64.self, below: "-9223372036854775809", above: "9223372036854775808")
        try check(Int.self, below: "-9223372036854775809", above: "9223372036854775808")
        try check(UInt8.self, below: "-1", above: "256")
        try check(UInt16.self, below: "-1", above: "65536")
        try check(UInt32.self, below: "-1", above: "4294967296")
        #expect(try decode("[0, 9223372036854775807]") == [UInt64(0), UInt64(Int64.max)])
        #expect(throws: (any Error).self) { try decode("[-1]", as: [UInt].self) }
        #expect(try decode("[1.0, 1e2, -0]") == [1, 100, 0])
        for text in ["1.5", "1e-2", "\"1\"", "true", "null"] {
            #expect(throws: (any Error).self, "\(text)") { try decode("[\(text)]", as: [Int].self) }
        }
    }

    @Test func `no form of ours has a number with a fraction`() {
        #expect(throws: (any Error).self) { try decode("[1]", as: [Double].self) }
        #expect(throws: (any Error).self) { try decode("[1.5]", as: [Float].self) }
    }

    @Test func `a value has its own type, and null is none`() throws {
        #expect(try decode("[\"ä\"]") == ["ä"] && decode("[true, false]") == [true, false])
        #expect(try decode("[null, \"a\"]") == [nil, "a"] as [String?])
        for text in ["[1]", "[\"true\"]", "[null]"] {
            #expect(throws: (any Error).self) { try decode(text, as: [Bool].self) }
        }
        for text in ["[true]", "[1]", "[null]", "[[]]"] {
            #expect(throws: (any Error).self) { try decode(text, as: [String].self) }
        }
    }

    private struct Inner: Codable, Equatable {
        var flag: Bool?
        var deeper: [String: [Inner]]?
    }

    @Test func `what may be missing may be null, at every depth`() throws {
        let expected = Inner(flag: nil, deeper: ["a": [Inner(flag: true), Inner()], "b": []])
        let text = #"{"deeper": {"a": [{"flag": true, "deeper": null}, {"flag": null}], "b": []}}"#
        #expect(try decode(text) == expected)
        let written = try #require(SecretJSON.encode(expected))
        #expect(SecretJSON.decode(Inner.self, from: written) == expected)
        #expect(try decode("[null, {}]") == [nil, Inner()])
    }

    /// Reads by hand, as the forms with several versions do.
    private struct ByHand: Decodable, Equatable {
        let names: [String]
        let count: Int
        let keys: Set<String>
        let hasExtra: Bool

        private struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) {
                self.stringValue = stringValue
            }

            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Key.self)
            keys = Set(members.allKeys.map(\.stringValue))
            hasExtra = members.contains(Key(stringValue: "extra"))
            count = try members.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "inner"))
                .decode(Int.self, forKey: Key(stringValue: "count"))
            var list = try members.nestedUnkeyedContainer(forKey: Key(stringValue: "list")), names: [String] = []
            while !list.isAtEnd {
                if try list.decodeNil() {
                    names.append("null")
                } else if var pair = try? list.nestedUnkeyedContainer() {
                    while !pair.isAtEnd { names.append(try pair.decode(String.self)) }
                }
            }
            self.names = names
        }
    }

    @Test func `members and elements are read by hand, each once and in order`() throws {
        let read = try decode(#"{"inner": {"count": 2}, "list": [null, ["a", "b"], [], ["c"]]}"#, as: ByHand.self)
        #expect(read.names == ["null", "a", "b", "c"] && read.count == 2)
        #expect(read.keys == ["inner", "list"] && !read.hasExtra)
        let extra = try decode(#"{"inner": {"count": 0}, "list": [], "extra": null}"#, as: ByHand.self)
        #expect(extra.hasExtra && extra.names.isEmpty)
    }

    @Test(arguments: [
        #"{"list": []}"#, #"{"inner": {}, "list": []}"#, #"{"inner": [], "list": []}"#,
        #"{"inner": {"count": 1}, "list": {}}"#,
        #"{"inner": {"count": 1}}"#, #"{"inner": {"count": 1}, "list": [[1]]}"#,
    ]) func `what is missing or of another kind is an error, and no trap`(text: String) {
        #expect(throws: (any Error).self) { try decode(text, as: ByHand.self) }
    }
}
