import CCurl
import Glibc
import Secrets

/// An easy handle, for one transfer; its connections are those of `CurlConnections`.
final class CurlHandle {
    let raw: UnsafeMutableRawPointer
    /// Where libcurl writes what went wrong; see CURLOPT_ERRORBUFFER(3).
    private let errorBuffer: UnsafeMutablePointer<CChar>

    init(_ library: CurlLibrary) throws(LoginFault) {
        guard let raw = ccurl_easy_init() else {
            throw .network(.other(code: Int(CURLE_FAILED_INIT.rawValue), text: "curl_easy_init"))
        }
        self.raw = raw
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try set(CURLOPT_ERRORBUFFER, pointer: errorBuffer)
    }

    deinit {
        ccurl_easy_cleanup(raw)
        errorBuffer.deallocate()
    }

    /// It may quote the server: not escaped.
    var words: String? { errorBuffer.pointee == 0 ? nil : String(cString: errorBuffer) }

    func set(_ option: CURLoption, _ value: Int) throws(LoginFault) {
        try check(ccurl_setopt_long(raw, option, value), option)
    }

    func set(_ option: CURLoption, offset value: Int) throws(LoginFault) {
        try check(ccurl_setopt_offset(raw, option, value), option)
    }

    /// libcurl copies the text, or the bytes up to the first NUL.
    func set(_ option: CURLoption, _ text: UnsafePointer<CChar>?) throws(LoginFault) {
        try check(ccurl_setopt_text(raw, option, text), option)
    }

    /// libcurl copies the bytes.
    func set(_ option: CURLoption, blob: Secret) throws(LoginFault) {
        try check(blob.withUnsafeBytes { ccurl_setopt_blob(raw, option, $0.baseAddress, $0.count) }, option)
    }

    /// The pointer must live as long as the handle.
    func set(_ option: CURLoption, pointer: UnsafeRawPointer?) throws(LoginFault) {
        try check(ccurl_setopt_pointer(raw, option, pointer), option)
    }

    /// The list must live as long as the handle.
    func set(_ option: CURLoption, _ list: CurlList) throws(LoginFault) {
        try check(ccurl_setopt_list(raw, option, list.raw), option)
    }

    func set(_ option: CURLoption, _ callback: curl_write_callback) throws(LoginFault) {
        try check(ccurl_setopt_write(raw, option, callback), option)
    }

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_getinfo_long(raw, info, &value) == CURLE_OK ? value : 0
    }

    /// A time in microseconds, or a size.
    func offset(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_getinfo_offset(raw, info, &value) == CURLE_OK ? value : 0
    }

    /// The one of the connection that the handle holds; -1 where it holds none.
    var socket: Int32 {
        var value: curl_socket_t = -1
        return ccurl_getinfo_socket(raw, &value) == CURLE_OK ? value : -1
    }

    func text(_ info: CURLINFO) -> String? {
        var value: UnsafePointer<CChar>?
        guard ccurl_getinfo_text(raw, info, &value) == CURLE_OK, let value else { return nil }
        return String(cString: value)
    }

    /// An option that this libcurl does not know must not be passed over: most of them refuse something.
    /// - Parameter code: what setting it has given.
    func check(_ code: CURLcode, _ option: CURLoption) throws(LoginFault) {
        guard code != CURLE_OK else { return }
        throw .network(
            .other(code: Int(code.rawValue), text: "option \(option.rawValue): \(CurlHandle.words(of: code))"))
    }

    static func words(of code: CURLcode) -> String { String(cString: ccurl_easy_strerror(code)) }
}

/// A list of strings that libcurl allocates, and zeroes when it frees them.
final class CurlList {
    private(set) var raw: UnsafeMutablePointer<curl_slist>?

    deinit {
        ccurl_slist_free_all(raw)
    }

    func append(_ text: UnsafePointer<CChar>) {
        if let longer = ccurl_slist_append(raw, text) { raw = longer }
    }
}
