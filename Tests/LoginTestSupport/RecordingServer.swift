private import Foundation
private import Synchronization

/// A server on loopback that says exactly what a test tells it to and keeps every byte that it was sent.
///
/// Plain sockets and no knowledge of HTTP beyond where a request ends, so that it can answer what no server would.
final class RecordingServer: Sendable {
    /// What one request is answered with.
    struct Reply: Sendable {
        enum Ending: Sendable { case keepOpen, close, reset }

        var bytes: [UInt8]
        /// Milliseconds after each byte; nothing sends all at once.
        var pace: Int?
        var ending: Ending

        init(bytes: [UInt8], pace: Int? = nil, ending: Ending = .keepOpen) {
            self.bytes = bytes
            self.pace = pace
            self.ending = ending
        }

        /// An answer as it stands, with LF written for CR LF.
        static func raw(_ text: String, pace: Int? = nil, ending: Ending = .keepOpen) -> Reply {
            Reply(bytes: Array(text.replacingOccurrences(of: "\n", with: "\r\n").utf8), pace: pace, ending: ending)
        }

        /// A well-formed answer.
        static func answer(
            _ status: Int, _ headers: [String] = [], body: String = "", ending: Ending = .keepOpen
        ) -> Reply {
            let lines = ["HTTP/1.1 \(status) Said", "Content-Length: \(body.utf8.count)"] + headers
            return Reply(bytes: Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8), ending: ending)
        }

        /// Takes the request and never says a word.
        static let silence = Reply(bytes: [])
        /// Ends the connection without a word.
        static let hangUp = Reply(bytes: [], ending: .close)
    }

    private struct State {
        var replies: [Reply]
        var connections: [[UInt8]] = []
        var requests: [[UInt8]] = []
        var sockets: [Int32] = []
        var isStopped = false
        /// Answers by the request and the number of its connection, where no reply is left.
        var decide: (@Sendable ([UInt8], Int) -> Reply)?
    }

    let port: Int
    private let listener: Int32
    private let state: Mutex<State>

    /// Starts listening, until `stop()` or the end of the process.
    ///
    /// Replies are used up in the order in which requests arrive, on whatever connection.
    /// - Parameter port: 0 for one that the system chooses.
    init(address: String = "127.0.0.1", port: Int = 0, _ replies: [Reply]) throws {
        state = Mutex(State(replies: replies))
        (listener, self.port) = try Self.listen(address, port)
        Thread.detachNewThread { [self] in acceptAll() }
    }

    /// A server that decides what to answer by the request.
    convenience init(answering decide: @escaping @Sendable ([UInt8]) -> Reply) throws {
        try self.init { request, _ in decide(request) }
    }

    /// A server that decides by the request and the number of the connection that it came on, from 0 on.
    convenience init(answering decide: @escaping @Sendable ([UInt8], Int) -> Reply) throws {
        try self.init([])
        state.withLock { $0.decide = decide }
    }

    /// `http://127.0.0.1:port` and a path.
    func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Every byte received, by connection.
    var connections: [[UInt8]] { state.withLock { $0.connections } }

    /// Every whole request, head and body, in the order of arrival.
    var requests: [[UInt8]] { state.withLock { $0.requests } }

    /// The same as text, with LF for CR LF.
    var texts: [String] {
        requests.map { String(decoding: $0, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n") }
    }

    /// Replies to come, in the place of those that are left.
    func reply(_ replies: [Reply]) { state.withLock { $0.replies = replies } }

    /// Closes everything; called again it does nothing.
    func stop() {
        // Each is closed by the thread that serves it, and under this lock: another server may have its number next.
        state.withLock { state in
            guard !state.isStopped else { return }
            for socket in state.sockets + [listener] { shutdown(socket, Int32(SHUT_RDWR)) }
            state.isStopped = true
        }
    }

    private static func listen(_ address: String, _ port: Int) throws -> (Int32, Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = UInt16(port).bigEndian
        inet_pton(AF_INET, address, &name.sin_addr)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && Glibc.listen(listener, 16) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else {
            let problem = errno
            close(listener)
            throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EADDRNOTAVAIL)
        }
        return (listener, Int(UInt16(bigEndian: name.sin_port)))
    }

    private func acceptAll() {
        while true {
            let socket = accept(listener, nil, nil)
            guard socket >= 0 else {
                close(listener)
                return
            }
            let index: Int? = state.withLock { state in
                guard !state.isStopped else { return nil }
                state.sockets.append(socket)
                state.connections.append([])
                return state.connections.count - 1
            }
            guard let index else {
                _ = close(socket)
                return
            }
            Thread.detachNewThread { [self] in serve(socket, index) }
        }
    }

    private func serve(_ socket: Int32, _ index: Int) {
        var pending: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65536)
        var isOpen = true
        while isOpen {
            let count = recv(socket, &piece, piece.count, 0)
            guard count > 0 else { break }
            pending += piece[..<count]
            state.withLock { $0.connections[index] += piece[..<count] }
            while isOpen, let length = Self.requestLength(pending) {
                isOpen = answer(Array(pending[..<length]), socket, index)
                pending.removeFirst(length)
            }
        }
        state.withLock { state in
            state.sockets.removeAll { $0 == socket }
            close(socket)
        }
    }

    /// - Returns: whether the connection stays open.
    private func answer(_ request: [UInt8], _ socket: Int32, _ connection: Int) -> Bool {
        let reply = state.withLock { state in
            state.requests.append(request)
            guard state.replies.isEmpty else { return state.replies.removeFirst() }
            return state.decide?(request, connection) ?? .answer(599, body: "no reply left")
        }
        guard send(reply, socket) else { return false }
        if reply.ending == .reset {
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        }
        return reply.ending == .keepOpen
    }

    private func send(_ reply: Reply, _ socket: Int32) -> Bool {
        let step = reply.pace == nil ? max(reply.bytes.count, 1) : 1
        for start in stride(from: 0, to: reply.bytes.count, by: step) {
            var rest = reply.bytes[start..<min(start + step, reply.bytes.count)]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard sent > 0 else { return false }
                rest = rest.dropFirst(sent)
            }
            if let pace = reply.pace { usleep(UInt32(pace) * 1000) }
        }
        return true
    }

    /// The bytes of the first request, once it is whole.
    private static func requestLength(_ bytes: [UInt8]) -> Int? {
        guard let end = Data(bytes).range(of: Data("\r\n\r\n".utf8))?.upperBound else { return nil }
        let head = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
        let field = head.components(separatedBy: "\r\n").first { $0.hasPrefix("content-length:") }
        let length = field.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
        return bytes.count >= end + length ? end + length : nil
    }
}
