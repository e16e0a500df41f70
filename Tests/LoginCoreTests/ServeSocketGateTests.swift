@testable import LoginKit
import Testing

/// Who is let in at the Unix socket of an `exec --serve-socket`.
@Suite struct `The Unix socket of an exec` {
    let gate = ServeGate(place: .socket, user: 1000)

    private func refusal(
        _ target: String = "/posts", host: String? = "authctl", from user: UInt32? = 1000,
        with fields: (String, String)...
    ) -> ServeGate.Refusal? {
        let hosts = host.map { [ServedField("Host", $0)] } ?? []
        let head = ServedHead(
            method: "GET", target: target, fields: hosts + fields.map { ServedField($0.0, $0.1) })
        do {
            _ = try gate.target(of: head, from: user)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a Unix socket needs no segment, and its URL is http authctl`() throws {
        #expect(gate.root == "http://authctl")
        let head = ServedHead(method: "GET", target: "/v1/a%2Fb?c=d", fields: [ServedField("Host", "authctl")])
        #expect(try gate.target(of: head, from: 1000) == "/v1/a%2Fb?c=d")
    }

    @Test func `a Unix socket is for its user and for root`() {
        #expect(refusal() == nil && refusal(from: 0) == nil)
        #expect(refusal(from: 1001) == .otherUser && refusal(from: nil) == .unknownUser)
    }

    @Test(arguments: [nil, "", "localhost", "authctl:80", "authctl.evil.example", "127.0.0.1:8080"])
    func `a Unix socket that somebody has forwarded to a port refuses a page that was led there`(host: String?) {
        #expect(refusal(host: host) == .otherHost)
    }

    @Test func `a Unix socket refuses pages of other sites, whatever host they name`() {
        #expect(refusal(with: ("Origin", "http://127.0.0.1:8080")) == .otherSite)
        #expect(refusal(with: ("Sec-Fetch-Site", "cross-site")) == .otherSite)
        #expect(refusal(with: ("Origin", "http://authctl")) == nil)
    }

    @Test(arguments: ["", "*", "http://authctl/posts", "posts", "/../posts", "/a\\b"])
    func `a Unix socket takes a path and nothing else`(target: String) {
        #expect(refusal(target) == .badTarget)
    }

    @Test func `a redirect at a Unix socket leads back to it`() throws {
        let origin = Origin(scheme: "https", host: "blog.example", port: 443)
        let headers = ServedHeaders(root: gate.root, origin: origin, rule: SessionRule())
        #expect(headers.here("https://blog.example/v1/me?a") == "http://authctl/v1/me?a")
        #expect(headers.here("/v1/me") == "http://authctl/v1/me")
        #expect(headers.here("https://other.example/") == "https://other.example/")
    }

    @Test func `an address whose time is over is gone`() {
        #expect(ServeGate.Refusal.ended.status == 410)
    }

    @Test func `a request whose sender the kernel does not tell may be tried again`() {
        #expect(ServeGate.Refusal.unknownUser.status == 503)
    }
}
