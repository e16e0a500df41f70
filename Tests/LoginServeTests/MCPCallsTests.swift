import Testing

@testable import LoginKit

/// Which messages of an MCP client are sent when.
final class MCPCallsTests {
    private var calls = MCPCalls()

    /// Takes a message, as JSON without what each has.
    /// - Returns: the calls that are sent then; `nil` if there was no room.
    private func send(_ members: String) throws -> [MCPCall]? {
        let hasRoom = calls.take(try MCPMessage(Array("{\"jsonrpc\":\"2.0\",\(members)}".utf8)))
        let started = calls.start()
        return hasRoom ? started : nil
    }

    /// The next calls, once one has ended.
    private func end(_ call: MCPCall) -> [MCPCall] {
        calls.end(call)
        return calls.start()
    }

    private static let cancelling = #""method":"notifications/cancelled","params":{"requestId":1}"#

    @Test func `a call that the service has begun to answer, or whose session is lost, may have been carried out`()
        throws
    {
        let lost = LoginFault.network(.connectionLost), gone = LoginFault.network(.unanswered(.connectionLost))
        for (method, isDoubtful) in [("tools/call", true), ("tools/list", false)] {
            let call = MCPCall(try MCPMessage(Array(#"{"id":1,"method":"\#(method)"}"#.utf8)))
            #expect(!call.isDoubtful(after: lost) && call.isDoubtful(after: gone) == isDoubtful)
            let reply = MCPReply { _, _ in }
            try reply.begin(HTTPResponse(status: 503))
            call.note(reply)
            #expect(!call.isDoubtful(after: lost))
            try reply.begin(HTTPResponse(status: 200))
            call.note(reply)
            #expect(call.isDoubtful(after: lost) == isDoubtful)
            let again = MCPCall(call.message)
            again.belong(to: 1)
            again.lose(before: 2)
            #expect(again.isDoubtful(after: .cancelled) == isDoubtful)
        }
    }

    @Test func `an error says what to do about a call that may have been carried out`() {
        let fault = LoginFault.network(.unanswered(.connectionLost)),
            doubt = "may have been carried out; look before you send it again"
        #expect(MCPError(fault, ErrorContext(), isDoubtful: true).message.hasSuffix(doubt))
        #expect(!MCPError(fault, ErrorContext(), isDoubtful: true).message.contains("try again"))
        let ended = LoginFault.loginRequired(LoginNeed(why: .sessionRefused))
        let both = MCPError(ended, ErrorContext(profile: "blog"), isDoubtful: true)
        #expect(both.message.contains("authctl login blog") && both.message.hasSuffix(doubt) && both.exitCode == 4)
    }

    @Test func `256 requests are under way at most, and the others wait in their order`() throws {
        var running: [MCPCall] = []
        for id in 0..<256 { running += try #require(try send("\"id\":\(id),\"method\":\"ping\"")) }
        #expect(running.count == 256)
        for id in 256..<300 { #expect(try send("\"id\":\(id),\"method\":\"ping\"")?.isEmpty == true) }
        for id in 256..<300 {
            let started = end(running.removeFirst())
            #expect(started.map(\.message.id) == [.number(Int64(id))])
        }
        let started = end(running.removeFirst())
        #expect(started.isEmpty)
    }

    @Test func `an answer of the client does not wait for its requests`() throws {
        for id in 0..<300 { _ = try send("\"id\":\(id),\"method\":\"ping\"") }
        #expect(try send(#""id":1,"result":{}"#)?.count == 1)
        for id in 2..<300 { _ = try send("\"id\":\(id),\"result\":{}") }
        #expect(try send(#""id":300,"result":{}"#)?.isEmpty == true)
    }

    @Test func `notifications are sent one after the other, and nothing waits for them`() throws {
        let first = try #require(try send(#""method":"notifications/a""#)?.first)
        #expect(try send(#""method":"notifications/b""#)?.isEmpty == true)
        #expect(try send(#""method":"notifications/c""#)?.isEmpty == true)
        #expect(try send(#""id":1,"method":"ping""#)?.count == 1)
        let second = try #require(end(first).first)
        #expect(second.message.method == "notifications/b")
        #expect(end(second).map(\.message.method) == ["notifications/c"])
    }

    @Test func `nothing is sent beside initialize and initialized, and then all in its order`() throws {
        let first = try #require(try send(#""id":0,"method":"initialize""#)?.first)
        for members in [
            #""method":"notifications/a""#, #""id":1,"method":"ping""#, #""method":"notifications/initialized""#,
            #""id":2,"method":"ping""#, #""id":3,"method":"initialize""#, #""method":"notifications/b""#,
        ] {
            #expect(try send(members)?.isEmpty == true)
        }
        #expect(try send(#""id":1,"result":{}"#)?.count == 1)
        let started = end(first)
        #expect(started.map(\.message.method) == ["notifications/a", "ping", "ping", "initialize"])
        let last = try #require(started.last), notification = try #require(started.first)
        #expect(end(notification).isEmpty)
        let initialized = end(last)
        #expect(initialized.map(\.message.method) == ["notifications/initialized"])
        #expect(end(try #require(initialized.first)).map(\.message.method) == ["notifications/b"])
    }

    @Test func `a request that waits is dropped when it is cancelled, and the service hears nothing`() throws {
        let first = try #require(try send(#""id":0,"method":"initialize""#)?.first)
        _ = try send(#""id":1,"method":"ping""#)
        _ = try send(#""id":2,"method":"ping""#)
        #expect(try send(Self.cancelling)?.isEmpty == true)
        #expect(end(first).map(\.message.id) == [.number(2)])
    }

    @Test func `a request that was sent ends once the service has been told`() throws {
        let call = try #require(try send(#""id":1,"method":"ping""#)?.first)
        #expect(call.begin())
        let cancellation = try #require(try send(Self.cancelling)?.first)
        #expect(!call.isOver)
        #expect(end(cancellation).isEmpty && call.isOver)
    }

    @Test
    func `a cancellation does not wait for other notifications, and a request that is no notification cancels nothing`()
        throws
    {
        let call = try #require(try send(#""id":1,"method":"ping""#)?.first)
        #expect(call.begin())
        #expect(try send(#""method":"notifications/a""#)?.count == 1)
        #expect(try send("\"id\":2,\(Self.cancelling)")?.map(\.message.id) == [.number(2)])
        #expect(!call.isOver)
        #expect(try send(Self.cancelling)?.count == 1)
    }

    @Test func `a cancellation ends the request that it was sent for, not a later one with its ID`() throws {
        let call = try #require(try send(#""id":1,"method":"ping""#)?.first)
        #expect(call.begin())
        let cancellation = try #require(try send(Self.cancelling)?.first)
        let later = try #require(try send(#""id":1,"method":"ping""#)?.first)
        #expect(later.begin())
        #expect(end(cancellation).isEmpty && call.isOver && !later.isOver)
    }

    @Test func `of two requests with one ID that wait a cancellation means the later one`() throws {
        let first = try #require(try send(#""id":0,"method":"initialize""#)?.first)
        for id in [1, 1, 2] { _ = try send("\"id\":\(id),\"method\":\"tools/\(id)\"") }
        #expect(try send(#""id":1,"method":"tools/last""#)?.isEmpty == true)
        #expect(try send(Self.cancelling)?.isEmpty == true)
        #expect(end(first).map(\.message.method) == ["tools/1", "tools/1", "tools/2"])
    }

    @Test func `nothing that comes after the end is sent`() throws {
        let call = try #require(try send(#""id":1,"method":"ping""#)?.first)
        calls.cancelAll()
        #expect(call.isOver)
        #expect(try send(#""id":2,"method":"ping""#)?.isEmpty == true)
        #expect(end(call).isEmpty && calls.isEmpty)
    }

    @Test func `of three requests with one ID only the last is answered`() throws {
        var sent: [MCPCall] = []
        for _ in 0..<3 { sent += try #require(try send(#""id":1,"method":"ping""#)) }
        #expect(sent.map { $0.answer() } == [false, false, true])
    }

    @Test func `20,000 messages wait at most`() throws {
        let first = try #require(try send(#""id":0,"method":"initialize""#)?.first)
        for id in 1...20_000 { #expect(try send("\"id\":\(id),\"method\":\"ping\"")?.isEmpty == true) }
        #expect(try send(#""id":20001,"method":"ping""#)?.count == nil)
        #expect(end(first).count == 256)
        #expect(try send(#""id":20001,"method":"ping""#)?.isEmpty == true)
    }

    @Test func `cancellations have room beyond the bounds, and bounds of their own`() throws {
        let call = try #require(try send(#""id":1,"method":"ping""#)?.first)
        #expect(call.begin())
        for id in 2..<20_257 { _ = try send("\"id\":\(id),\"method\":\"ping\"") }
        #expect(try send(#""method":"notifications/a""#)?.count == nil)
        for _ in 0..<16 { #expect(try send(Self.cancelling)?.count == 1) }
        for _ in 0..<256 { #expect(try send(Self.cancelling)?.isEmpty == true) }
        #expect(try send(Self.cancelling)?.count == nil)
    }

    @Test func `many long cancellations of one request are not all held`() throws {
        let call = try #require(try send(#""id":1,"method":"ping""#)?.first)
        #expect(call.begin())
        let reason = String(repeating: "a", count: 1 << 20)
        let text = #"{"method":"notifications/cancelled","params":{"requestId":1,"reason":"\#(reason)"}}"#
        let cancellation = try MCPMessage(Array(text.utf8))
        let count = (0..<300).count { _ in calls.take(cancellation) }
        #expect(count == 256)
    }
}
