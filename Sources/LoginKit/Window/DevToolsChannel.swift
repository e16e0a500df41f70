import Glibc
import LoginCore

/// The two ways of the Chrome DevTools Protocol, each a socket: a pipe could be opened by any other process of the user through
/// `/proc/PID/fd`, and a socket cannot. Each message is JSON with a NUL at its end.
final class DevToolsChannel {
    private let reading: Int32
    private let writing: Int32
    private var pending: [UInt8] = []
    /// Up to here no NUL is in `pending`.
    private var searched = 0
    private var lastID: Int64 = 0

    /// The browser has ended, or does not keep to the protocol.
    enum Fault: Error { case ended, broken }

    /// Makes both ways.
    /// - Returns: nothing where the system gives no sockets; the browser's ends are the caller's to close.
    static func make() -> (channel: DevToolsChannel, reads: Int32, writes: Int32)? {
        var down: [Int32] = [-1, -1], up: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &down) == 0 else { return nil }
        guard socketpair(AF_UNIX, kind, 0, &up) == 0 else {
            close(down[0])
            close(down[1])
            return nil
        }
        return (DevToolsChannel(reading: up[0], writing: down[0]), down[1], up[1])
    }

    init(reading: Int32, writing: Int32) { (self.reading, self.writing) = (reading, writing) }

    deinit {
        close(reading)
        close(writing)
    }

    /// Readable when there is more, for poll(2).
    var descriptor: Int32 { reading }

    /// Sends a command.
    /// - Returns: its number, which its answer has.
    func send(_ command: DevToolsCommand, to session: String? = nil) throws(Fault) -> Int64 {
        lastID += 1
        var message = JSONText()
        message.add("id", lastID)
        message.add("method", command.method)
        message.add("params", command.parameters)
        if let session { message.add("sessionId", session) }
        var rest = Array(message.finished.utf8)[...] + [0]
        while !rest.isEmpty {
            var ready = pollfd(fd: writing, events: Int16(POLLOUT), revents: 0)
            guard poll(&ready, 1, Self.patience) > 0 else { throw .broken }
            let sent = rest.withUnsafeBytes { Glibc.send(writing, $0.baseAddress, $0.count, Self.flags) }
            if sent < 0, errno == EAGAIN || errno == EINTR { continue }
            guard sent > 0 else { throw .ended }
            rest = rest.dropFirst(sent)
        }
        return lastID
    }

    /// Neither a signal nor a wait.
    private static let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)

    /// In milliseconds, for the browser to take a command that is a few hundred bytes long.
    private static let patience: Int32 = 2000
    /// In bytes.
    private static let mostAtOnce = 1 << 20

    /// What has come, without waiting.
    func received() throws(Fault) -> [DevToolsMessage] {
        var messages: [DevToolsMessage] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        var budget = Self.mostAtOnce
        while true {
            let got = chunk.withUnsafeMutableBytes { recv(reading, $0.baseAddress, $0.count, Self.flags) }
            if got < 0, errno == EINTR { continue }
            if got < 0, errno == EAGAIN { return messages }
            guard got > 0 else {
                // What it said last counts.
                if messages.isEmpty { throw .ended }
                return messages
            }
            pending += chunk[..<got]
            messages += try whole()
            // Whoever writes without end must not keep the caller from its deadline.
            budget -= got
            if budget <= 0 { return messages }
        }
    }

    /// Takes the whole messages out of what has come.
    private func whole() throws(Fault) -> [DevToolsMessage] {
        var messages: [DevToolsMessage] = [], start = 0
        while let end = pending[searched...].firstIndex(of: 0) {
            messages.append(
                pending.withUnsafeBytes { DevToolsMessage(UnsafeRawBufferPointer(rebasing: $0[start..<end])) })
            (start, searched) = (end + 1, end + 1)
        }
        pending.removeSubrange(..<start)
        searched = pending.count
        guard searched <= DevToolsMessage.longest else { throw .broken }
        return messages
    }
}
