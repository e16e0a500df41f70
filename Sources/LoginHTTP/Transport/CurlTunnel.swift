internal import CCurl
internal import Glibc
package import LoginCore
internal import Secrets

/// The same over a connection of libcurl's, with all that holds for its transfers: TLS, pins, certificates, the proxy and the
/// addresses that may be connected to. libcurl speaks no HTTP on it (CURLOPT_CONNECT_ONLY(3)).
final class CurlTunnel: Tunnel {
    private(set) var response = HTTPResponse(status: 0)
    let descriptor: Int32
    private let handle: CurlHandle
    private let connections: CurlConnections
    /// What has the pointers that the connection uses.
    private let owner: AnyObject
    private let isCancelled: (@Sendable () -> Bool)?
    /// What came behind the head of the answer.
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

    func send(_ bytes: UnsafeRawBufferPointer) throws(LoginError) -> Int {
        var count = 0
        switch ccurl_easy_send(handle.raw, bytes.baseAddress, bytes.count, &count) {
        case CURLE_OK: return count
        case CURLE_AGAIN: return 0
        default: throw .network(.connectionLost)
        }
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(LoginError) -> Int? {
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
    func ask(_ head: Secret, within seconds: Int, limit: Int) throws(LoginError) {
        let end = ContinuousClock.now + .seconds(seconds)
        try head.withUnsafeBytes { (bytes) throws(LoginError) in
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
        guard response.status != 101, let length = response.contentLength, 0...Int64(limit) ~= length else { return }
        let body = try body(Int(length), until: end, seconds)
        response = HTTPResponse(status: collector.status, headers: collector.fields, body: body)
    }

    private func body(
        _ length: Int, until end: ContinuousClock.Instant, _ seconds: Int
    ) throws(LoginError) -> Secret {
        var body = SecretBuilder(limit: length)
        while body.count < length {
            let got = try body.append(upTo: length - body.count) { (bytes) throws(LoginError) in
                guard let got = try receive(into: bytes) else { return 0 }
                if got == 0 { throw .network(.connectionLost) }
                return got
            }
            if got == 0 { try wait(for: POLLIN, until: end, seconds) }
        }
        return body.finish()
    }

    /// Reads the lines that are whole, up to the end of the head.
    private static func read(
        _ bytes: UnsafeRawBufferPointer, from start: inout Int, into collector: inout HeadCollector
    ) throws(LoginError) {
        while !collector.isWhole, let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            do throws(HeadCollector.Fault) {
                _ = try collector.append(UnsafeRawBufferPointer(rebasing: bytes[start...end]))
            } catch {
                throw .network(.brokenResponse("its head is invalid"))
            }
            start = end + 1
        }
    }

    private func wait(
        for event: Int32, until end: ContinuousClock.Instant, _ seconds: Int
    ) throws(LoginError) {
        if isCancelled?() == true { throw .cancelled }
        guard ContinuousClock.now < end else { throw .network(.timedOut(seconds: seconds)) }
        var look = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        poll(&look, 1, 100)
    }
}

extension CurlTransport {
    package func openTunnel(_ request: HTTPRequest, to name: String) throws(LoginError) -> any Tunnel {
        let url = try checked(request, try URLParser())
        try examine()
        TransferTrace(settings: options.settings).show(request, url)
        let handle = try CurlHandle(CurlLibrary())
        gate.startTransfer()
        try options.apply(to: handle)
        try context.apply(to: handle)
        try options.settings.identity?.apply(to: handle)
        try handle.set(CURLOPT_URL, url.text)
        try handle.set(CURLOPT_ERRORBUFFER, pointer: handle.words.start)
        try handle.set(openSocket: PeerGate.openSocket)
        try handle.set(CURLOPT_OPENSOCKETDATA, pointer: Unmanaged.passUnretained(gate).toOpaque())
        try handle.set(CURLOPT_CONNECT_ONLY, 1)
        let connections = try CurlConnections(CurlLibrary(), isCancelled: options.settings.isCancelled)
        let code = connections.run(handle, ResponseWait(nil), isHeld: true)
        guard code == CURLE_OK else {
            defer { connections.release(handle) }
            if code == CURLE_ABORTED_BY_CALLBACK, options.settings.isCancelled?() == true { throw .cancelled }
            if code == CURLE_PEER_FAILED_VERIFICATION { throw try distrust(handle) }
            throw fault(code, handle.words.text ?? CurlHandle.words(of: code), handle)
        }
        gate.pin(handle.text(CURLINFO_PRIMARY_IP).flatMap { PeerAddress(text: $0) })
        let tunnel = CurlTunnel(handle, connections, owner: self, isCancelled: options.settings.isCancelled)
        let ticket = request.negotiates ? try TicketCache.token(for: url.origin.host) : nil
        try tunnel.ask(
            try request.head(url, askingFor: name, with: ticket), within: options.settings.connectTimeout * 3,
            limit: options.settings.headerLimit)
        return tunnel
    }
}

extension HTTPRequest {
    /// As it is sent (RFC 9112, section 3); it was checked before.
    /// - Parameter ticket: the token of Negotiate, which libcurl makes for its own requests alone.
    fileprivate func head(
        _ url: ParsedURL, askingFor name: String, with ticket: Secret?
    ) throws(LoginError) -> Secret {
        var text = SecretBuilder(limit: 256 << 10)
        do throws(SecretBuilder.LimitExceeded) {
            try text.append("\(method) \(url.target) HTTP/1.1\r\nHost: \(url.origin.authority)\r\n")
            try text.append("Connection: Upgrade\r\nUpgrade: \(name)\r\n")
            for field in headers {
                try text.append("\(field.name): ")
                try text.append(field.value)
                try text.append("\r\n")
            }
            if let basic {
                try text.append("Authorization: ")
                try text.appendBasic(Secret(basic.username), basic.password)
                try text.append("\r\n")
            }
            if let ticket {
                try text.append("Authorization: Negotiate ")
                try text.append(ticket.base64)
                try text.append("\r\n")
            }
            if !cookies.isEmpty {
                try text.append("Cookie: ")
                try text.append(cookies)
                try text.append("\r\n")
            }
            try text.append("\r\n")
        } catch {
            throw .usage(.other("the head of the request is too long"))
        }
        return text.finish()
    }
}
