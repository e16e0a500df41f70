@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Pages that would keep the parser busy.
struct HTMLBoundsTests {
    private func page(_ body: String) throws -> LoginPage {
        let url = try URLParser().parse("http://127.0.0.1/login/")
        return try HTMLFormReader(url: url).page(HTTPResponse(status: 200, body: Secret(body)))
    }

    private func fault(_ body: String) -> LoginFault? {
        do {
            _ = try page(body)
            return nil
        } catch {
            return error as? LoginFault
        }
    }

    @Test func `a page beyond the limit is given up before it is parsed`() {
        #expect(
            fault(String(repeating: "<p>", count: 200_000)) == .network(.answerTooLarge(limit: HTMLFormReader.limit)))
    }

    /// Where libxml2 compares each attribute of a tag with all others, this page would take 80 times as long as the same attributes
    /// in many tags do. It is given up before, and takes up to six times as long.
    @Test func `a page of one tag with very many attributes costs little time`() throws {
        let names = (0..<100_000).map { String($0, radix: 36) }.map { "z\($0)" }.prefix(85_000)
        func body(attributesOfATag most: Int) -> String {
            let tags = stride(from: 0, to: names.count, by: most).map { first in
                "<a \(names[first...].prefix(most).joined(separator: " "))></a>"
            }
            return "<form method=post>\(tags.joined())<input name=u></form>"
        }
        let usual = body(attributesOfATag: 100), hostile = body(attributesOfATag: names.count)
        #expect(max(usual.utf8.count, hostile.utf8.count) <= HTMLFormReader.limit)
        let expected = try withProcessorTime { try page(usual) }.seconds
        let (fault, seconds) = withProcessorTime { self.fault(hostile) }
        #expect(seconds < expected * 20, "\(seconds) \(expected)")
        // A libxml2 that has it in time reads all of it.
        if let fault {
            guard case .network(.brokenResponse) = fault else {
                Issue.record("\(fault)")
                return
            }
        } else {
            #expect(try page(hostile).forms.first?.fields.map(\.name) == ["u"])
        }
    }

    @Test(arguments: [
        "<input type=hidden name=v value=\"\(String(repeating: "ab/c+ ", count: 10_000))\">",
        "<svg><path d='\(String(repeating: "M10 20\n", count: 10_000))'/></svg>",
        "<!-- a <b \(String(repeating: "c ", count: 10_000))-->",
        "<script>for(i=0;i<n;i++){ \(String(repeating: "x = 1 / 2\n", count: 10_000)) }</script>",
        "<style>a<b { \(String(repeating: "c: d; ", count: 10_000)) }</style>",
        "<p \((0..<2000).map { "a\($0)" }.joined(separator: " "))>",
        "1 <a \(String(repeating: "many words ", count: 10_000))>",
    ]) func `a page may have many blanks anywhere`(part: String) throws {
        let page = try page("<html><body><form method=post>\(part)<input name=u></form></body></html>")
        #expect(page.forms.first?.fields.map(\.name).last == "u")
    }

    @Test func `a long value arrives whole`() throws {
        let value = String(repeating: "\u{e4}b/c+ &amp;", count: 10_000)
        let field = try page("<form method=post><input name=v value='\(value)'></form>").forms.first?.fields.first
        #expect(field?.value?.unprotectedText == value.replacing("&amp;", with: "&"))
    }

    @Test func `a byte that is not UTF-8 ends no page that is said to be in it`() throws {
        let body =
            Array("<p>\(String(repeating: "\u{e4} ", count: 3000))".utf8) + [0xC3, 0x28, 0xFF]
            + Array("<form method=post><input name=u value='\u{e4}'></form>".utf8)
        let url = try URLParser().parse("http://127.0.0.1/login/")
        let page = try HTMLFormReader(url: url).page(body.withUnsafeBytes { Secret(copying: $0) }, in: .utf8)
        #expect(page.forms.first?.fields.first?.value?.unprotectedText == "\u{e4}")
    }
}
