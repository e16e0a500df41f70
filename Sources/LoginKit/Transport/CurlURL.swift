import CCurl
import Glibc
import LoginCore
import Secrets

/// libcurl's URL handle; see curl_url(3), curl_url_set(3) and curl_url_get(3).
struct CurlURL: ~Copyable {
    private let raw: OpaquePointer

    init?(_ library: CurlLibrary) {
        guard let raw = ccurl_url() else { return nil }
        self.raw = raw
    }

    deinit {
        ccurl_url_cleanup(raw)
    }

    /// - Returns: what is wrong, in libcurl's words.
    func set(_ part: CURLUPart, _ text: String?, flags: Int32 = 0) -> String? {
        let code = ccurl_url_set(raw, part, text, UInt32(flags))
        return code == CURLUE_OK ? nil : String(cString: ccurl_url_strerror(code))
    }

    /// Whether the part exists, even if it cannot be decoded.
    func has(_ part: CURLUPart) -> Bool {
        var text: UnsafeMutablePointer<CChar>?
        guard ccurl_url_get(raw, part, &text, 0) == CURLUE_OK else { return false }
        ccurl_free(text)
        return true
    }

    func text(_ part: CURLUPart, flags: Int32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard ccurl_url_get(raw, part, &text, UInt32(flags)) == CURLUE_OK else { return nil }
        return Self.taken(text)
    }

    /// The host as A-label (RFC 5890), if it can be one.
    func host() -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard ccurl_url_get_host(raw, &text) == CURLUE_OK else { return nil }
        return Self.taken(text)
    }

    func password() -> Secret? {
        var text: UnsafeMutablePointer<CChar>?
        guard ccurl_url_get(raw, CURLUPART_PASSWORD, &text, UInt32(CURLU_URLDECODE)) == CURLUE_OK, let text else {
            return nil
        }
        defer { ccurl_free(text) }
        return Secret(copying: UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    private static func taken(_ text: UnsafeMutablePointer<CChar>?) -> String? {
        guard let text else { return nil }
        defer { ccurl_free(text) }
        return String(cString: text)
    }
}
