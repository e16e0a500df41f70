import Secrets

extension HTTPResponse {
    /// Recognizes the responses of nginx, Apache, Go and Tomcat to plain http on a port for TLS: all have status 400, and only
    /// their words tell.
    var wantsTLS: Bool {
        let text = body.withUnsafeBytes { String(decoding: $0.prefix(4096), as: UTF8.self) }.lowercased()
        return ["to https port", "to an https server", "to an ssl-enabled server port", "requires tls"].contains {
            text.contains($0)
        }
    }
}
