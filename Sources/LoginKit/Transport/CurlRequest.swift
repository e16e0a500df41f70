import CCurl
import Glibc
import Secrets

/// One request in libcurl's terms. It must live until the transfer is over: libcurl keeps the list of headers.
struct CurlRequest {
    private let request: HTTPRequest
    private let url: ParsedURL
    private let headers = CurlList()
    let reader: SourceReader?

    /// The fault of a body that could not be read.
    var fault: LoginFault? { reader?.fault }

    /// - Parameter request: that was checked (`HTTPRequest.check`).
    init(_ request: HTTPRequest, url: ParsedURL) throws(LoginFault) {
        self.request = request
        self.url = url
        reader = request.streamedBodies?.source.map { SourceReader($0) }
        request.fields(to: url).eachLine { headers.append($0) }
        // Nothing has to be unpacked, and nothing can be a bomb.
        let names = (request.headers.map(\.name) + request.withoutHeaders).map { $0.lowercased() }
        if !names.contains("accept-encoding") { "Accept-Encoding: identity".withCString { headers.append($0) } }
        for name in request.withoutHeaders { "\(name):".withCString { headers.append($0) } }
        // A server that does not answer 'Expect: 100-continue' costs a second; a body's type is the caller's to tell.
        for name in ["Expect", "Content-Type"] where !request.headers.contains(where: { $0.hasName(name) }) {
            "\(name):".withCString { headers.append($0) }
        }
    }

    /// Sets the options and runs the transfer while the body's memory is lent.
    func perform(
        on handle: CurlHandle, over connections: CurlConnections, _ options: CurlOptions,
        into collector: ResponseCollector
    ) throws(LoginFault) -> CURLcode {
        try handle.set(CURLOPT_URL, url.text)
        try handle.set(CURLOPT_HTTPHEADER, headers)
        try applyCredential(to: handle)
        try applyConnection(to: handle, collector)
        let wait = collector.wait
        if let reader {
            try reader.apply(to: handle)
            try handle.set(CURLOPT_UPLOAD, 1)
            try handle.set(CURLOPT_CUSTOMREQUEST, request.method)
            return connections.run(handle, options, wait, reader)
        }
        // RFC 9110, section 8.6: these verbs say that they have no content.
        let emptyBody = ["POST", "PUT", "PATCH"].contains(request.method) ? Secret("") : nil
        guard let body = request.body ?? emptyBody else {
            switch request.method {
            case "GET": try handle.set(CURLOPT_HTTPGET, 1)
            case "HEAD": try handle.set(CURLOPT_NOBODY, 1)
            default: try handle.set(CURLOPT_CUSTOMREQUEST, request.method)
            }
            return connections.run(handle, options, wait, reader)
        }
        return try body.withUnsafeBytes { (bytes) throws(LoginFault) in
            try handle.set(CURLOPT_POSTFIELDSIZE_LARGE, offset: bytes.count)
            try handle.set(CURLOPT_POSTFIELDS, pointer: bytes.baseAddress)
            try handle.set(CURLOPT_CUSTOMREQUEST, request.method)
            return connections.run(handle, options, wait, reader)
        }
    }

    private func applyCredential(to handle: CurlHandle) throws(LoginFault) {
        if let basic = request.basic {
            try handle.set(CURLOPT_HTTPAUTH, ccurl_auth_basic)
            try handle.set(CURLOPT_USERNAME, basic.username)
            try basic.password.withCString { (text) throws(LoginFault) in try handle.set(CURLOPT_PASSWORD, text) }
        }
        guard request.negotiates else { return }
        // The token is libcurl's; bounded by CURLOPT_MAXREDIRS. A connection of its own, since the server may hold the
        // whole connection for the ticket's user (CVE-2026-1965).
        try handle.set(CURLOPT_HTTPAUTH, ccurl_auth_negotiate)
        // Empty, but set: without it libcurl does not authenticate at all.
        try handle.set(CURLOPT_USERPWD, ":")
        try handle.set(CURLOPT_GSSAPI_DELEGATION, Int(CURLGSSAPI_DELEGATION_NONE))
        try handle.set(CURLOPT_FRESH_CONNECT, 1)
        try handle.set(CURLOPT_FORBID_REUSE, 1)
    }

