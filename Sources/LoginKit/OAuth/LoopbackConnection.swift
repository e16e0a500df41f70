import Glibc
import LoginCore

/// One connection to the loopback port: its request is read as it comes, answered once, and then only drained, so that the answer
/// is not lost to a reset (RFC 9112, section 9.6).
final class LoopbackConnection {
    let descriptor: Int32
    private(set) var deadline: ContinuousClock.Instant
    private let reader = LoopbackRequestReader()
    private var isAnswered = false
    private var drained = 0

    /// Until the request has to be there.
    private static let patience = Duration.seconds(5)
    /// A buffer for the rest, which is dropped.
    private static let drainPatience = Duration.seconds(1)
    private static let mostDrained = 1 << 20

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        deadline = .now + Self.patience
    }

    deinit {
        close(descriptor)
    }

    enum Progress {
        case unfinished
        case heard(LoopbackRequest)
        /// It ended, took too long, or is no request.
        case malformed
        /// It was answered, and is of no more use.
        case over
    }

    /// Reads the bytes that have arrived; never blocks.
    func advance() -> Progress {
        if isAnswered { return isDrained || deadline <= .now ? .over : .unfinished }
        while true {
            let room = reader.room
            let got = recv(descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
            if got < 0, errno == EINTR { continue }
            if got < 0, errno == EAGAIN { return deadline <= .now ? .malformed : .unfinished }
            guard got > 0 else { return .malformed }
            switch reader.advance(by: got) {
            case .unfinished: continue
            case .request(let request): return .heard(request)
            case .malformed: return .malformed
            }
        }
    }

    /// A page is so short that the kernel takes it at once. Who said nothing is told nothing.
    func answer(_ page: LoopbackPage, hasBody: Bool) {
        isAnswered = true
        deadline = .now + Self.drainPatience
        if !reader.isEmpty {
            let response = page.response(hasBody: hasBody)
            _ = send(descriptor, response, response.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
        shutdown(descriptor, Int32(SHUT_WR))
        _ = isDrained
    }

    private var isDrained: Bool {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { scratch in
            defer { if let start = scratch.baseAddress { explicit_bzero(start, scratch.count) } }
            while drained < Self.mostDrained {
                let got = recv(descriptor, scratch.baseAddress, scratch.count, Int32(MSG_DONTWAIT))
                if got < 0, errno == EINTR { continue }
                if got < 0, errno == EAGAIN { return false }
                guard got > 0 else { return true }
                drained += got
            }
            return true
        }
    }
}
