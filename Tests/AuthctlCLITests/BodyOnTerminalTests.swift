import Glibc
@testable import LoginKit
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// What `request` writes to a terminal that it does not write to a pipe.
struct BodyOnTerminalTests {
    private static let config = """
        [profiles.wire]
        url = "https://wire.example"
        verify = { get = "/me", username = "/name" }

        """

    private func run(_ body: String, type: String?, terminal: Bool = true, _ more: String...) throws -> Run {
        let world = try TestWorld(config: Self.config)
        world.variables["NO_COLOR"] = "1"
        world.terminals = terminal ? [STDOUT_FILENO, STDERR_FILENO] : []
        let headers = type.map { ["Content-Type: \($0)"] } ?? []
        return world.run(
            ["request", "--anonymous", "/x"] + more, server: [.success(.answer(200, body, headers: headers))])
    }

    @Test(arguments: ["application/json", "Application/Problem+JSON; charset=utf-8"])
    func `JSON is laid out on a terminal, with every byte of its strings and numbers`(type: String) throws {
        let json = #"{"z":[1.0,12345678901234567890,-0e+05,"a\"\\\/{[é"],"a":{},"e":[ ],"n":{"t":true}}"#
        #expect(
            try run(json, type: type).output == #"""
                {
                  "z": [
                    1.0,
                    12345678901234567890,
                    -0e+05,
                    "a\"\\\/{[é"
                  ],
                  "a": {},
                  "e": [],
                  "n": {
                    "t": true
                  }
                }

                """#)
    }

    @Test func `JSON is never laid out in a pipe, in a file or with another media type`() throws {
        let json = #"{"a":[1,2]}"#
        #expect(try run(json, type: "application/json", terminal: false).output == json)
        #expect(try run(json, type: "text/plain").output == json + "\n")
        #expect(try run(json, type: nil).output == json + "\n")
        let file = try TemporaryHome()
        #expect(try run(json, type: "application/json", "-o", file.path + "/out").output.isEmpty)
        #expect(try file.read("out") == json)
    }

    @Test(arguments: [
        #"{"a":1"#, #"{"a":1} x"#, #"{"a":1,"a":2}"#, "[1,]", "42", "{'a':1}", "",
        String(repeating: "[", count: 100) + String(repeating: "]", count: 100),
        "[" + String(repeating: "1,", count: 600_000) + "1]",
    ])
    func `What is no JSON, too deep or too long is shown as it is`(body: String) throws {
        let shown = try run(body, type: "application/json").output
        #expect(shown == (body.isEmpty ? "" : body + "\n"))
    }

    @Test func `Laid-out JSON cannot make the terminal obey`() throws {
        #expect(try run("[\"\u{9B}31m\u{7F}\"]", type: "application/json").output == "[\n  \"\\u{9B}31m\\u{7F}\"\n]\n")
    }

    @Test func `The head stands above laid-out JSON`() throws {
        let shown = try run("[1]", type: "application/json", "-i").output
        #expect(shown == "HTTP/1.1 200\nContent-Type: application/json\n\n[\n  1\n]\n")
    }

    @Test func `A binary body is refused on a terminal, and the message names -o`() throws {
        let body = "\u{89}PNG\r\n\u{1A}\n\u{0}\u{0}"
        let refused = try run(body, type: "image/png")
        #expect(refused.code == 1 && refused.output.isEmpty)
        let said = refused.talk.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            said.contains("the request was sent, but its response (status 200) is binary") && said.contains("-o FILE"))
        #expect(try run(body, type: "image/png", terminal: false).output == body)
        #expect(try run(body, type: "image/png", "-o", "-").code == 0)
    }
}
