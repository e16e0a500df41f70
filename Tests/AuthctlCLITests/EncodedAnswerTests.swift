@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// Answers to a person's own requests that came encoded.
struct EncodedAnswerTests {
    private static let config = """
        [profiles.wiki]
        url    = "https://wiki.example"
        method = "token"
        verify = { get = "/me", username = "/name", logged-out = [401, { "/error" = "auth" }] }
        """

    /// `{"error":"auth"}` in gzip.
    private static let packed: [UInt8] = [
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0xab, 0x56, 0x4a, 0x2d, 0x2a, 0xca, 0x2f, 0x52, 0xb2, 0x52, 0x4a, 0x2c,
        0x2d,
        0xc9, 0x50, 0xaa, 5, 0, 0xd2, 0xc4, 0x5f, 0x5b, 0x10, 0, 0, 0,
    ]

    @Test func `an encoded answer is judged by what it means, and handed on as it came`() throws {
        let answer = HTTPResponse(
            status: 200, headers: [HTTPResponseField(name: "Content-Encoding", value: "gzip")],
            body: Self.packed.withUnsafeBytes { Secret(copying: $0) })
        for (confirmed, code) in [(HTTPResponse.answer(401), Int32(4)), (.answer(200, "{\"name\":\"ann\"}"), 0)] {
            let world = try TestWorld(config: Self.config)
            world.person = ScriptedPerson([ScriptedPerson.pastes("tok")])
            let login = world.run("login", "wiki", server: [.answer(401), .answer(200, "{\"name\":\"ann\"}")])
            #expect(login.code == 0, "\(login.talk)")
            world.person = ScriptedPerson()
            let run = world.run(
                "request", "/page", "-P", "wiki", server: [answer, confirmed])
            #expect(run.code == code, "\(run.talk)")
            #expect(world.requests.count == 2)
        }
    }
}
