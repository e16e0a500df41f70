import CCurl
import Glibc
import Secrets

/// The same over a connection of libcurl's, with all that holds for its transfers: TLS, pins, certificates, the proxy and the
/// addresses that may be connected to. libcurl speaks no HTTP on it (CURLOPT_CONNECT_ONLY(3)).
final class CurlTunnel: Tunnel {
    private(set) var response = HTTPResponse(status: 0)
    let descriptor: Int32
    private let handle: CurlHandle
    private let connections: CurlConnections
    /// Owns the memory that the connection points to.
    private let owner: AnyObject
    private let isCancelled: (@Sendable () -> Bool)?
    /// The bytes after the head of the response.
    private var rest: [UInt8] = []

    /// - Parameter handle: that holds its connection.
    init(
        _ handle: CurlHandle, _ connections: CurlConnections, owner: AnyObject,
        isCancelled: (@Sendable () -> Bool)?
    ) {
        (self.handle, self.connections, self.owner) = (handle, connections, owner)
        self.isCancelled = isCancelled
        descriptor = handle.socket
    }

    deinit {
        connections.release(handle)
    }

    func send(_ bytes: UnsafeRawBufferPointer) throws(LoginFault) -> Int {
        var count = 0
        switch ccurl_easy_send(handle.raw, bytes.baseAddress, bytes.count, &count) {
        case CURLE_OK: return count
        case CURLE_AGAIN: return 0
        default: throw .network(.connectionLost)
        }
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(LoginFault) -> Int? {
        guard rest.isEmpty else {
            let count = min(rest.count, buffer.count)
            buffer.copyBytes(from: rest[..<count])
            rest.removeFirst(count)
            return count
        }
        var count = 0
        switch ccurl_easy_recv(handle.raw, buffer.baseAddress, buffer.count, &count) {
        case CURLE_OK: return count
        case CURLE_AGAIN: return nil
        default: throw .network(.connectionLost)
        }
    }

    /// Sends the head of a request, and reads that of the answer; the body of a refusal as well, if it tells how long it is.
    /// - Parameters:
    ///   - seconds: that both may take.
    ///   - limit: of the answer's head, and of such a body, in bytes.
    func ask(_ head: Secret, within seconds: Int, limit: Int) throws(LoginFault) {
        let end = ContinuousClock.now + .seconds(seconds)
        try head.withUnsafeBytes { (bytes) throws(LoginFault) in
            var done = 0
            while done < bytes.count {
                let sent = try send(UnsafeRawBufferPointer(rebasing: bytes[done...]))
                if sent == 0 { try wait(for: POLLOUT, until: end, seconds) }
                done += sent
            }
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit, alignment: 1)
        defer { buffer.deallocate() }
        var collector = HeadCollector(limit: limit)
        // Up to where there are bytes, and up to where they have been read line by line.
        var (count, start) = (0, 0)
        while !collector.isWhole {
            guard count < limit else { throw .network(.answerTooLarge(limit: limit)) }
            let got = try receive(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            if got == 0 { throw .network(.connectionLost) }
            count += got ?? 0
            if got == nil { try wait(for: POLLIN, until: end, seconds) }
            try Self.read(UnsafeRawBufferPointer(rebasing: buffer[..<count]), from: &start, into: &collector)
        }
        rest = Array(buffer[start..<count])
        response = HTTPResponse(status: collector.status, headers: collector.fields)
        try readRefusal(limit: limit, until: end, seconds)
    }

    /// A refusal whose body does not come is one all the same.
    private func readRefusal(limit: Int, until end: ContinuousClock.Instant, _ seconds: Int) throws(LoginFault) {
        guard HTTPResponse.mayHaveBody(status: response.status), let length = response.contentLength,
            0...Int64(limit) ~= length
        else { return }
        do {
            let body = try body(Int(length), until: end, seconds)
            response = HTTPResponse(status: response.status, headers: response.headers, body: body)
        } catch .network {}
    }

    private func body(
        _ length: Int, until end: ContinuousClock.Instant, _ seconds: Int
    ) throws(LoginFault) -> Secret {
        try Secret(count: length) { (body) throws(LoginFault) in
            var left = body
            while !left.isEmpty {
                guard let got = try receive(into: left) else {
                    try wait(for: POLLIN, until: end, seconds)
                    continue
                }
                if got == 0 { throw .network(.connectionLost) }
                left = UnsafeMutableRawBufferPointer(rebasing: left[got...])
            }
        }
    }

    /// Reads the lines that are whole, up to the end of the head.
    private static func read(
        _ bytes: UnsafeRawBufferPointer, from start: inout Int, into collector: inout HeadCollector
    ) throws(LoginFault) {
        while !collector.isWhole, let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            do {
                _ = try collector.append(UnsafeRawBufferPointer(rebasing: bytes[start...end]))
            } catch {
                throw .network(.brokenResponse("its head is invalid"))
            }
            start = end + 1
        }
    }

    private func wait(
        for event: Int32, until end: ContinuousClock.Instant, _ seconds: Int
    ) throws(LoginFault) {
        if isCancelled?() == true { throw .cancelled }
        guard ContinuousClock.now < end else { throw .network(.timedOut(seconds: seconds)) }
        var look = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        poll(&look, 1, 100)
    }
}
