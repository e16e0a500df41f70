@testable import LoginKit
import Secrets
import Testing

/// Plain http on a port for TLS, where the server answers in plain http.
struct WantsTLSTests {
    private func judged(_ scheme: String, _ status: Int, _ body: String) -> Judgement {
        ParsedResponse(
            response: HTTPResponse(status: status, body: Secret(body)), json: nil,
            origin: Origin(scheme: scheme, host: "a.example", port: 8443)
        ).judged(by: ResponseRule(), at: .verify)
    }

    @Test(arguments: [
        "<center>The plain HTTP request was sent to HTTPS port</center>",
        "Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />",
        "Client sent an HTTP request to an HTTPS server.\n",
        "Bad Request\r\nThis combination of host and port requires TLS.\r\n",
    ])
    func `a server that says so is not to be tried again later, but by https`(body: String) {
        #expect(judged("http", 400, body) == .unclear(.network(.notHTTP)))
        let unexpected = Judgement.unclear(.failure(.unexpectedStatus(400, step: "verify", words: nil)))
        #expect(judged("https", 400, body) == unexpected)
        #expect(judged("http", 400, "Bad Request") == unexpected)
    }
}
