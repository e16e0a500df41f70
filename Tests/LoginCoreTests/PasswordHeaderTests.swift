@testable import LoginKit
import Secrets
import Testing

/// `{password}` in a header of the login.
struct PasswordHeaderTests {
    private let rule = HeaderRule(name: "X-Key", value: Template(parts: [.slot(.password)]))

    private func field(_ password: Secret) throws -> HTTPRequestField {
        var values = SlotValues()
        values.password = password
        return try rule.filled(values)
    }

    @Test func `it goes as it is, in UTF-8`() throws {
        #expect(try field(Secret("p ä\"w")).value == Secret("p ä\"w"))
    }

    @Test(arguments: ["a\r\nX: b", "a\tb", "a\u{7f}", "a\0"])
    func `no control characters`(text: String) {
        #expect(throws: FillFault.notForHeader(.password)) { try field(Secret(text)) }
    }

    @Test func `what a server would not see as it is is refused`() {
        for text in [" a", "a "] {
            #expect(throws: FillFault.blankInHeader(.password)) { try field(Secret(text)) }
        }
        #expect(throws: FillFault.blankInHeader(.password)) {
            try field(([0xff, 0x61] as [UInt8]).withUnsafeBytes { Secret(copying: $0) })
        }
    }

    @Test func `a secret that a profile names goes as it is, or not at all`() throws {
        let rule = HeaderRule(name: "X-Key", value: try Template(parsing: "{secret:api key}"))
        func sent(_ text: String) throws -> Secret {
            try rule.filled(SlotValues(extraSecrets: [.secret("api key"): Secret(text)])).value
        }
        #expect(try sent("k ä\"y") == Secret("k ä\"y"))
        #expect(throws: FillFault.blankInHeader(.secret("api key"))) { try sent("key ") }
        #expect(throws: FillFault.notForHeader(.secret("api key"))) { try sent("a\r\nX: b") }
        let fault = FillFault.notForHeader(.secret("api key")).asLoginFault
        #expect(fault == .usage(.controlCharacter(.secret("api key"))))
    }

    @Test func `an anonymous client is not sent a header with it`() {
        var request = RequestRule(method: "GET", path: Template(literal: "/"))
        request.headers = [rule]
        #expect(request.anonymous.headers.isEmpty && request.urlSlots.isEmpty)
    }
}
