internal import Glibc
internal import LoginCore

/// An answer that is there before the request has ended. It goes to the client past the library, which sends nothing while it reads;
/// the connection ends with it.
final class EarlyAnswer: Sendable {
    /// Of our own, so that its number is nobody else's once the library has closed the connection.
    private let socket: Int32

    /// - Parameter socket: the library's, which is open now.
    /// - Returns: nothing where no descriptor is left.
    init?(over socket: Int32) {
        self.socket = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        if self.socket < 0 { return nil }
    }

    deinit {
        close(socket)
    }

    /// Sends status and fields.
    /// - Parameter size: of the body.
    func begin(_ answer: ServerAnswer, size: Int64) {
        var head = "HTTP/1.1 \(answer.status) \r\n"
        for field in answer.fields where !(field.name + field.value).utf8.contains(where: { $0 < 0x20 }) {
            head += "\(field.name): \(field.value)\r\n"
        }
        if ![204, 304].contains(answer.status) { head += "Content-Length: \(size)\r\n" }
        head += "Connection: close\r\n\r\n"
        // Where nobody reads, the body finds that as well.
        Array(head.utf8).withUnsafeBytes { _ = write($0, isLast: size == 0) { true } }
    }

    /// - Parameters:
    ///   - isLast: false where the body follows at once.
    ///   - isStuck: asked after each second without room; then no more is sent.
    /// - Returns: whether somebody still reads.
    func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool = true, unless isStuck: () -> Bool) -> Bool {
        var rest = bytes
        let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL | (isLast ? 0 : MSG_MORE))
        while !rest.isEmpty {
            let sent = send(socket, rest.baseAddress, rest.count, flags)
            if sent > 0 { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(sent)) }
            if sent >= 0 || errno == EINTR { continue }
            guard errno == EAGAIN else { return false }
            var room = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
            if poll(&room, 1, 1000) == 0, isStuck() { return false }
        }
        return true
    }

    /// Nothing more is sent: a client that has got less than it was told of sees that.
    func end() { shutdown(socket, Int32(SHUT_WR)) }

    /// Nobody waits any more.
    func cut() { shutdown(socket, Int32(SHUT_RDWR)) }
}
