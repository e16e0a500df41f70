@testable import LoginTestSupport
import Testing

/// A service with TLS and a name that only the proxy of a profile knows, so that whatever goes around authctl reaches nothing.
final class NamedService {
    static let origin = "https://api.example.test"
    let proxy: ConnectProxy
    /// The file of its certificate, which is its own authority.
    let certificate: String
    private let front: TLSFront

    /// - Parameter port: of the server, which has no TLS; the certificate names `other.example.test`, too.
    init(at port: Int) throws {
        front = try TLSFront(to: port, names: "api.example.test", "other.example.test")
        proxy = try ConnectProxy(to: front.port)
        certificate = front.certificate
    }

    /// - Parameter origin: of the server, with a port.
    convenience init(at origin: String) throws {
        try self.init(at: #require(Int(origin.split(separator: ":").last ?? "")))
    }

    /// The keys by which a profile reaches it.
    var keys: String { "ca-file = \"\(certificate)\"\nproxy = \"\(proxy.url)\"" }
}
