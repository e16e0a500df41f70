import CMicroHTTPD
import Glibc
import LoginCore

/// The head of the response to a request.
struct ServerResponse: Sendable {
    let status: Int
    let fields: [HTTPResponseField]
    /// The size of the body, in bytes; `nil` if only the end will tell.
    let size: Int64?
}

/// One request, between the thread of its connection and the one that answers it.
package final class ServerCall: @unchecked Sendable {
    let head: ServedHead
    /// Path and query at the service's origin.
    package let target: String
    /// The body that the client sends.
    let body = BytePipe()
    private let output = BytePipe()
    private let monitor = Monitor()
    /// For the library to send.
    private var answer: ServerResponse?
    /// In the place of that; but for its end the answering thread's own.
    private var early: EarlyResponse?
    private var (hasAnswer, isOver) = (false, false)
    /// When the client is looked at; the answering thread's own.
    private var nextLook = ContinuousClock.now
    /// Whether it was gone then; the answering thread's own.
    private var hasLeft = false
    /// The connection's, to be looked at alone.
    private let socket: Int32

    init(_ head: ServedHead, target: String, socket: Int32) {
        (self.head, self.target, self.socket) = (head, target, socket)
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
            if head.contentLength != 0, !body.isDone, canBeTold, !isOver {
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
    package func end(isWhole: Bool) {
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

    /// Nobody waits any more, or there is nobody to answer.
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

    /// POLLRDHUP of poll(2), which Swift does not see.
    private static let closed: Int16 = 0x2000

    /// Whether the client has closed its end.
    private var isGone: Bool {
        var look = pollfd(fd: socket, events: Self.closed, revents: 0)
        return poll(&look, 1, 0) > 0 && look.revents & (Self.closed | Int16(POLLHUP | POLLERR)) != 0
    }
}
