import CCurl
import LoginCore
import Secrets

extension ClientIdentity {
    /// Has libcurl show the certificate to the server, never to a proxy. libcurl's copies are wiped when it frees them.
    func apply(to handle: CurlHandle) throws(LoginFault) {
        try handle.set(CURLOPT_SSLCERTTYPE, isPKCS12 ? "P12" : "PEM")
        try handle.set(CURLOPT_SSLCERT_BLOB, blob: certificate)
        if !isPKCS12 {
            try handle.set(CURLOPT_SSLKEYTYPE, "PEM")
            try handle.set(CURLOPT_SSLKEY_BLOB, blob: key ?? certificate)
        }
        if let passphrase {
            try passphrase.withCString { (text) throws(LoginFault) in try handle.set(CURLOPT_KEYPASSWD, bytes: text) }
        }
        // libcurl 7.88 does not look at the key when it takes a connection out of its cache (CVE-2026-8932).
        try handle.set(CURLOPT_FRESH_CONNECT, 1)
        try handle.set(CURLOPT_FORBID_REUSE, 1)
    }
}

extension CurlHandle {
    /// libcurl copies the bytes.
    func set(_ option: CURLoption, blob: Secret) throws(LoginFault) {
        let code = blob.withUnsafeBytes { ccurl_setopt_blob(raw, option, $0.baseAddress, $0.count) }
        guard code == CURLE_OK else {
            throw .network(
                .other(code: Int(code.rawValue), text: "option \(option.rawValue): \(CurlHandle.words(of: code))"))
        }
    }
}
