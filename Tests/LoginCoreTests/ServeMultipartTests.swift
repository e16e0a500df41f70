@testable import LoginKit
import Testing

/// A part that is called `_method`, and bodies whose parts cannot be told apart.
@Suite struct `A multipart body that rules judge` {
    private static let headers = ServedHeaders(
        root: "http://127.0.0.1:40404/5e63e7", origin: Origin(scheme: "https", host: "shop.example", port: 443),
        rule: SessionRule())

    /// The methods that it names, or the code of a refusal.
    private func methods(
        _ body: String, _ type: String = "multipart/form-data; boundary=b", isWhole: Bool = true
    ) -> [String] {
        let fields = [ServedField("Content-Length", "\(body.utf8.count)"), ServedField("Content-Type", type)]
        let head = ServedHead(method: "POST", target: "/5e63e7/x", fields: fields)
        do throws(ServeObjection) {
            let acts = try ServedActs(head, target: "/x", Self.headers)
            return try acts.body()?.methods(in: Array(body.utf8), isWhole: isWhole) ?? []
        } catch {
            return [error.code]
        }
    }

    private func part(_ disposition: String, _ value: String = "DELETE", more: String = "") -> String {
        "--b\r\nContent-Disposition: form-data; \(disposition)\r\n\(more)\r\n\(value)\r\n"
    }

    private static let end = "--b--\r\n"

    @Test(arguments: [
        "name=\"_method\"", "name=_method", "NAME=\"_method\"", "name=\"_METHOD\"", "name=\"_method[]\"",
        "name=\"%5Fmethod\"", "name='_method'", "filename=x; name=\"_method\"", "name=\"_method\"; filename=\"x\"",
        "name=\" _method\"",
    ]) func `names the method of a part that is called _method`(disposition: String) {
        #expect(methods(part(disposition) + Self.end) == ["DELETE"])
        #expect(methods(part("name=\"a\"", "b") + part(disposition, "put") + Self.end) == ["PUT"])
    }

    @Test func `names none otherwise`() {
        #expect(methods(part("name=\"a\"", "_method") + Self.end).isEmpty)
        #expect(
            methods(part("name=\"f\"; filename=\"_method\"", "a\r\n\0\r\nb", more: "Content-Type: x/y\r\n") + Self.end)
                .isEmpty)
        #expect(methods(part("name=\"f\"; filename*=utf-8''%5Fmethod", "x") + Self.end).isEmpty)
        #expect(methods(Self.end).isEmpty)
        #expect(methods(part("name=\"a\"", "") + "--b--").isEmpty)
    }

    @Test func `takes the Content-ID of a part for a name, as Rack does`() {
        let body = "--b\r\nContent-ID: _method\r\n\r\nDELETE\r\n--b--\r\n"
        #expect(methods(body, "multipart/related; boundary=b") == ["DELETE"])
        #expect(methods(body) == ["unreadable-body"], "a part of a form has a name")
    }

    @Test(arguments: [
        "name=\"_method\"; name=\"a\"", "name=\"a\"; name=\"_method\"", "name*=utf-8''%5Fmethod", "name*0=_me",
        "name=\"=?utf-8?Q?=5Fmethod?=\"", "name=\"\\_method\"", "name=\"a\\\"; name=_method; x=\"\"", "filename=\"x\"",
        "name=\"a\"; foo=\"a; name=_method\"", "name=\"a\"; filename=\"b; name=_method\"",
        "name", "name=\"a\" x", "name=\"a", "name=\"a\"b", "name=",
    ]) func `is refused if its names can be read in two ways`(disposition: String) {
        #expect(methods(part(disposition) + Self.end) == ["unreadable-body"])
    }

    @Test(arguments: [
        "X-Content-Disposition: a; name=_method\r\n", "X-A: Content-Disposition: a; name=_method\r\n",
        "Content-Type: Content-Disposition: a; name=_method\r\n", "Content-Type: a/b; name=_method\r\n",
        "X: Content-ID:_method\r\n",
    ]) func `is refused if a part has fields in which some readers find a name`(more: String) {
        #expect(methods(part("name=\"a\"", more: more) + Self.end) == ["unreadable-body"])
    }

    @Test(arguments: [
        "", "x", "\r\n--b--\r\n", "preamble\r\n--b--\r\n", "--c--\r\n", "--b\n\nx\n--b--\n", "--b \r\n\r\n",
        "--b\r\n--b--",
        "--b\r\nA: b\r\n\r\nx--b--\r\n", "--b\r\nA: b\r\n\r\nx\n--b--\r\n",
        "--b\r\nA: b\r\n\r\nx\r\n--bb\r\n\r\n\r\n--b--",
        "--b--\r\n--b\r\nA: b\r\n\r\nx\r\n--b--", "--b--epilogue", "--b\r\nno field\r\n\r\nx\r\n--b--\r\n",
        "--b\r\nContent-Disposition: form-data;\r\n name=\"_method\"\r\n\r\nx\r\n--b--\r\n",
        "--b\r\nContent-Disposition : form-data; name=\"a\"\r\n\r\nx\r\n--b--\r\n",
        "--b\r\nContent-Disposition: form-data; name=\"a\"\n\r\n\r\nx\r\n--b--\r\n",
    ]) func `is refused if its parts can be told apart in two ways`(body: String) {
        #expect(methods(body) == (body.isEmpty ? [] : ["unreadable-body"]))
    }

    @Test(arguments: [
        "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=b; boundary=c",
        "multipart/form-data; boundary*=b", "multipart/form-data; boundary=\"b", "multipart/form-data boundary=b",
        "multipart/form-data; boundary=b; x", "multipart/form-data; boundary=b, multipart/form-data; boundary=c",
        "multipart/form-data; boundary=\"b \"", "multipart/form-data; boundary=b,c",
        "multipart/form-data; boundary=\"b,c\"", "multipart/form-data; x-boundary=c; boundary=b",
        "multipart/form-data; boundary=b; x=boundary=c", "multipart/form-data; boundary=b; x=y",
    ]) func `is refused if its boundary can be read in two ways`(type: String) {
        #expect(methods(Self.end, type) == ["unreadable-body"])
    }

    @Test(arguments: ["boundary=\"b\"", "charset=utf-8; boundary=b", "boundary=b;", "BOUNDARY=b"])
    func `takes a boundary as everybody reads it`(parameters: String) {
        #expect(methods(part("name=_method") + Self.end, "Multipart/Form-Data; \(parameters)") == ["DELETE"])
    }

    @Test(arguments: [
        "Content-Transfer-Encoding: base64\r\n", "Content-Type: text/plain; charset=utf-16\r\n",
    ]) func `is refused if a part that is called _method is encoded`(more: String) {
        #expect(methods(part("name=_method", "REVMRVRF", more: more) + Self.end) == ["override"])
        #expect(methods(part("name=a", "REVMRVRF", more: more) + Self.end).isEmpty)
    }

    @Test func `passes by its own method where it goes on behind what is searched`() {
        let long = part("name=\"f\"; filename=\"x\"", String(repeating: "x", count: 1000))
        #expect(methods(long.dropLast(10) + "", isWhole: false).isEmpty)
        #expect(methods(part("name=\"_method\"") + long.dropLast(10), isWhole: false) == ["DELETE"])
        #expect(methods(part("name=\"_method\"", "DEL").dropLast(2) + "", isWhole: false) == ["override"])
        #expect(methods(long + "--b\r\nContent-Dispo", isWhole: false).isEmpty)
        #expect(methods(long + "--b", isWhole: false).isEmpty)
        #expect(methods(long.dropLast(10) + "") == ["unreadable-body"])
    }
}
