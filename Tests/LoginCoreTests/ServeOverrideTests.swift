import Foundation
@testable import LoginKit
import Testing

/// What some services take in place of a request's method or path, with rules in force.
@Suite struct `A request that names another method or path` {
    private static let headers = ServedHeaders(
        root: "http://127.0.0.1:40404/5e63e7", origin: Origin(scheme: "https", host: "shop.example", port: 443),
        rule: SessionRule())

    private func acts(
        _ method: String = "POST", _ target: String = "/x", body: String? = nil, isWhole: Bool = true,
        _ fields: (String, String)...
    ) throws -> [String] {
        let length = body.map { [("Content-Length", "\(max($0.utf8.count, 1))")] } ?? []
        let head = ServedHead(
            method: method, target: "/5e63e7\(target)", fields: (length + fields).map { ServedField($0.0, $0.1) })
        let acts = try ServedActs(head, target: target, Self.headers)
        let methods = try acts.body()?.methods(in: Array((body ?? "").utf8), isWhole: isWhole) ?? []
        return try acts.with(methods: methods).map { "\($0.method) \($0.path.text)" }
    }

    private func objection(_ work: () throws -> [String]) -> String? {
        do {
            _ = try work()
            return nil
        } catch let error as ServeObjection {
            return "\(error.status) \(error.code)"
        } catch {
            return "\(error)"
        }
    }

    @Test func `a plain request does what it says`() throws {
        #expect(try acts("PATCH", "/a?b=c", body: "{}", ("Content-Type", "application/json")) == ["PATCH /a"])
    }

    @Test(arguments: [
        "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Original-URL", "X-Rewrite-URL",
        "X-Forwarded-Prefix", "x-http-method-override", "X_HTTP_Method_Override", "x_original-URL", "X.HTTP.Method",
        "X-Script-Name", "Script-Name", "Path-Info", "X-Forwarded-Path", "X-Forwarded-Uri", "X-Original-Method",
        "X-Replaced-Path", "X-Tunneled-Method", "X-Ingress-Path", "X-Envoy-Original-Path", "X-WOPI-Override",
        "X-RestLi-Method", "Tunneled-Method", "WOPI-Override", "Rewrite-URL", "Forwarded-Prefix", "X-HTTP-Verb",
        "X-Override-URL", "XHTTPMethodOverride",
    ]) func `a header that changes the method or the path is refused`(name: String) {
        #expect(objection { try acts("GET", "/x", (name, "DELETE")) } == "400 override")
    }

    @Test(arguments: [
        "_method=DELETE", "a=b&_method=put", "_method", "%5Fmethod=DELETE", "%5f%6Dethod=DELETE", "_METHOD=DELETE",
        "_method[]=DELETE", "_method%5B%5D=DELETE", "a;_method=DELETE", "+_method=DELETE", "_method%00x=DELETE",
        ".method=DELETE", "?_method=DELETE", "x-tunneled-method=DELETE", "%u005Fmethod=DELETE", "a[_method]=DELETE",
        "_HttpMethod=DELETE",
        "X-HTTP-Method-Override=DELETE",
    ]) func `a member _method of the query is refused`(query: String) {
        #expect(objection { try acts("POST", "/x?\(query)") } == "400 override")
        #expect(objection { try acts("GET", "/x?\(query)") } == "400 override")
    }

    @Test func `a body names each method once, and not more than eight of them`() throws {
        let form = ("Content-Type", "application/x-www-form-urlencoded")
        let all = (1...9).map { "_method=M\($0)" }
        #expect(try acts(body: (all.dropLast() + all.prefix(2)).joined(separator: "&"), form).count == 9)
        #expect(objection { try acts(body: all.joined(separator: "&"), form) } == "400 override")
    }

    @Test(arguments: ["X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Request-ID", "Referer", "Accept"])
    func `other headers are not`(name: String) throws {
        #expect(try acts("GET", "/x", (name, "a")) == ["GET /x"])
    }

    @Test(arguments: [
        "{\"_method\"/*x*/:\"DELETE\"}", "{\"_method\"//x\n:\"DELETE\"}", "{\"_meth\\\nod\" x:\"DELETE\"}",
    ]) func `a member of JSON with a comment behind its name cannot be read`(body: String) {
        #expect(objection { try acts(body: body, ("Content-Type", "application/json")) } == "400 override")
    }

    @Test(arguments: ["method=DELETE", "x_method=DELETE", "a=_method", "_methods=1", "_meth%6Fds=1", "__method=1"])
    func `other members of the query are not`(query: String) throws {
        #expect(try acts("POST", "/x?\(query)") == ["POST /x"])
    }

