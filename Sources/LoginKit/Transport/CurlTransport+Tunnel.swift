import CCurl
import LoginCore
import Secrets

extension CurlTransport {
    func openTunnel(_ request: HTTPRequest, to name: String) throws(LoginFault) -> any Tunnel {
        let url = try checked(request, try URLParser())
        try examine()
        TransferTrace(settings: options.settings).show(request, url)
        let handle = try CurlHandle(CurlLibrary())
        try prepare(handle)
        try handle.set(CURLOPT_URL, url.text)
        try handle.set(CURLOPT_CONNECT_ONLY, 1)
        try handle.set(CURLOPT_HTTPPROXYTUNNEL, 1)
        let connections = try CurlConnections(CurlLibrary(), isCancelled: options.settings.isCancelled)
        let code = connections.run(handle, options, ResponseWait(nil), isHeld: true)
        guard code == CURLE_OK else {
            defer { connections.release(handle) }
            throw try reason(code, handle)
        }
        provider.pin(handle.text(CURLINFO_PRIMARY_IP).flatMap { PeerAddress(text: $0) })
        let tunnel = CurlTunnel(handle, connections, owner: self, isCancelled: options.settings.isCancelled)
        let ticket = request.negotiates ? try TicketCache.token(for: url.origin.host) : nil
        try tunnel.ask(
            try request.head(url, askingFor: name, with: ticket), within: options.settings.connectTimeout * 3,
            limit: options.settings.headerLimit)
        return tunnel
    }
}

extension HTTPRequest {
    /// As it is sent (RFC 9112, section 3); it was checked before.
    /// - Parameter ticket: the token of Negotiate, which libcurl makes for its own requests alone.
    fileprivate func head(
        _ url: ParsedURL, askingFor name: String, with ticket: Secret?
    ) throws(LoginFault) -> Secret {
        var text = SecretBuilder(limit: 256 << 10)
        do throws(SecretBuilder.LimitExceeded) {
            try text.append("\(method) \(url.target) HTTP/1.1\r\nHost: \(url.origin.authority)\r\n")
            try text.append("Connection: Upgrade\r\nUpgrade: \(name)\r\n")
            for field in headers {
                try text.append("\(field.name): ")
                try text.append(field.value)
                try text.append("\r\n")
            }
            if let basic {
                try text.append("Authorization: ")
                try text.appendBasic(Secret(basic.username), basic.password)
                try text.append("\r\n")
            }
            if let ticket {
                try text.append("Authorization: Negotiate ")
                try text.append(ticket.base64)
                try text.append("\r\n")
            }
            if !cookies.isEmpty {
                try text.append("Cookie: ")
                try text.append(cookies)
                try text.append("\r\n")
            }
            try text.append("\r\n")
        } catch {
            throw .usage(.other("the head of the request is too long"))
        }
        return text.finish()
    }
}
