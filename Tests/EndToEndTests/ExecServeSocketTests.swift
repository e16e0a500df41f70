import Foundation
@testable import LoginTestSupport
import Testing

/// `exec --serve-socket`: the same address at a Unix socket.
@Suite(.onOwnThreads, RealServer.requirePackage("starlette")) struct `An exec that serves at a Unix socket` {
    let service: StreamServer
    let authctl: Installation
    let runtime: TemporaryHome

    init() throws {
        service = try StreamServer()
        authctl = try Installation(config: service.profile)
        try authctl.logIn("stream")
        runtime = try TemporaryHome()
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: runtime.path)
    }

    private func serve(
        _ script: String, _ options: String..., at socket: String = "auto", environment: [String: String] = [:]
    ) throws -> CommandResult {
        try authctl.run(
            ["exec", "-P", "stream", "--serve-socket", socket] + options + ["--", "bash", "-c", script],
            environment: ["XDG_RUNTIME_DIR": runtime.path].merging(environment) { $1 }, within: 120)
    }

    private static let curl = "curl -q -sS --unix-socket \"$AUTHCTL_SERVE_SOCKET\""

    @Test func `a command uses the login through the socket, and the socket goes with it`() throws {
        let result = try serve(
            """
            echo $AUTHCTL_SERVE_URL; stat -c '%a %F' "$AUTHCTL_SERVE_SOCKET"; ls ${AUTHCTL_SERVE_SOCKET%/*}
            \(Self.curl) -f "$AUTHCTL_SERVE_URL"me; echo
            \(Self.curl) -X PATCH -d 'a=b' "$AUTHCTL_SERVE_URL"'echo?c=%2F&d'
            \(Self.curl) -o /dev/null -w '%{http_code} %{redirect_url}\\n' "$AUTHCTL_SERVE_URL"'away?to=\(service.origin)/v1/me'
            exit 7
            """)
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(result.code == 7 && lines.count == 6, "\(result.output)\(result.error)")
        guard lines.count == 6 else { return }
        #expect(lines[0] == "http://authctl/v1/" && lines[1] == "600 socket" && lines[2].hasPrefix("serve-stream-"))
        #expect(lines[3] == "{\"name\":\"ann\"}" && lines[4] == "PATCH c=%2F&d a=b")
        #expect(lines[5] == "302 http://authctl/v1/me")
        #expect(try FileManager.default.contentsOfDirectory(atPath: runtime.path + "/authctl").isEmpty)
    }

    @Test func `a page that reaches the socket through a forwarded port is turned away, as are other paths`() throws {
        let before = try service.seen()
        let result = try serve(
            """
            status() { \(Self.curl) -o /dev/null -w '%{http_code}\\n' "$@"; }
            status http://127.0.0.1/v1/me; status http://evil.example/v1/me
            status -H 'Origin: https://evil.example' -d x "$AUTHCTL_SERVE_URL"echo
            status --path-as-is "$AUTHCTL_SERVE_URL../../me"
            """)
        #expect(result.output == "403\n403\n403\n400\n", "\(result.output)\(result.error)")
        #expect(try service.seen().answered == before.answered + 1)
    }

    @Test func `streams, WebSockets and early answers go through the socket`() throws {
        let python = try #require(RealServer.packagesPython)
        let file = try authctl.file(
            "client.py",
            """
            import os
            from websockets.sync.client import unix_connect
            uri = os.environ["AUTHCTL_SERVE_URL"].replace("http:", "ws:") + "socket"
            with unix_connect(os.environ["AUTHCTL_SERVE_SOCKET"], uri) as socket:
                for text in ["a", "b" * 300000]:
                    socket.send(text)
                    print(socket.recv() == "echo " + text)
            """)
        let result = try serve(
            """
            \(python) \(file)
            \(Self.curl) -N "$AUTHCTL_SERVE_URL"'events?number=3' | grep -c data
            head -c 3000000 /dev/zero | \(Self.curl) -T - "$AUTHCTL_SERVE_URL"count
            \(Self.curl) -o /dev/null -w '%{size_download}\\n' "$AUTHCTL_SERVE_URL"'data?bytes=20000000&chunked'
            seq 50 | xargs -P 50 -I{} \(Self.curl) -o /dev/null -w '%{http_code}\\n' \
                "$AUTHCTL_SERVE_URL"'slow?seconds=0.3' | sort | uniq -c | tr -d ' '
            """)
        #expect(result.output == "True\nTrue\n3\n3000000\n20000000\n50200\n", "\(result.output)\(result.error)")
        #expect(try eventually { try service.seen().open == 0 })
    }

    @Test(.enabled(if: getuid() == 0, "only root can become somebody else"))
    func `another user's program does not get in, although the folder lets it through`() throws {
        let folder = runtime.path + "/seen"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for path in [runtime.path, folder] {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
        let result = try serve(
            """
            setpriv --reuid 65534 --clear-groups \(Self.curl) "$AUTHCTL_SERVE_URL"me && echo let in
            chmod 666 "$AUTHCTL_SERVE_SOCKET"
            setpriv --reuid 65534 --clear-groups \(Self.curl) "$AUTHCTL_SERVE_URL"me && echo let in
            \(Self.curl) "$AUTHCTL_SERVE_URL"me
            """, at: folder + "/a.sock")
        #expect(result.output == "{\"name\":\"ann\"}", "\(result.output)\(result.error)")
    }

    @Test func `the socket of a killed run is replaced, and nothing else`() throws {
        let path = runtime.path + "/a.sock"
        let run = try authctl.onTerminal(
            "exec", "-P", "stream", "--serve-socket", path, "--", "sh", "-c", "echo there >&2; exec sleep 100")
        try run.pty.wait(for: "there")
        let second = try serve("true", at: path)
        #expect(second.code == 102 && second.error.contains("another program listens"), "\(second.error)")
        run.pty.child.send(signal: SIGKILL)
        #expect(try run.end() == .signalled(SIGKILL))
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(try serve("\(Self.curl) \"$AUTHCTL_SERVE_URL\"me", at: path).output == "{\"name\":\"ann\"}")
        #expect(!FileManager.default.fileExists(atPath: path))
        let file = try authctl.file("file", "text")
        let refused = try serve("true", at: file)
        #expect(refused.code == 102 && refused.error.contains("not a socket"), "\(refused.error)")
        let long = try serve("true", at: "/tmp/" + String(repeating: "x", count: 120))
        #expect(long.code == 102 && long.error.contains("107 bytes"), "\(long.error)")
    }

    @Test func `a signal that ends the command removes the socket`() throws {
        let run = try authctl.onTerminal(
            "exec", "-P", "stream", "--serve-socket", runtime.path + "/a.sock", "--", "sh", "-c",
            "echo there >&2; exec sleep 100")
        try run.pty.wait(for: "there")
        #expect(FileManager.default.fileExists(atPath: runtime.path + "/a.sock"))
        run.pty.child.send(signal: SIGTERM)
        #expect(try run.end() == .signalled(SIGTERM))
        #expect(!FileManager.default.fileExists(atPath: runtime.path + "/a.sock"))
    }

    @Test(arguments: [true, false])
    func `after the time of --for the address is gone, and what is open ends, whatever the command does`(isSocket: Bool)
        throws
    {
        let script = """
            curl() { command curl -q -sS ${AUTHCTL_SERVE_SOCKET:+--unix-socket "$AUTHCTL_SERVE_SOCKET"} "$@"; }
            curl "$AUTHCTL_SERVE_URL"me; echo
            curl -N "$AUTHCTL_SERVE_URL"events > events 2>/dev/null; echo ended
            curl -w ' %{http_code}\\n' "$AUTHCTL_SERVE_URL"me
            """
        let place = isSocket ? ["--serve-socket", "auto"] : ["--serve"]
        let result = try authctl.run(
            ["exec", "-P", "stream"] + place + ["--for", "3s", "--", "bash", "-c", script],
            environment: ["XDG_RUNTIME_DIR": runtime.path], within: 60)
        #expect(
            result.output
                == "{\"name\":\"ann\"}\nended\nauthctl: the time for which this address was lent is over\n 410\n",
            "\(result.output)\(result.error)")
        #expect(try eventually { try service.seen().open == 0 })
    }

    @Test func `after the time of --for an open WebSocket is closed`() throws {
        let python = try #require(RealServer.packagesPython)
        let file = try authctl.file(
            "client.py",
            """
            import os
            from websockets.sync.client import unix_connect
            from websockets.exceptions import ConnectionClosed
            uri = os.environ["AUTHCTL_SERVE_URL"].replace("http:", "ws:") + "socket"
            with unix_connect(os.environ["AUTHCTL_SERVE_SOCKET"], uri) as socket:
                socket.send("a")
                print(socket.recv(), flush=True)
                try:
                    socket.recv(timeout=60)
                except ConnectionClosed:
                    print("closed")
            """)
        let result = try serve("\(python) \(file)", "--for", "3s")
        #expect(result.output == "echo a\nclosed\n", "\(result.output)\(result.error)")
    }

    @Test(arguments: [["--for", "30"], ["--for", "0s"], ["--for", "8d"], ["--for", "m"], ["--serve-socket", ""]])
    func `what is no time or no path is a usage error`(options: [String]) throws {
        let result = try authctl.run(["exec", "-P", "stream", "--serve"] + options + ["--", "touch", "ran"])
        #expect(result.code == 102 && !authctl.hasFile("ran"), "\(result.error)")
    }

    @Test func `--for and --log are about a served address`() throws {
        for options in [["--for", "1m"], ["--log", "file"]] {
            #expect(try authctl.run(["exec", "-P", "stream"] + options + ["--", "true"]).code == 102)
        }
    }

    @Test func `a proxy of the environment does not come between`() throws {
        let result = try serve(
            "\(Self.curl) -f \"$AUTHCTL_SERVE_URL\"me; echo $no_proxy",
            environment: ["http_proxy": "http://127.0.0.1:1", "no_proxy": "other.example"])
        #expect(result.output == "{\"name\":\"ann\"}other.example,authctl\n", "\(result.error)")
    }
}
