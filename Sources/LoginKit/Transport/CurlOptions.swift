import CCurl
import Secrets

/// The options of every transfer. Each is set anew for each request, the defaults too where a
/// credential hangs on them.
struct CurlOptions {
    let origin: Origin
    var settings: TransportSettings
    let proxy: ProxyChoice
    /// The accepted key that stands in for verification, as `TrustedCertificate.key`.
    var pinnedKey: String?

    var authorities: String { settings.caFile ?? TransportSettings.systemAuthorities }

    func apply(to handle: CurlHandle) throws(LoginFault) {
        try handle.set(CURLOPT_PROTOCOLS_STR, origin.scheme)
        try handle.set(CURLOPT_REDIR_PROTOCOLS_STR, origin.scheme)
        try handle.set(CURLOPT_FOLLOWLOCATION, 0)
        // Bounds the rounds of authentication too: a server can ask for them without end. 0 breaks Negotiate.
        try handle.set(CURLOPT_MAXREDIRS, 3)
        try handle.set(CURLOPT_UNRESTRICTED_AUTH, 0)
        try handle.set(CURLOPT_POSTREDIR, 0)
        try handle.set(CURLOPT_AUTOREFERER, 0)
        try handle.set(CURLOPT_NETRC, ccurl_netrc_ignored)
        try handle.set(CURLOPT_HTTPAUTH, ccurl_auth_none)
        try handle.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        try handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        try handle.set(CURLOPT_HTTP09_ALLOWED, 0)
        try handle.set(CURLOPT_USERAGENT, settings.userAgent)

        // The one is off only where the other is there: libcurl holds the connection to the key even so (CURLE 90).
        try handle.set(CURLOPT_PINNEDPUBLICKEY, pinnedKey.map { "sha256//\($0)" } as String?)
        try handle.set(CURLOPT_SSL_VERIFYPEER, pinnedKey == nil ? 1 : 0)
        try handle.set(CURLOPT_SSL_VERIFYHOST, pinnedKey == nil ? 2 : 0)
        try handle.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try handle.set(CURLOPT_CAINFO, authorities)
        // Debian's libcurl would look into the system's folder as well.
        try handle.set(CURLOPT_CAPATH, nil)
        try handle.set(CURLOPT_SSL_SESSIONID_CACHE, 0)
        try handle.set(CURLOPT_PROXY_SSL_VERIFYPEER, 1)
        try handle.set(CURLOPT_PROXY_SSL_VERIFYHOST, 2)
        try handle.set(CURLOPT_PROXY_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try handle.set(CURLOPT_PROXY_CAINFO, authorities)
        try handle.set(CURLOPT_PROXY_CAPATH, nil)

        // An empty text keeps libcurl from reading the environment. The exceptions have been considered.
        try handle.set(CURLOPT_PROXY, proxy.url ?? "")
        try handle.set(CURLOPT_NOPROXY, "")
        try handle.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        try handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)

        try applyTime(to: handle)
    }

    /// - Parameter seconds: more than the settings say.
    private func applyTime(to handle: CurlHandle, longer seconds: Int = 0) throws(LoginFault) {
        try handle.set(CURLOPT_NOSIGNAL, 1)
        try handle.set(CURLOPT_TIMEOUT_MS, (settings.timeout + seconds) * 1000)
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, (min(settings.connectTimeout, settings.timeout) + seconds) * 1000)
        try handle.set(CURLOPT_LOW_SPEED_LIMIT, 1)
        try handle.set(CURLOPT_LOW_SPEED_TIME, min(settings.stallTime, settings.timeout) + seconds)
    }

    /// Gives a transfer under way more time.
    func prolong(_ handle: CurlHandle, by time: Duration) {
        // If this fails, the transfer ends at its usual time.
        try? applyTime(to: handle, longer: Int(time.components.seconds) + 1)
    }
}
