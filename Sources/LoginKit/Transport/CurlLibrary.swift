import CCurl
import LoginCore

/// Proof that libcurl is open; required for calling it.
///
/// The first one opens the library and costs some ten milliseconds; the others are free.
struct CurlLibrary: Sendable {
    /// The OpenSSL flavour on Debian, and the only one whose errors `TLSFault` can read.
    static let name = "libcurl.so.4"

    init(named name: String = Self.name) throws(LoginFault) {
        guard let problem = ccurl_open(name) else { return }
        throw .failure(.libraryMissing(String(cString: problem)))
    }
}
