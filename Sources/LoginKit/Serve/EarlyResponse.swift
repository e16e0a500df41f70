import Glibc
import LoginCore

/// An answer that is there before the request has ended. It goes to the client past the library, which sends nothing while it reads;
/// the connection ends with it.
final class EarlyResponse: Sendable {
    /// A descriptor of our own, so that its number is nobody else's once the library has closed the connection.
    private let socket: Int32
    /// Whether nobody knows how long the body is: then it goes in chunks (RFC 9112, section 7.1).
    private let isChunked: Bool
    /// Whether the service wants no more of the request.
    let isRefusal: Bool

    /// - Parameters:
    ///   - answer: whose status and fields are sent.
    ///   - socket: the library's, which is open now.
    /// - Returns: `nil` if no descriptor is left.
    init?(_ answer: ServerResponse, over socket: Int32) {
        self.socket = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        (isChunked, isRefusal) = (answer.size == nil, answer.status >= 300)
        if self.socket < 0 { return nil }
        // Where nobody reads, the body finds that as well.
        _ = send(head(of: answer)) { true }
    }

    deinit {
        close(socket)
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
    func end() { shutdown(socket, Int32(SHUT_WR)) }

    /// Nobody waits any more.
    func cut() { shutdown(socket, Int32(SHUT_RDWR)) }

    private func send(_ text: String, isLast: Bool = true, unless isStuck: () -> Bool) -> Bool {
        Array(text.utf8).withUnsafeBytes { send($0, isLast: isLast, unless: isStuck) }
    }

    /// - Parameter isLast: false where more follows at once.
    private func send(_ bytes: UnsafeRawBufferPointer, isLast: Bool = true, unless isStuck: () -> Bool) -> Bool {
        var rest = bytes
        let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL | (isLast ? 0 : MSG_MORE))
        while !rest.isEmpty {
            let sent = Glibc.send(socket, rest.baseAddress, rest.count, flags)
            if sent > 0 { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(sent)) }
            if sent >= 0 || errno == EINTR { continue }
            guard errno == EAGAIN else { return false }
            var room = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
            if poll(&room, 1, 1000) == 0, isStuck() { return false }
        }
        return true
    }
}
