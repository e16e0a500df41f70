import Testing

@testable import LoginKit

/// What a request to an endpoint of GraphQL has the service execute, and the requests in which readers may find different things.
@Suite struct `A GraphQL request` {
    private func read(_ request: () throws(GraphQLFault) -> GraphQLRequest) -> String {
        do throws(GraphQLFault) {
            return try request().operations.map(\.text).joined(separator: "; ")
        } catch {
            return "\(error)"
        }
    }

    private func read(body: String) -> String {
        read { () throws(GraphQLFault) in try GraphQLRequest(body: Array(body.utf8)) }
    }

    @Test(arguments: [
        (#"{"query":"{a b:c}"}"#, "query { a c }"), (#" { "query" : "mutation M{a}" } "#, "mutation M { a }"),
        (#"{"query":"query A{a}mutation B{b}","operationName":"A"}"#, "query A { a }"),
        (#"{"query":"{a}","operationName":null,"variables":null,"extensions":null}"#, "query { a }"),
        (#"{"variables":{"b":{"query":"mutation{c}"}},"query":"query($b:C){a(d:$b)}"}"#, "query { a }"),
        (#"{"qu\u0065ry":"{a\n}"}"#, "query { a }"), (#"{"query":"\u007ba\u007d"}"#, "query { a }"),
        (#"[{"query":"{a}"},{"query":"mutation B{b}"}]"#, "query { a }; mutation B { b }"),
        (#"{"query":"{a}","extensions":{"clientLibrary":{"name":"x"}}}"#, "query { a }"),
    ])
    func `its operations are found`(body: String, expected: String) {
        #expect(read(body: body) == expected)
    }

    @Test(arguments: [
        ("", "notJSON"), ("{a}", "notJSON"), (#""{a}""#, "notJSON"), ("null", "notJSON"), ("[]", "notJSON"),
        (#"[[{"query":"{a}"}]]"#, "members"), (#"["{a}"]"#, "members"), (#"[{"query":"{a}"},null]"#, "members"),
        ("{}", "members"),
        (#"{"query":"{a}","query":"mutation{b}"}"#, "notJSON"),
        (#"{"query":"{a}","qu\u0065ry":"mutation{b}"}"#, "notJSON"),
        (#"{"query":"{a}","Query":"mutation{b}"}"#, "members"),
        (#"{"query":"{a}","query\u0000":"mutation{b}"}"#, "members"),
        (#"{"query":"{a}","query ":"mutation{b}"}"#, "members"), (#"{"query":"{a}","id":"b"}"#, "members"),
        (#"{"query":"{a}","doc_id":"b"}"#, "members"), (#"{"query":"{a}","_method":"DELETE"}"#, "members"),
        (#"{"query":"{a}"}{"query":"mutation{b}"}"#, "notJSON"),
        ("{\"query\":\"{a}\"}\n{\"query\":\"mutation{b}\"}", "notJSON"),
        (#"{"query":"{a}",}"#, "notJSON"), (#"{"query":"{a}"/**/}"#, "notJSON"), (#"{'query':"{a}"}"#, "notJSON"),
        (#"{query:"{a}"}"#, "notJSON"), ("{\"query\":\"{a}\0\"}", "notJSON"), (#"{"query":"{a}\u0000"}"#, "document"),
        ("\u{FEFF}{\"query\":\"{a}\"}", "notJSON"), (#"{"query":"{a}\ud800"}"#, "notJSON"),
        ("{\"query\":\"{a\n}\"}", "notJSON"),
        (#"{"query":"{a}","variables":{"b":1,"b":2}}"#, "notJSON"), (#"{"query":null}"#, "members"),
        (#"{"query":["{a}"]}"#, "members"),
        (#"{"query":"{a}","operationName":1}"#, "members"), (#"{"query":"{a}","operationName":["A"]}"#, "members"),
        (#"{"query":"{a}","operationName":""}"#, "operation"), (#"{"query":"{a}","variables":"{}"}"#, "members"),
        (#"{"query":"{a}","extensions":[]}"#, "members"), (#"{"query":""}"#, "operation"),
        (#"{"query":"query"}"#, "document"),
        (#"{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"00"}}}"#, "members"),
        (#"{"query":"{a}","extensions":{"persistedQuery":{"version":1,"sha256Hash":"00"}}}"#, "members"),
        (#"{"query":"","extensions":{"persistedQuery":{"version":1,"sha256Hash":"00"}}}"#, "members"),
        (#"{"query":"query A{a}mutation B{b}","operationName":"A","operationName":"B"}"#, "notJSON"),
    ])
    func `a body in which some service may find another operation is refused`(body: String, expected: String) {
        #expect(read(body: body) == expected)
    }

    @Test func `bytes that are no UTF-8 are refused`() {
        for bytes: [UInt8] in [[0xC0, 0xAF], [0xFF], [0xED, 0xA0, 0x80], [0xC3]] {
            let body = Array(#"{"query":"{a#"#.utf8) + bytes + Array("\"}".utf8)
            #expect(read { () throws(GraphQLFault) in try GraphQLRequest(body: body) } == "notJSON")
        }
        let wide = #"{"query":"{a}"}"#.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(read { () throws(GraphQLFault) in try GraphQLRequest(body: wide) } == "notJSON")
    }

    @Test func `there are only so many operations and fields`() {
        func batch(_ count: Int, _ text: String) -> String {
            "[" + Array(repeating: #"{"query":"\#(text)"}"#, count: count).joined(separator: ",") + "]"
        }
        let fields = (1...GraphQLRequest.mostFields).map { "f\($0)" }.joined(separator: " ")
        #expect(read(body: batch(1, "{\(fields)}")) == "query { \(fields) }")
        #expect(read(body: batch(1, "{\(fields) g}")) == "tooMuch" && read(body: batch(2, "{\(fields)}")) == "tooMuch")
        #expect(read(body: batch(GraphQLRequest.mostOperations, "{a}")).hasPrefix("query { a }; query"))
        #expect(read(body: batch(GraphQLRequest.mostOperations + 1, "{a}")) == "tooMuch")
    }

    private func read(_ method: String, _ target: String, _ fields: (String, String)...) -> String {
        let head = ServedHead(method: method, target: target, fields: fields.map { ServedField($0.0, $0.1) })
        do throws(GraphQLFault) {
            return try head.graphQL(target, head.fields)?.operations.map(\.text).joined() ?? "body"
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        ("query=%7Ba%7D", "query { a }"), ("query={a}", "query { a }"),
        ("query=query+A%7Ba%7D&operationName=A", "query A { a }"),
        ("query={a}&variables=%7B%22b%22:1%7D&extensions={}", "query { a }"), ("query=mutation{a}", "changing"),
        ("query=subscription{a}", "changing"), ("query=query+A{a}mutation+B{b}&operationName=B", "changing"),
        ("", "parameters"), ("query", "parameters"), ("query={a}&query=mutation{b}", "parameters"),
        ("query={a}&", "parameters"),
        ("Query={a}", "parameters"), ("query[]={a}", "parameters"), ("qu%65ry={a}", "parameters"),
        ("query={a}&x=1", "parameters"),
        ("query={a};query=mutation{b}", "parameters"), ("query=%7Ba%7D%", "parameters"),
        ("query={a%23%2522}", "parameters"),
        ("query={a}%FF", "parameters"), ("query={a}&variables=1", "parameters"),
        ("query={a}&variables={},%22query%22:%22mutation{b}%22", "parameters"), ("operationName=A", "members"),
        ("extensions={%22persistedQuery%22:{}}", "members"), ("query={a}%00", "document"),
    ])
    func `the URL of a GET may have a query, and nothing else`(query: String, expected: String) {
        #expect(read("GET", "/graphql?\(query)") == expected)
    }

    @Test(arguments: [
        ("application/json", "body"), ("Application/JSON; charset=UTF-8", "body"),
        ("application/json;charset=\"utf-8\"", "body"),
        ("", "type"), ("application/graphql", "type"), ("text/plain", "type"),
        ("application/x-www-form-urlencoded", "type"),
        ("multipart/form-data; boundary=a", "type"), ("application/json; charset=utf-16", "type"),
        ("application/json, application/graphql", "type"), ("application/json; a=b", "type"),
        ("application/graphql+json", "type"), ("application/json; charset=utf-8; charset=utf-7", "type"),
    ])
    func `a body must be JSON in UTF-8`(type: String, expected: String) {
        #expect(read("POST", "/graphql", ("Content-Type", type), ("Content-Length", "2")) == expected)
    }

    @Test func `anything else at the endpoint is refused`() {
        let json = ("Content-Type", "application/json"), length = ("Content-Length", "2")
        #expect(read("POST", "/graphql", length) == "type")
        #expect(read("POST", "/graphql", json, json, length) == "type")
        #expect(read("POST", "/graphql", json, ("Content_Type", "application/graphql"), length) == "type")
        #expect(read("POST", "/graphql", json, ("Content-Encoding", "gzip"), length) == "type")
        #expect(read("POST", "/graphql", json, ("Content-Encoding", "identity"), length) == "body")
        #expect(read("POST", "/graphql?query={a}", json, length) == "parameters")
        #expect(read("POST", "/graphql?", json, length) == "parameters")
        #expect(read("GET", "/graphql?query={a}", json, length) == "method")
        #expect(read("GET", "/graphql?query={a}", ("Transfer-Encoding", "chunked")) == "method")
        #expect(read("GET", "/graphql?query={a}", ("Upgrade", "websocket"), ("Connection", "upgrade")) == "method")
        for method in ["PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "QUERY", "post", "get"] {
            #expect(read(method, "/graphql", json) == "method")
        }
    }

    @Test func `a person sees the fields that the rule names first, and then the variables`() throws {
        let body = #"{"query":"mutation M($a:B){a b deleteC}","variables":{"a":[1.50,"\u0061"]},"operationName":"M"}"#
        let request = try GraphQLRequest(body: Array(body.utf8)), rule = try ServeRule("GRAPHQL mutation delete*")
        let own = ServedAct(method: "POST", path: try ServedPath("/graphql"), hasFields: true)
        let question = request.question("1", of: "gh", [own] + request.acts, rule, isCovered: true)
        #expect(question.method == "GRAPHQL mutation" && question.url == "deleteC" && question.hasArguments)
        #expect(question.further == ["GRAPHQL mutation a", "GRAPHQL mutation b"])
        let shown = """
            {
              "operationName": "M",
              "variables": {
                "a": [
                  1.50,
                  "a"
                ]
              },
              "query": "mutation M($a:B){a b deleteC}"
            }
            """
        #expect(question.body == .text(shown, of: Int64(shown.utf8.count)))
    }
}
