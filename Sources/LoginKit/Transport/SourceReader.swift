import CCurl
import Glibc
import LoginCore

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
        try handle.set(read: Self.read)
        try handle.set(CURLOPT_READDATA, pointer: context)
        try handle.set(seek: Self.seek)
        try handle.set(CURLOPT_SEEKDATA, pointer: context)
        // Not known: libcurl then sends it in chunks (RFC 9112, section 7.1).
        try handle.set(CURLOPT_INFILESIZE_LARGE, offset: source.count.map { Int($0) } ?? -1)
    }

    /// Looks from now on whether the server is still there while there is nothing to send: libcurl 7.88 does not end a transfer
    /// whose connection has ended as long as there may be something (curl's issue 11769).
    func watch(_ handle: CurlHandle, through provider: PeerGate) {
        isLost = { provider.hasEnded(from: handle.number(CURLINFO_LOCAL_PORT)) }
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
