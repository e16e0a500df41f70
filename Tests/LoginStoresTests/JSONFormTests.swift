@testable import LoginKit
import Testing

/// What our own files are decoded by, beside Foundation's encoder.
struct JSONFormTests {
    private struct Form: Codable, Equatable {
        enum Kind: Codable, Equatable {
            case plain
            case pair(left: Int, right: String)
        }

        let name: String
        let kinds: [Kind]
        let counts: [String: UInt8]
        let flag: Bool?
    }

    private func decode(_ text: String) throws -> Form {
        try Array(text.utf8).withUnsafeBytes { try JSONForm.decode(Form.self, from: $0) }
    }

    @Test func `JSONForm reads back what Foundation's encoder writes`() throws {
        let form = Form(
            name: "zoë \u{1F511}\n\"", kinds: [.plain, .pair(left: -3, right: "")], counts: ["a/b": 255], flag: nil)
        let bytes = try #require(SecretJSON.encode(form))
        #expect(SecretJSON.decode(Form.self, from: bytes) == form)
        let null = #"{"name": "a", "kinds": [], "counts": {}, "flag": null, "more": [1.5]}"#
        #expect(try decode(null) == Form(name: "a", kinds: [], counts: [:], flag: nil))
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"name": 1, "kinds": [], "counts": {}}"#, #"{"name": "a", "kinds": {}, "counts": {}}"#,
        #"{"name": "a", "kinds": [], "counts": {"a": 256}}"#, #"{"name": "a", "kinds": [{}], "counts": {}}"#,
        #"{"name": "a", "kinds": [{"pair": {"left": 1}}], "counts": {}}"#,
        #"{"name": "a", "kinds": [], "counts": {}, "flag": "true"}"#,
        #"{"name": "a", "kinds": [], "counts": {}, "name": "b"}"#, #"{"name": "a", "kinds": [], "counts": {"a": 1.5}}"#,
        #"{"name": null, "kinds": [], "counts": {}}"#,
    ]) func `JSONForm refuses a form that we do not write`(text: String) {
        #expect(throws: (any Error).self) { try decode(text) }
    }
}
