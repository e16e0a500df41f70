import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets

/// Another program that connects to the loopback port: bytes in, bytes out.
final class LoopbackClient {
    private let descriptor: Int32

    /// Nothing where nobody listens there.
    init?(host: String = "127.0.0.1", port: Int) {
        var hints = addrinfo(), found: UnsafeMutablePointer<addrinfo>?
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let address = found?.pointee else { return nil }
        defer { freeaddrinfo(found) }
        descriptor = socket(address.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        // deinit closes it, also of a client that there is not.
        guard connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else { return nil }
    }

    deinit {
        close(descriptor)
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    func get(_ target: String, method: String = "GET", host: String) {
        send("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nAccept: */*\r\n\r\n")
    }

    /// Everything up to the end of the connection.
    func readAll() -> String {
        var all: [UInt8] = [], piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let got = recv(descriptor, &piece, piece.count, 0)
            guard got > 0 else { return String(decoding: all, as: UTF8.self) }
            all += piece.prefix(got)
        }
    }
}

/// A listener with a judge, and somebody who asks it.
struct LoopbackScene {
    static let state = "s0123456789"
    let redirect: LoopbackRedirect
    let listener: LoopbackListener

    /// - Parameter redirect: else to a port that no other test draws once this scene is over.
    /// - Parameter patience: else the usual one; on a busy machine a test may stand still for longer than that.
    init(_ redirect: LoopbackRedirect? = nil, patience: Duration? = .seconds(60)) throws {
        let redirect = try redirect ?? LoopbackRedirect(host: .ipv4, port: Int(FreePort.next()), path: "/callback")
        self.redirect = redirect
        listener = try LoopbackListener(on: redirect)
        if let patience { listener.patience = patience }
    }

    var port: Int { listener.port.number }
    var host: String { "\(redirect.host.rawValue):\(port)" }
    var right: String { "\(redirect.path)?code=c0de&state=\(Self.state)" }

    var judge: AuthorizationJudge {
        AuthorizationJudge(
            redirect: redirect, port: port, state: Secret(Self.state), issuer: "https://id.example",
            promisesIssuer: false)
    }

    func client(_ host: String = "127.0.0.1") throws -> LoopbackClient {
        guard let client = LoopbackClient(host: host, port: port) else { throw POSIXError(.ECONNREFUSED) }
        return client
    }

    /// Waits as the dialogue does.
    func next(within seconds: Double = 20) -> AuthorizationResponse? {
        let deadline = Date(timeIntervalSinceNow: seconds)
        // At least once, however long this thread stood still.
        repeat {
            if let answer = listener.answer(judge) { return answer }
            var waiting = listener.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            poll(&waiting, nfds_t(waiting.count), 50)
        } while deadline.timeIntervalSinceNow > 0
        return nil
    }
}
