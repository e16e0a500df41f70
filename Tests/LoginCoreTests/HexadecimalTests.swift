@testable import LoginTestSupport
import Secrets
import Testing

@testable import LoginKit

/// Bytes as digits, and back.
struct HexadecimalTests {
    @Test func `a byte is two small digits, and its digits are that byte in either case`() {
        for byte in UInt8.min...UInt8.max {
            let text = Hexadecimal.text([byte]), digits = Array(text.utf8)
            #expect(text == (byte < 16 ? "0" : "") + String(byte, radix: 16))
            #expect(Hexadecimal.byte(digits[0], digits[1]) == byte)
            let capitals = Array(text.uppercased().utf8)
            #expect(Hexadecimal.byte(capitals[0], capitals[1]) == byte)
        }
    }

    @Test(arguments: ["/0", "0:", "@1", "1G", "`a", "ag", " 1", "+1", "-1"])
    func `what borders on the digits is none`(text: String) {
        let bytes = Array(text.utf8)
        #expect(Hexadecimal.byte(bytes[0], bytes[1]) == nil)
    }

    @Test func `what is random has the length that was asked for, and comes once`() {
        let several = (0..<20).map { _ in Secret.random(count: 24).withUnsafeBytes { Hexadecimal.text($0) } }
        #expect(several.allSatisfy { $0.utf8.count == 48 && $0.utf8.allSatisfy { $0.isUnreserved } })
        #expect(Set(several).count == several.count)
        #expect(Secret.random(count: 0).isEmpty)
    }

    @Test func `percent-encoding takes bytes, and leaves what is plain`() {
        let encoded = Hexadecimal.percentEncoded([0x61, 0x2F, 0x00, 0xC3, 0xA4, 0x7E]) { $0.isUnreserved }
        #expect(encoded == "a%2F%00%C3%A4~")
        #expect(Hexadecimal.percentEncoded("a/b".utf8) { _ in true } == "a/b")
    }

    @Test(arguments: [
        ("a+b", "a b"), ("%41%2b+", "A+ "), ("%c3%A4", "ä"), ("", ""), ("a%00b", "a\u{0}b"), ("%2541", "%41"),
    ]) func `a form's text is read as it was written, by either reader`(written: String, text: String) {
        #expect(FormText.decoded(written.utf8, isStrict: true) == Array(text.utf8))
        #expect(FormText.decoded(written.utf8, isStrict: false) == Array(text.utf8))
    }

    @Test(arguments: ["%", "a%4", "%zz", "%%41", "%+1"])
    func `a percent sign without its digits ends it, or stands for itself`(written: String) {
        #expect(FormText.decoded(written.utf8, isStrict: true) == nil)
        let lenient = FormText.decoded(written.utf8, isStrict: false).map { String(decoding: $0, as: UTF8.self) }
        #expect(lenient == written.replacing("%41", with: "A").replacing("+", with: " "))
    }
}

/// The values of the two headers that every method shares.
struct HeaderValuesTests {
    private func basic(_ username: String, _ password: String, limit: Int = 100) -> Secret? {
        var value = SecretBuilder(limit: limit)
        value.appendBasic(Secret(username), Secret(password))
        return value.finish()
    }

    @Test func `a pair is encoded whole, whatever stands in it`() {
        #expect(basic("a:b", "c") == Secret("Basic YTpiOmM="))
        #expect(basic("", "") == Secret("Basic Og=="))
        #expect(basic("zoë", "\u{1F511}") == Secret("Basic em/Dqzrwn5SR"))
    }

    @Test func `a pair that is too long is refused, be it so before or after it is encoded`() {
        #expect(basic("ann", "long password", limit: 12) == nil)
        #expect(basic("ann", "pw", limit: 13) == nil)
        #expect(basic("ann", "pw", limit: 14) == Secret("Basic YW5uOnB3"))
    }

    @Test func `cookies are one list without attributes`() {
        #expect(
            [Cookie.named("a", "1"), .named("b", ""), .named("a", "2; x")].headerValue == Secret("a=1; b=; a=2; x"))
        #expect([Cookie]().headerValue.isEmpty)
    }
}
