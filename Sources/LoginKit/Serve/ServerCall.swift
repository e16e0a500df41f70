import CMicroHTTPD
import Glibc

/// The head of the response to a request.
struct ServerResponse: Sendable {
    let status: Int
    let fields: [HTTPResponseField]
    /// The size of the body, in bytes; `nil` if only the end will tell.
    let size: Int64?
}

/// One request, between the thread of its connection and the one that answers it.
final class ServerCall: @unchecked Sendable {
    let head: ServedHead
    /// Path and query at the service's origin.
    let target: String
    /// The body that the client sends.
    let body = BytePipe()
    private let output = BytePipe()
    private let monitor = Monitor()
    /// For the library to send.
    private var answer: ServerResponse?
    /// Sent instead of `answer` before the request has ended. Only its end concerns other threads.
    private var early: EarlyResponse?
    private var (hasAnswer, isOver) = (false, false)
    /// When the client is looked at; the answering thread's own.
    private var nextLook = ContinuousClock.now
    /// Whether it was gone then; the answering thread's own.
    private var hasLeft = false
    /// The connection's, to be looked at alone.
    private let socket: Int32
    /// Whether an answer may go past the library, which TLS does not let it.
    private let isClear: Bool

    init(_ head: ServedHead, target: String, socket: Int32, isClear: Bool = true) {
        (self.head, self.target, self.socket, self.isClear) = (head, target, socket, isClear)
    }

    /// Whether nobody waits for the answer any more; for whoever answers, again and again, and before each wait.
    func isAbandoned() -> Bool {
        output.flush()
        if hasLeft || monitor.locked({ isOver }) { return true }
        let now = ContinuousClock.now
        guard now >= nextLook else { return false }
        nextLook = now + .milliseconds(100)
        hasLeft = isGone
        return hasLeft
    }

    /// Begins the answer, once.
    func begin(_ answer: ServerResponse) {
        // The library tells the client to go on, as the first thing that its thread does now.
        if head.expectsContinue { body.awaitBeginning() }
        monitor.locked {
            if hasAnswer { return }
            hasAnswer = true
            let canBeTold = head.method != "HEAD" && (answer.size != nil || head.isChunkable)
            if isClear, head.contentLength != 0, !body.isDone, canBeTold, !isOver {
                early = EarlyResponse(answer, over: socket)
                if early != nil { return }
            }
            self.answer = answer
            monitor.tell()
        }
    }

    /// Whether the answer has begun.
    var hasBegun: Bool { monitor.locked { hasAnswer } }

    /// Goes on with it.
    /// - Returns: whether somebody still reads.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        early?.write(bytes, unless: drop) ?? output.write(bytes, unless: drop)
    }

    /// The client may read nothing before it has sent everything. What of that is still to come is wanted no more, unless the
    /// service reads it while it answers.
    private func drop() -> Bool {
        if !body.isDone, early?.isRefusal != false { body.close() }
        return false
    }

    /// Ends it.
    func end(isWhole: Bool) {
        output.finish(isWhole: isWhole)
        if isWhole { early?.finish(unless: drop) }
        // What nobody has read by now is read by nobody.
        body.close()
        monitor.locked {
            early?.end()
            if answer == nil { isOver = true }
            monitor.tell()
        }
    }

    /// Drops the call: the client has gone, or nobody is there to answer it.
    func abandon() {
        monitor.locked {
            isOver = true
            early?.cut()
            monitor.tell()
        }
        body.finish(isWhole: false)
        output.close()
    }

    /// Waits until the answer begins, for the library; an early one has to end.
    /// - Returns: `nil` if there is nothing to send.
    func begun() -> ServerResponse? {
        while true {
            let (answer, isOver): (ServerResponse?, Bool) = monitor.locked {
                if self.answer == nil, !self.isOver { monitor.wait() }
                return (self.answer, self.isOver)
            }
            if answer != nil || isOver { return answer }
            if isGone { abandon() }
        }
    }

    /// The next bytes of the answer, in the words of the library.
    func next(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        switch output.read(into: buffer, unless: { isGone }) {
        case nil: Int(CMICROHTTPD_BROKEN)
        case 0: Int(CMICROHTTPD_END)
        case let count?: count
        }
    }

    /// Whether the client has closed its end.
    private var isGone: Bool { Peer.hasGone(socket) }
}

/// An answer that is there before the request has ended. It goes to the client past the library, which sends nothing while it reads;
/// the connection ends with it.
final class EarlyResponse: Sendable {
    /// A descriptor of our own, so that its number is nobody else's once the library has closed the connection.
    private let socket: Descriptor
    /// Whether nobody knows how long the body is: then it goes in chunks (RFC 9112, section 7.1).
    private let isChunked: Bool
    /// Whether the service wants no more of the request.
    let isRefusal: Bool

    /// - Parameters:
    ///   - answer: whose status and fields are sent.
    ///   - socket: the library's, which is open now.
    /// - Returns: `nil` if no descriptor is left.
    init?(_ answer: ServerResponse, over socket: Int32) {
        self.socket = Descriptor(fcntl(socket, F_DUPFD_CLOEXEC, 0))
        (isChunked, isRefusal) = (answer.size == nil, answer.status >= 300)
        if self.socket.number < 0 { return nil }
        // Where nobody reads, the body finds that as well.
        _ = send(head(of: answer)) { true }
    }

    private func head(of answer: ServerResponse) -> String {
        var head = "HTTP/1.1 \(answer.status) \r\n"
        for field in answer.fields where !(field.name + field.value).utf8.contains(where: { $0 < 0x20 }) {
            head += "\(field.name): \(field.value)\r\n"
        }
        if let size = answer.size {
            if HTTPResponse.mayHaveBody(status: answer.status) { head += "Content-Length: \(size)\r\n" }
        } else {
            head += "Transfer-Encoding: chunked\r\n"
        }
        // A client that is told so, and has the whole answer, sends no more.
        return head + (isRefusal ? "Connection: close\r\n\r\n" : "\r\n")
    }

    /// Sends the next piece of the body.
    /// - Parameter isStuck: asked after each second without room; then no more is sent.
    /// - Returns: whether somebody still reads.
    func write(_ bytes: UnsafeRawBufferPointer, unless isStuck: () -> Bool) -> Bool {
        // An empty chunk would be the end.
        guard isChunked, !bytes.isEmpty else { return send(bytes, unless: isStuck) }
        return send("\(String(bytes.count, radix: 16))\r\n", isLast: false, unless: isStuck)
            && send(bytes, isLast: false, unless: isStuck) && send("\r\n", unless: isStuck)
    }

    /// Says that the body is whole.
    func finish(unless isStuck: () -> Bool) {
        if isChunked { _ = send("0\r\n\r\n", unless: isStuck) }
    }

    /// Ends the sending: a client that has got less than it was told of sees that.
    func end() { shutdown(socket.number, Int32(SHUT_WR)) }

    /// Nobody waits any more.
    func cut() { shutdown(socket.number, Int32(SHUT_RDWR)) }

    private func send(_ text: String, isLast: Bool = true, unless isStuck: () -> Bool) -> Bool {
        Array(text.utf8).withUnsafeBytes { send($0, isLast: isLast, unless: isStuck) }
    }

    /// - Parameter isLast: false where more follows at once.
    private func send(_ bytes: UnsafeRawBufferPointer, isLast: Bool = true, unless isStuck: () -> Bool) -> Bool {
        bytes.sendWhole(to: socket.number, isLast ? 0 : MSG_MORE, within: 1000, unless: isStuck)
    }
}
