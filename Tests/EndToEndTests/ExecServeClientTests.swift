import Foundation
@testable import LoginTestSupport
import Testing

/// `exec --serve` for clients that connect in other ways than curl, and those that do not say what they want.
@Suite(.onOwnThreads, RealServer.requirePackage("starlette")) struct `The address of an exec that serves` {
    let service: StreamServer
    let authctl: Installation

    init() throws {
        service = try StreamServer()
        authctl = try Installation(config: service.profile)
        try authctl.logIn("stream")
    }

    private func serve(_ command: String..., by rules: [String] = []) throws -> CommandResult {
        try authctl.run(["exec", "-P", "stream", "--serve"] + rules + ["--"] + command, within: 120)
    }

    private func python(_ script: String, by rules: [String]) throws -> CommandResult {
        let beginning = """
            import os, re, socket, sys, time
            url = os.environ["AUTHCTL_SERVE_URL"]
            port, segment = re.match(r"http://127.0.0.1:(\\d+)/([^/]+)", url).groups()
            def connect(dual=False):
                s = socket.socket(socket.AF_INET6 if dual else socket.AF_INET)
                s.settimeout(60)
                s.connect(("::ffff:127.0.0.1" if dual else "127.0.0.1", int(port)))
                return s
            def ask(s, more=""):
                s.sendall(f"GET /{segment}/v1/me HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\n{more}\\r\\n".encode())
            def read(s):
                all = b""
                while piece := s.recv(4096):
                    all += piece
                return all.decode()

            """
        return try serve("python3", try authctl.file("client.py", beginning + script), by: rules)
    }

    @Test(arguments: [[], ["--read-only"]])
    func `the address of an exec that serves takes a dual-stack client for what it is`(rules: [String]) throws {
        let result = try python(
            """
            s = connect(dual=True)
            ask(s, "Connection: close\\r\\n")
            print(read(s))
            """, by: rules)
        #expect(
            result.output.hasPrefix("HTTP/1.1 200 ") && result.output.contains("{\"name\":\"ann\"}"), "\(result.error)")
    }

    /// Any JDK of Debian runs a file of source.
    @Test(Thoroughness.isNeeded, RealServer.require("java")) func `serves Java's HttpClient`() throws {
        let file = try authctl.file(
            "Client.java",
            """
            import java.net.URI;
            import java.net.http.*;
            public class Client {
                public static void main(String[] words) throws Exception {
                    var client = HttpClient.newHttpClient();
                    var me = URI.create(System.getenv("AUTHCTL_SERVE_URL")).resolve("me");
                    for (int i = 0; i < 3; i++) {
                        var answer = client.send(HttpRequest.newBuilder(me).build(), HttpResponse.BodyHandlers.ofString());
                        System.out.println(answer.statusCode() + " " + answer.body());
                    }
                }
            }
            """)
        let result = try serve("java", file)
        #expect(result.output == String(repeating: "200 {\"name\":\"ann\"}\n", count: 3), "\(result.error)")
    }

    @Test(Thoroughness.isNeeded, arguments: [[], ["--read-only"]])
    func `an exec that serves takes back places from programs that do not know its address, and leaves the others`(
        rules: [String]
    ) throws {
        let result = try python(
            """
            known = connect()
            ask(known)
            first = b""
            while not first.endswith(b"}"):
                first += known.recv(4096)
            held = [connect(dual=n % 2) for n in range(300)]
            # As long as they hold all places, others are sent away.
            end, answer = time.monotonic() + 60, ""
            while not answer and time.monotonic() < end:
                time.sleep(0.2)
                try:
                    s = connect()
                    ask(s, "Connection: close\\r\\n")
                    answer = read(s)
                except OSError:
                    pass
            print(answer[:12])
            ask(known, "Connection: close\\r\\n")
            print(read(known)[:12])
            """, by: rules)
        #expect(result.output == "HTTP/1.1 200\nHTTP/1.1 200\n", "\(result.output)\(result.error)")
    }
}