    /// Where a kept connection turns out to be closed, libcurl sends the request again by itself, although the server may
    /// have acted on it: a second use of a refresh token ends its session, and a post would be there twice. What must
    /// not be repeated unasked (RFC 9110, section 9.2.2) goes over a connection of its own, or, where many are sent or the
    /// connection has been challenged, is given up instead.
    private func applyConnection(to handle: CurlHandle, _ collector: ResponseCollector) throws(LoginFault) {
        if !request.isIdempotent {
            if reader != nil || request.answersChallenge, !request.negotiates {
                try collector.sendOnce(by: handle)
            } else {
                try handle.set(CURLOPT_FRESH_CONNECT, 1)
            }
        }
        guard let size = request.streamedBodies?.pieceSize else { return }
        // libcurl's own are 16 KiB and 64 KiB.
        try handle.set(CURLOPT_BUFFERSIZE, size)
        if reader != nil { try handle.set(CURLOPT_UPLOAD_BUFFERSIZE, size) }
    }
}

extension HTTPRequest {
    /// The headers, and the cookies that go to the URL.
    func fields(to url: ParsedURL) -> [HTTPRequestField] {
        let cookies = cookies.sent(to: url)
        return headers + (cookies.isEmpty ? [] : [HTTPRequestField(name: "Cookie", value: cookies.headerValue)])
    }
}

extension HTTPRequestField {
    func hasName(_ other: String) -> Bool { name.lowercased() == other.lowercased() }
}

/// Hands the body of a request to libcurl, piece by piece; see CURLOPT_READFUNCTION(3) and CURLOPT_SEEKFUNCTION(3).
final class SourceReader {
    private let source: any RequestSource
    /// The fault of a failed read.
    private(set) var fault: LoginFault?
    /// Whether libcurl waits for more of it, while it reads what the server has to say.
    private(set) var isPaused = false
    /// Whether the server has gone.
    private var isLost: () -> Bool = { false }

    init(_ source: any RequestSource) {
        self.source = source
    }

    func apply(to handle: CurlHandle) throws(LoginFault) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try handle.check(ccurl_setopt_read(handle.raw, Self.read), CURLOPT_READFUNCTION)
        try handle.set(CURLOPT_READDATA, pointer: context)
        try handle.check(ccurl_setopt_seek(handle.raw, Self.seek), CURLOPT_SEEKFUNCTION)
        try handle.set(CURLOPT_SEEKDATA, pointer: context)
        // Not known: libcurl then sends it in chunks (RFC 9112, section 7.1).
        try handle.set(CURLOPT_INFILESIZE_LARGE, offset: source.count.map { Int($0) } ?? -1)
    }

    /// Looks from now on whether the server is still there while there is nothing to send: libcurl 7.88 does not end a transfer
    /// whose connection has ended as long as there may be something (curl's issue 11769).
    func watch(_ handle: CurlHandle, through gate: PeerGate) {
        isLost = { gate.hasEnded(from: handle.number(CURLINFO_LOCAL_PORT)) }
    }

    /// Makes a waiting libcurl ask again.
    func resume(_ handle: CurlHandle) {
        guard isPaused else { return }
        isPaused = false
        ccurl_easy_resume(handle.raw)
    }

    private static let read: curl_read_callback = { bytes, size, count, context in
        guard let context, let bytes else { return Int(CURL_READFUNC_ABORT) }
        let reader = Unmanaged<SourceReader>.fromOpaque(context).takeUnretainedValue()
        do throws(LoginFault) {
            let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
            if let read = try reader.source.read(into: buffer) { return read }
            if reader.isLost() { throw .network(.connectionLost) }
            reader.isPaused = true
            return Int(CURL_READFUNC_PAUSE)
        } catch {
            reader.fault = error
            return Int(CURL_READFUNC_ABORT)
        }
    }

    private static let seek: curl_seek_callback = { context, offset, origin in
        guard let context, offset == 0, origin == SEEK_SET else { return CURL_SEEKFUNC_CANTSEEK }
        let reader = Unmanaged<SourceReader>.fromOpaque(context).takeUnretainedValue()
        return reader.source.rewind() ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_CANTSEEK
    }
}
