import LoginCore

/// OpenSSL's numbered error, from libcurl's words: `error:0A00010B:SSL routines::wrong version number`.
///
/// libcurl reports one code for 'no common TLS version', for a reset in the handshake and for a server that does not
/// speak TLS at all; see openssl's `sslerr.h` for the reasons.
struct TLSFault: Equatable {
    private let library: UInt32
    private let reason: UInt32
    private let words: String

    init?(_ text: String) {
        // libcurl 8 has "TLS connect error:" before it.
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let codes = zip(parts, parts.dropFirst()).compactMap { mark, code in
            mark.hasSuffix("error") && code.count == 8 ? UInt32(code, radix: 16) : nil
        }
        guard let code = codes.first else { return nil }
        // ERR_GET_LIB and ERR_GET_REASON of OpenSSL 3.
        library = code >> 23 & 0xff
        reason = code & 0x7f_ffff
        words = parts.last.map(String.init) ?? text
    }

    /// Alerts about the client's certificate, or the lack of one: 1000 and the number of RFC 8446, section 6.
    var refusal: ClientCertificateRefusal? {
        guard library == 20 else { return nil }
        switch reason {
        case 1116: return .wanted
        case 1048: return .unknownAuthority
        case 1045: return .expired
        case 1044: return .revoked
        case 1042, 1043, 1046: return .unsupported
        case 1040, 1049: return .unexplained
        default: return nil
        }
    }

    /// `nil` where the error is not one of the SSL routines.
    var error: LoginFault? {
        guard library == 20 else { return nil }
        switch reason {
        // http and proxy request, packet length too long, unknown protocol, wrong version number, bad record type
        case 155, 156, 198, 252, 267, 443: return .network(.notTLS)
        case 294: return .network(.connectionLost)  // unexpected end of file
        case 134: return .untrusted(.certificateUnseen(reason: words))  // certificate verify failed
        // No common version or cipher, an alert, or a key that is too weak: all of them are the server's doing.
        default: return .untrusted(.tlsVersion(detail: words))
        }
    }
}