    @Test func `a Destination is judged as PUT on its path, and is at the served address`() throws {
        let here = "http://127.0.0.1:40404/5e63e7"
        #expect(try acts("MOVE", "/x", ("Destination", here + "/y%2Fz?q")) == ["MOVE /x", "PUT /y%2Fz"])
        #expect(try acts("COPY", "/x", ("destination", here)) == ["COPY /x", "PUT /"])
        for other in ["https://shop.example/y", "/y", "http://127.0.0.1:40404/other/y", "", here + "/y#z", here + "x"] {
            #expect(objection { try acts("MOVE", "/x", ("Destination", other)) } == "400 override", "\(other)")
        }
        #expect(objection { try acts("MOVE", "/x", ("Destination", here + "/a/../b")) } == "400 ambiguous-path")
        #expect(
            objection { try acts("MOVE", "/x", ("Destination", here + "/a"), ("Destination", here + "/b")) }
                == "400 override")
    }

    @Test func `a WebSocket is the method WEBSOCKET, and no other request is`() throws {
        let wanted = [("Upgrade", "websocket"), ("Connection", "Upgrade")]
        #expect(try acts("GET", "/x", wanted[0], wanted[1]) == ["WEBSOCKET /x"])
        #expect(objection { try acts("WEBSOCKET", "/x") } == "403 not-allowed")
        #expect(objection { try acts("websocket", "/x", wanted[0], wanted[1]) } == "403 not-allowed")
    }

    private static let form = "application/x-www-form-urlencoded"

    @Test(arguments: [
        "_method=DELETE", "a=b&_method=delete", "%5Fmethod=DELETE&a", "_method[]=DELETE", "a=1;_method=DELETE",
        "_method=+DELETE+", "_METHOD=%44ELETE", "+_method=DELETE", "\u{FEFF}_method=DELETE", "?_method=DELETE",
        "\u{FEFF}?_method=DELETE", "%EF%BB%BF_method=DELETE", "%00_method=DELETE", "\u{A0}_method=DELETE",
        "X_HTTP_Method=DELETE", "?a=b&x-tunneled-method=DELETE",
        "a=b\r\n_method=DELETE\r\n",
    ]) func `a member _method of a form is judged as that method, too`(body: String) throws {
        for type in [Self.form, "\(Self.form); charset=UTF-8", Self.form.uppercased(), "\(Self.form),text/plain"] {
            #expect(try acts(body: body, ("Content-Type", type)) == ["POST /x", "DELETE /x"], "\(type)")
        }
        #expect(try acts(body: body) == ["POST /x", "DELETE /x"], "services take a form where nothing says what it is")
        #expect(
            try acts(body: body, ("Content-Type", "text/plain"), ("Connection", "content-type"))
                == ["POST /x", "DELETE /x"], "a type that ends here does not count")
        #expect(
            try acts(body: body, ("Content-Type", "text/plain; charset=us-ascii")) == ["POST /x", "DELETE /x"],
            "browsers send forms so, too")
    }

    @Test(arguments: ["text/plain", "application/x-www-form-urlencoded"])
    func `a form whose byte order mark says UTF-16 is refused`(type: String) {
        for order in [String.Encoding.utf16BigEndian, .utf16LittleEndian] {
            let mark: [UInt8] = order == .utf16BigEndian ? [0xFE, 0xFF] : [0xFF, 0xFE]
            let body = mark + Array("_method=DELETE".data(using: order) ?? Data())
            let head = ServedHead(
                method: "POST", target: "/5e63e7/x",
                fields: [ServedField("Content-Type", type), ServedField("Content-Length", "\(body.count)")])
            #expect(
                objection {
                    let acts = try ServedActs(head, target: "/x", Self.headers)
                    return try acts.body()?.methods(in: body, isWhole: true) ?? []
                } == "400 unreadable-body")
        }
    }

    @Test(arguments: ServedBody.overrides) func `each member that names a method is found wherever one is looked for`(
        name: String
    ) throws {
        for name in [name, name.lowercased(), name.uppercased()] {
            #expect(objection { try acts("POST", "/x?\(name)=DELETE") } == "400 override")
            let bodies = [
                (Self.form, "\(name)=DELETE"), ("text/plain", "a=b\r\n\(name)=DELETE\r\n"),
                ("application/json", "{\"\(name)\":\"DELETE\"}"), ("application/json", "{\"\(name)\":\"DELETE\",}"),
                ("text/plain", "{\"\(name)\":\"DELETE\"}"),
                (
                    "multipart/form-data; boundary=b",
                    "--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\nDELETE\r\n--b--\r\n"
                ),
            ]
            for (type, body) in bodies {
                #expect(try acts(body: body, ("Content-Type", type)) == ["POST /x", "DELETE /x"], "\(type): \(body)")
            }
        }
    }

    @Test func `each of several members is judged`() throws {
        #expect(
            try acts(body: "_method=PUT&_method=DELETE", ("Content-Type", Self.form)) == [
                "POST /x", "PUT /x", "DELETE /x",
            ])
    }

    @Test(arguments: ["_method", "_method=", "_method=a%20b", "_method=%00DELETE", "_method=%FF"])
    func `a member _method that is no method is refused`(body: String) {
        #expect(objection { try acts(body: body, ("Content-Type", Self.form)) } == "400 override")
    }

    @Test(arguments: [
        #"{"_method": "delete"}"#, #"{"\u005fmethod": "DELETE"}"#, #"{"\u005Fm\u0065thod":"DELETE"}"#,
        #"{"a": [{"_method": "DELETE"}]}"#, #"{"_METHOD":"DELETE"}"#, #"[{"_method" : "DELETE"}]"#,
        #"{"a":1,"a":2,"_method":"DELETE"}"#, #"{"_method":"DELETE",}"#, #"{_method:'DELETE'}"#,
        #"{'_method':'DELETE'}"#,
        "\u{FEFF}{\"_method\":\"DELETE\"}", "\u{FEFF}{\"\\ufeff_method\":\"DELETE\"}",
        #"{"\x5fmethod":"DELETE"}"#, #"{"a":1} {"_method":"DELETE"}"#, "{\"a\":1}\n{\"_method\":\"DELETE\"}\n",
    ]) func `a member _method of JSON is judged as that method, too`(body: String) throws {
        for type in [
            "application/json", "application/json; charset=utf-8", "application/vnd.x+json", "text/json",
            "application/x-ndjson", "application/jsonl", "application/json-seq",
        ] {
            #expect(try acts(body: body, ("Content-Type", type)) == ["POST /x", "DELETE /x"], "\(type)")
        }
    }

    @Test(arguments: [
        #"{"_method": 1}"#, #"{"_method": null}"#, #"{"_method": ["DELETE"]}"#, #"{"_method": ""}"#,
        #"{"_method": "a b"}"#, #"{"_method": DELETE"#,
    ]) func `a member _method of JSON that is no method is refused`(body: String) {
        #expect(objection { try acts(body: body, ("Content-Type", "application/json")) } == "400 override")
    }

    @Test(arguments: [
        #"{"text": "a \"_method\": \"DELETE\" in a text"}"#, #"{"method": "DELETE"}"#, #"["_method"]"#, "17",
        "\"_method\"",
    ]) func `other texts in JSON are not members`(body: String) throws {
        #expect(try acts(body: body, ("Content-Type", "application/json")) == ["POST /x"])
    }

    @Test func `of a longer body the first 64 KiB are searched, and it passes by its own method`() throws {
        let cut = #"{"a": "\#(String(repeating: "x", count: 1000))", "b": ""#
        #expect(try acts(body: cut, isWhole: false, ("Content-Type", "application/json")) == ["POST /x"])
        #expect(
            try acts(body: #"{"_method": "DELETE", "#, isWhole: false, ("Content-Type", "application/json"))
                == ["POST /x", "DELETE /x"])
        #expect(
            objection {
                try acts(body: #"{"_method": "DEL"#, isWhole: false, ("Content-Type", "application/json"))
            } == "400 override")
        #expect(
            objection { try acts(body: "a=b&_method=DEL", isWhole: false, ("Content-Type", Self.form)) }
                == "400 override", "the rest of the value is not there")
    }

    @Test(arguments: [Self.form, "application/json", "multipart/form-data; boundary=b", ""])
    func `a body that cannot be searched is refused`(type: String) {
        let body = type.hasPrefix("multipart") ? "--b--\r\n" : "{}"
        let types = type.isEmpty ? [] : [("Content-Type", type)]
        func judged(_ fields: [(String, String)]) -> String? {
            let all = fields + [("Content-Length", "\(body.utf8.count)")]
            let head = ServedHead(method: "POST", target: "/5e63e7/x", fields: all.map { ServedField($0.0, $0.1) })
            return objection {
                let acts = try ServedActs(head, target: "/x", Self.headers)
                return try acts.body()?.methods(in: Array(body.utf8), isWhole: true) ?? []
            }
        }
        #expect(judged(types) == nil)
        #expect(judged(types + [("Content-Encoding", "identity")]) == nil)
        for coding in ["gzip", "identity, gzip", "br"] {
            #expect(judged(types + [("content-encoding", coding)]) == "400 unreadable-body", "\(coding)")
        }
        guard !type.isEmpty else { return }
        for charset in ["utf-16", "UTF-7", "iso-8859-1", "ibm037", "\"utf-16\"", ""] {
            #expect(
                judged([("Content-Type", "\(type); charset=\(charset)")]) == "400 unreadable-body", "\(charset)")
        }
        #expect(judged(types + [("Content_Type", "text/plain")]) == "400 unreadable-body")
        #expect(judged([("Content-Type", "\(type); charset=\"UTF-8\"")]) == nil)
    }

    @Test func `bodies of other types are not looked at`() throws {
        #expect(
            try acts(
                "PUT", body: "_method=DELETE", ("Content-Type", "application/octet-stream"),
                ("Content-Encoding", "gzip"))
                == ["PUT /x"])
    }
}
