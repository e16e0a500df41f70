import Foundation
@testable import LoginTestSupport
import Testing

/// A service that answers before a request has ended: whoever sends it hears that, even if nothing more is sent.
@Suite(.onOwnThreads, RealServer.requirePackage("starlette")) struct `An exec whose service answers early` {
    let service: StreamServer
    let authctl: Installation
    let python: String

    init() throws {
        service = try StreamServer()
        authctl = try Installation(config: service.profile)
        python = try #require(RealServer.packagesPython)
        try authctl.logIn("stream")
    }

    /// Runs a program of Python within the exec. It can `open` a request to a path, with more lines of its head, and read the
    /// answer `upto` some bytes, or all of it.
    private func run(_ program: String, then command: String = "") throws -> CommandResult {
        let file = try authctl.file(
            "client.py",
            """
            import os, socket, urllib.parse
            url = urllib.parse.urlsplit(os.environ["AUTHCTL_SERVE_URL"])
            def open(path, *lines, method="PUT", version="HTTP/1.1"):
                service = socket.create_connection((url.hostname, url.port))
                lines = (f"{method} {url.path}{path} {version}", f"Host: {url.netloc}") + lines
                service.sendall("".join(line + "\\r\\n" for line in lines).encode() + b"\\r\\n")
                return service
            def upto(service, end):
                got = b""
                while not got.endswith(end):
                    piece = service.recv(1)
                    assert piece, got
                    got += piece
                return got
            def all(service):
                return b"".join(iter(lambda: service.recv(65536), b""))
            \(program)
            """)
        return try authctl.run(
            ["exec", "-P", "stream", "--serve", "--", "bash", "-c", "\(python) \(file)\n\(command)"], within: 120)
    }

    @Test func `an exec whose service answers early passes the answer on, whatever was sent by then`() throws {
        let result = try run(
            """
            for size, sent in [(1 << 30, 0), (1 << 30, 1), (1 << 30, 2 << 20), (20 << 20, 20 << 20)]:
                with open("full", f"Content-Length: {size}") as service:
                    service.sendall(bytes(sent))
                    answer = all(service)
                print(answer.split()[1].decode(), answer.endswith(b"\\r\\n\\r\\ntoo long\\n"))
            """,
            then: """
                head -c 50000000 /dev/zero | curl -q -sS -o /dev/null -w '%{http_code}\\n' -T - "$AUTHCTL_SERVE_URL"full
                """)
        let expected = String(repeating: "413 True\n", count: 4) + "413\n"
        #expect(result.output == expected, "\(result.output)\(result.error)")
    }

    @Test
    func
        `an early answer of unknown length is passed on in chunks where the command of exec understands them`()
        throws
    {
        let result = try run(
            """
            with open("full?chunked", "Transfer-Encoding: chunked") as service:
                service.sendall(b"1\\r\\nx\\r\\n")
                head, body = all(service).split(b"\\r\\n\\r\\n", 1)
            print(head.split()[1].decode(), b"chunked" in head, body.endswith(b"0\\r\\n\\r\\n"))
            with open("full?chunked", f"Content-Length: {2 << 20}", version="HTTP/1.0") as service:
                service.sendall(bytes(2 << 20))
                head, body = all(service).split(b"\\r\\n\\r\\n", 1)
            print(head.split()[1].decode(), b"chunked" in head, body)
            """)
        #expect(result.output == "413 True True\n413 False b'too long\\n'\n", "\(result.output)\(result.error)")
    }

    @Test func `first tells a command to go on that waits for that`() throws {
        let result = try run(
            """
            with open("full", f"Content-Length: {2 << 20}", "Expect: 100-continue") as service:
                print(upto(service, b"\\r\\n\\r\\n").split()[1].decode())
                print(all(service).split()[1].decode())
            """)
        #expect(result.output == "100\n413\n", "\(result.output)\(result.error)")
    }

    @Test
    func
        `a command of exec that pauses is told that the service has gone, before an answer or in the middle`()
        throws
    {
        let result = try run(
            """
            for path in ["mirror?end=1", "gone"]:
                with open(path, "Transfer-Encoding: chunked") as service:
                    service.sendall(b"3\\r\\none\\r\\n")
                    answer = all(service)
                    print(answer.split()[1].decode(), b"ONE" in answer, answer.endswith(b"0\\r\\n\\r\\n"))
            """)
        #expect(result.output == "200 True False\n502 False False\n", "\(result.output)\(result.error)")
    }

    @Test
    func
        `an exec whose service answers early passes a head on long before its body, and one without a length for HEAD`()
        throws
    {
        let result = try run(
            """
            with open("events?after=600", method="GET") as service:
                print(upto(service, b"\\r\\n\\r\\n").split()[1].decode())
            with open("events", "Connection: close", method="HEAD") as service:
                head = all(service).lower()
                print(head.split()[1].decode(), b"content-length" in head, head.endswith(b"\\r\\n\\r\\n"))
            """)
        #expect(result.output == "200\n200 False True\n", "\(result.output)\(result.error)")
    }

    @Test func `an exec whose service answers early passes on both ways at once`() throws {
        let result = try run(
            """
            with open("mirror", "Transfer-Encoding: chunked") as service:
                upto(service, b"\\r\\n\\r\\n")
                for word in [b"one", b"two", b"three"]:
                    service.sendall(b"%x\\r\\n%b\\r\\n" % (len(word), word))
                    upto(service, word.upper() + b"\\r\\n")
                service.sendall(b"0\\r\\n\\r\\n")
                print(upto(service, b"0\\r\\n\\r\\n"))
            """)
        #expect(result.output == "b'0\\r\\n\\r\\n'\n", "\(result.output)\(result.error)")
    }
}
