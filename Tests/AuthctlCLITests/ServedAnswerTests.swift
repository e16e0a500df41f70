@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// What a command gets for its request, from the service or in its place.
struct ServedAnswerTests {
    private let headers = ServedHeaders(
        root: "http://127.0.0.1:40404/5e63e7", origin: Origin(scheme: "https", host: "blog.example", port: 443),
        rule: .bearer)

    /// A call whose request is all there.
    private func call(_ method: String = "GET") -> ServerCall {
        let call = ServerCall(ServedHead(method: method, target: "/5e63e7/x", fields: []), target: "/x", socket: -1)
        call.body.finish()
        return call
    }

    private func body(of call: ServerCall) -> String {
        var buffer = [UInt8](repeating: 0, count: 2000), text = ""
        while true {
            let count = buffer.withUnsafeMutableBytes { call.next($0) }
            guard count > 0 else { return text }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
    }

    private static let sizes: [(method: String, status: Int, length: String?, size: Int64?)] = [
        ("GET", 200, "12", 12), ("GET", 200, nil, nil), ("GET", 404, "0", 0), ("HEAD", 200, "12", 12),
        ("HEAD", 200, nil, nil),
        ("GET", 204, nil, 0), ("GET", 304, "12", 12), ("GET", 304, nil, 0), ("GET", 200, "many", nil),
        ("POST", 201, nil, nil),
    ]

    @Test(arguments: sizes.indices) func `a size is told as far as it is known`(index: Int) throws {
        let (method, status, length, size) = Self.sizes[index]
        let call = call(method), answer = ServedResponse(call, headers)
        let fields = length.map { ["Content-Length: \($0)", "X-A: b"] } ?? ["X-A: b"]
        try answer.begin(.answer(status, headers: fields))
        let begun = try #require(call.begun())
        #expect(begun.status == status && begun.size == size)
        #expect(begun.fields == [HTTPResponseField(name: "X-A", value: "b")])
    }

    @Test func `it is whole once the service has ended it`() throws {
        let call = call(), answer = ServedResponse(call, headers)
        try answer.begin(.answer(200))
        try Array("abc".utf8).lend { (bytes) throws(LoginFault) in try answer.write(bytes) }
        #expect(!answer.isWhole)
        try answer.finish()
        #expect(answer.isWhole)
        call.end(isWhole: answer.isWhole)
        #expect(body(of: call) == "abc")
    }

    @Test func `no header repeats the session, whatever it is called`() throws {
        let call = call(), answer = ServedResponse(call, headers)
        answer.hidden.add([Secret("t0k-12345678")], username: "ann")
        try answer.begin(
            .answer(200, headers: ["X-Echo: Bearer t0k-12345678", "X-Url: ?t=t0k%2D12345678", "X-A: t0k"]))
        #expect(call.begun()?.fields.map(\.name) == ["X-A"])
    }

    @Test func `who reads no more ends the transfer`() throws {
        let call = call(), answer = ServedResponse(call, headers)
        try answer.begin(.answer(200))
        call.abandon()
        #expect(throws: LoginFault.cancelled) {
            try Array("abc".utf8).lend { (bytes) throws(LoginFault) in try answer.write(bytes) }
        }
    }

    @Test(
        arguments: [
            (.usage(.other("too long")), 400), (.network(.timedOut(seconds: 7)), 504), (.network(.connectionLost), 502),
            (.busy(BusyFault(status: 503, retryAfter: nil, words: nil)), 503), (.untrusted(.plainHTTP), 502),
            (.loginRequired(LoginNeed(why: .sessionRefused)), 502), (.failure(.bodyNotRepeatable), 502),
        ] as [(LoginFault, Int)])
    func `where the service has no answer the command is told why`(error: LoginFault, status: Int) throws {
        let call = call(), answer = ServedResponse(call, headers), topic = ErrorContext(profile: "wire")
        answer.explain(error, topic)
        #expect(answer.isWhole)
        call.end(isWhole: answer.isWhole)
        let begun = try #require(call.begun()), text = body(of: call), message = error.message(about: topic)
        #expect(begun.status == status && begun.size == Int64(text.utf8.count))
        #expect(begun.fields.contains(HTTPResponseField(name: "Cache-Control", value: "no-store")))
        #expect(text == "authctl: " + [message.what, message.next].filter { !$0.isEmpty }.map { "\($0)\n" }.joined())
    }

    @Test func `an answer that has begun is not explained, and neither is a command that hung up`() throws {
        let begun = call(), answer = ServedResponse(begun, headers)
        try answer.begin(.answer(200))
        answer.explain(.network(.connectionLost), ErrorContext())
        #expect(!answer.isWhole && begun.begun()?.status == 200)
        begun.end(isWhole: answer.isWhole)
        #expect(body(of: begun).isEmpty)
        let gone = call()
        ServedResponse(gone, headers).explain(.cancelled, ErrorContext())
        #expect(!gone.hasBegun)
    }
}
