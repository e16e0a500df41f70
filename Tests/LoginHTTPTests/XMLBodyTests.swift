@testable import LoginKit
@testable import LoginTestSupport
import Testing

/// What rules read of an XML body.
struct XMLBodyTests {
    private static let multistatus = """
        <?xml version="1.0" encoding="utf-8"?>
        <multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><response><href>/caldav.php/</href><propstat>
        <prop><C:owner>no</C:owner><current-user-principal>
          <href> /caldav.php/ad%C3%A0/ &amp; </href></current-user-principal></prop></propstat></response>
        <response><propstat><prop><C:owner>second</C:owner></prop></propstat></response></multistatus>
        """

    private func text(_ path: [String], in body: String) throws -> String? {
        try HTTPResponse.answer(207, body).xml()?(path)
    }

    @Test(
        arguments: [
            ("multistatus/response/propstat/prop/current-user-principal/href", "/caldav.php/ad%C3%A0/ &"),
            ("multistatus/response/propstat/prop/owner", "no"), ("multistatus/response/href", "/caldav.php/"),
            ("response/href", nil), ("multistatus/response/owner", nil), ("Multistatus/response/href", nil),
        ] as [(String, String?)])
    func `an element is found by the local names from the root on, the first of several`(path: String, value: String?)
        throws
    {
        let prefixed = Self.multistatus.replacing("<", with: "<D:").replacing("<D:/", with: "</D:")
            .replacing("D:C:", with: "C:").replacing("<D:?", with: "<?").replacing("xmlns=", with: "xmlns:D=")
        for body in [Self.multistatus, prefixed] {
            #expect(try text(path.split(separator: "/").map(String.init), in: body) == value)
        }
    }

    @Test(arguments: [
        "", "no XML", "<a><b>cut", "<a>\u{0}</a>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<?xml version='1.0' encoding='utf-16'?><a>",
        "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a>x</a>",
    ])
    func `what is not well-formed or has a document type has no text`(body: String) throws {
        #expect(try text(["a"], in: body) == nil)
    }

    @Test func `a body that is nested deeply or long is read in bounds`() throws {
        let deep = String(repeating: "<a>", count: 50_000) + String(repeating: "</a>", count: 50_000)
        #expect(try text(["a", "b"], in: deep) == nil)
        let long = "<a>" + String(repeating: "<b/>", count: 200_000) + "</a>"
        #expect(try text(["a", "b"], in: long) == nil)
    }
}
