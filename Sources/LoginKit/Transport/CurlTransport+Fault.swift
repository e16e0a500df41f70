import CCurl
import LoginCore

extension CurlTransport {
    /// The error of a failed transfer.
    func reason(_ code: CURLcode, _ handle: CurlHandle) throws(LoginFault) -> LoginFault {
        if code == CURLE_ABORTED_BY_CALLBACK, options.settings.isCancelled?() == true { return .cancelled }
        if code == CURLE_PEER_FAILED_VERIFICATION { return try distrust(handle) }
        return fault(code, handle.words.text ?? CurlHandle.words(of: code), handle)
    }

    private func fault(_ code: CURLcode, _ text: String, _ handle: CurlHandle) -> LoginFault {
        if code == CURLE_COULDNT_CONNECT, let fault = provider.fault { return .untrusted(fault) }
        if context.wasAsked, let refusal = TLSFault(text)?.refusal {
            return .untrusted(.clientCertificate(options.settings.identity == nil ? .wanted : refusal))
        }
        let wasConnected = handle.offset(CURLINFO_CONNECT_TIME_T) > 0
        return CurlFault(
            code: code, text: text, origin: options.origin, settings: options.settings, proxy: options.proxy,
            wasConnected: wasConnected,
            wasReady: options.origin.scheme == "https" ? handle.offset(CURLINFO_APPCONNECT_TIME_T) > 0 : wasConnected,
            hasAnswered: hasAnswered, connectStatus: handle.number(CURLINFO_HTTP_CONNECTCODE),
            errno: handle.number(CURLINFO_OS_ERRNO)
        ).error
    }

    /// The error of a certificate that did not verify.
    private func distrust(_ handle: CurlHandle) throws(LoginFault) -> LoginFault {
        let unseen = fault(CURLE_PEER_FAILED_VERIFICATION, handle.words.text ?? "", handle)
        let found: ServerTrust
        do throws(LoginFault) {
            found = try CertificateProbe(options: options, provider: provider).run()
        } catch {
            // A server that ends every handshake without a client certificate, or has gone since.
            return unseen
        }
        // It verifies now, or what does not verify is not the server's certificate.
        if found.reasons.isEmpty { return unseen }
        return .untrusted(exception?.fault(with: found) ?? .certificate(found))
    }
}
