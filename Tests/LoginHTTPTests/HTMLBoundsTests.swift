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

    @Test(arguments: [" ", "\n", "/", " x=1 ", "\t\"q\" "]) func `an element of very many attributes is bounded`(
        gap: String
    ) {
        let attributes = (0..<2000).map { "a\($0)" }.joined(separator: gap)
        guard case .network(.brokenResponse) = fault("<form><a \(attributes)>") else {
            Issue.record("read")
            return
        }
    }

    @Test(arguments: ["<form x=\">\" ", "<form x='>' ", "<form x = \">\"\n"])
    func `a bracket in quotes ends no element`(start: String) {
        let names = (0..<2000).map { "a\($0)" }.joined(separator: " ")
        #expect(fault("\(start)\(names)>") != nil)
    }

    @Test func `values need no gap between them`() {
        #expect(fault("<form \((0..<2000).map { "a\($0)=\"\"" }.joined())>") != nil)
    }

    @Test func `words between elements are no attributes`() throws {
        let text = String(repeating: "many words ", count: 5000)
        #expect(fault("<html><body>\(text)<form method=post><input name=a></form></body></html>") == nil)
    }
}
