import Secrets

extension HTTPResponse {
    /// What nginx, Apache, Go and Tomcat say to a request in plain http on a port for TLS: all of them with 400, in words
    /// alone.
    var wantsTLS: Bool {
        let text = body.withUnsafeBytes { String(decoding: $0.prefix(4096), as: UTF8.self) }.lowercased()
        return ["to https port", "to an https server", "to an ssl-enabled server port", "requires tls"].contains {
            text.contains($0)
        }
    }
}
