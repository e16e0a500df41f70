import Glibc

/// One end of the socket between a command that lends a login and an approver: lines in, lines out.
final class ApprovalStream {
    private let socket: Descriptor
    private var bytes: [UInt8] = []
    private(set) var isClosed = false

    /// - Parameter descriptor: one that never blocks; closed with this object.
    init(_ descriptor: Int32) {
        socket = Descriptor(descriptor)
    }

    var descriptor: Int32 { socket.number }

    /// Sends a line whole, or gives the other side up.
    func send(_ message: ApprovalMessage) {
        guard !isClosed else { return }
        let line = Array((message.text + "\n").utf8)
        isClosed = !line.withUnsafeBytes { $0.sendWhole(to: descriptor, within: 2000) { true } }
    }

    /// Waits for something to read.
    func wait(_ milliseconds: Int32) {
        var look = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&look, 1, milliseconds)
    }

    /// The messages that are there, without waiting; what is none of them closes the stream.
    func receive() -> [ApprovalMessage] {
        fill()
        var messages: [ApprovalMessage] = []
        while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(bytes[..<end])
            bytes.removeFirst(end + 1)
            guard let message = line.withUnsafeBytes({ ApprovalMessage($0) }) else {
                isClosed = true
                break
            }
            messages.append(message)
        }
        if bytes.count > ApprovalMessage.longest { isClosed = true }
        return messages
    }

    private func fill() {
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while !isClosed, bytes.count <= ApprovalMessage.longest {
            let got = recv(descriptor, &piece, piece.count, Int32(MSG_DONTWAIT))
            if got > 0 {
                bytes += piece[..<got]
            } else if got < 0, errno == EAGAIN {
                return
            } else if got == 0 || errno != EINTR {
                isClosed = true
            }
        }
    }
}
