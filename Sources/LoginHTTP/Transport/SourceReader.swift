internal import CCurl
internal import Glibc
internal import LoginCore

/// Hands the body of a request to libcurl, piece by piece; see CURLOPT_READFUNCTION(3) and CURLOPT_SEEKFUNCTION(3).
final class SourceReader {
    private let source: any RequestSource
    /// Why reading it failed.
    private(set) var fault: LoginError?
    /// Whether libcurl waits for more of it, while it reads what the server has to say.
    private(set) var isPaused = false

    init(_ source: any RequestSource) {
        self.source = source
    }

    func apply(to handle: CurlHandle) throws(LoginError) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try handle.set(read: Self.read)
        try handle.set(CURLOPT_READDATA, pointer: context)
        try handle.set(seek: Self.seek)
        try handle.set(CURLOPT_SEEKDATA, pointer: context)
        // Not known: libcurl then sends it in chunks (RFC 9112, section 7.1).
        try handle.set(CURLOPT_INFILESIZE_LARGE, offset: source.count.map { Int($0) } ?? -1)
    }

    /// Has libcurl ask again, if it waits.
    func resume(_ handle: CurlHandle) {
        guard isPaused else { return }
        isPaused = false
        ccurl_easy_resume(handle.raw)
    }

    private static let read: curl_read_callback = { bytes, size, count, context in
        guard let context, let bytes else { return Int(CURL_READFUNC_ABORT) }
        let reader = Unmanaged<SourceReader>.fromOpaque(context).takeUnretainedValue()
        do throws(LoginError) {
            let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
            if let read = try reader.source.read(into: buffer) { return read }
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
