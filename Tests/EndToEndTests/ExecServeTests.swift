import Foundation
@testable import LoginTestSupport
import Testing

/// `exec --serve`: the command sends its requests to an address on this machine, and never holds the session.
@Suite(.onOwnThreads, RealServer.requirePackage("starlette")) struct `An exec that serves` {
    let service: StreamServer
    let authctl: Installation

    init() throws {
        service = try StreamServer()
        authctl = try Installation(config: service.profile)
        try authctl.logIn("stream")
    }

    private func serve(
        _ script: String, _ options: String..., environment: [String: String] = [:]
    ) throws -> CommandResult {
        try authctl.run(
            ["exec", "-P", "stream", "--serve"] + options + ["--", "bash", "-c", script], environment: environment,
            within: 120)
    }

    private static let curl = "curl -q -sS"

    @Test func `an exec that serves sends what its command sends, with the session`() throws {
        let result = try serve("curl -q -fsS \"$AUTHCTL_SERVE_URL\"me; exit 7")
        #expect(result.code == 7, "\(result.error)")
        #expect(result.output == "{\"name\":\"ann\"}", "\(result.error)")
        let other = try serve(
            """
            \(Self.curl) -X PATCH -d 'a=b' -H 'Authorization: Basic eDp5' "$AUTHCTL_SERVE_URL"'echo?c=%2F&d'
            \(Self.curl) -I "$AUTHCTL_SERVE_URL"me | head -n 1
            \(Self.curl) -T - -X PUT "$AUTHCTL_SERVE_URL"echo <<< piped
            \(Self.curl) "${AUTHCTL_SERVE_URL%v1/}root"
            """)
        #expect(other.output.contains("PATCH c=%2F&d a=b\n"), "\(other.output)\(other.error)")
        #expect(other.output.contains("HTTP/1.1 200"))
        #expect(other.output.contains("PUT  piped\n"))
        #expect(other.output.contains("GET  \n"), "the whole origin can be reached: \(other.output)")
    }

    @Test func `an exec that serves passes answers on as they are, with redirects that lead back to it`() throws {
        let result = try serve(
            """
            \(Self.curl) -o /dev/null -w '%{http_code} %{redirect_url}\\n' "$AUTHCTL_SERVE_URL"'away?to=/v1/me'
            \(Self.curl) -L "$AUTHCTL_SERVE_URL"'away?to=\(service.origin)/v1/me'
            \(Self.curl) -o /dev/null -w '\\n%{redirect_url}\\n' "$AUTHCTL_SERVE_URL"'away?to=https://other.example/'
            \(Self.curl) -o /dev/null -w '%{http_code}\\n' "$AUTHCTL_SERVE_URL"nowhere
            echo $AUTHCTL_SERVE_URL
            """)
        let lines = result.output.split(separator: "\n").map(String.init)
        let url = try #require(lines.last)
        let expected = ["302 \(url)me", "{\"name\":\"ann\"}", "https://other.example/", "404", url]
        #expect(lines == expected, "\(result.error)")
    }

    @Test func `turns everybody else away, and nothing of that reaches the service`() throws {
        let before = try service.seen()
        let result = try serve(
            """
            status() { \(Self.curl) -o /dev/null -w '%{http_code}\\n' "$@"; }
            base=${AUTHCTL_SERVE_URL%%/v1/}; root=${base%/*}; port=${root##*:}
            status "$root/v1/me"
            status "$root/"
            status "$root/$(tr 0-9a-f 1-9a-f0 <<< "${base##*/}")/v1/me"
            status -H 'Host: evil.example' "$AUTHCTL_SERVE_URL"me
            status --resolve "localhost:$port:127.0.0.1" "http://localhost:$port/${base##*/}/v1/me"
            status -H 'Origin: https://evil.example' -d x "$AUTHCTL_SERVE_URL"echo
            status -H 'Sec-Fetch-Site: cross-site' "$AUTHCTL_SERVE_URL"me
            status -X OPTIONS -H 'Origin: null' "$AUTHCTL_SERVE_URL"me
            status --path-as-is "$AUTHCTL_SERVE_URL../../../me"
            status -x "$root" http://example.com/
            """)
        let expected = Array(repeating: "403", count: 8) + ["400", "403"]
        #expect(result.output.split(separator: "\n").map(String.init) == expected, "\(result.error)")
        let after = try service.seen()
        // The login is verified before the command runs.
        #expect(after.answered == before.answered + 1 && after.refused == before.refused)
    }

    @Test(.enabled(if: getuid() == 0, "only root can become somebody else"))
    func `turns another user's program away, although it knows the address`() throws {
        let result = try serve(
            """
            setpriv --reuid 65534 --clear-groups curl -q -sS "$AUTHCTL_SERVE_URL"me && echo let in
            """)
        #expect(result.output.isEmpty && result.error.contains("curl: ("), "\(result.output)\(result.error)")
    }

    @Test(.enabled(if: getuid() == 0, "only root can become somebody else"))
    func `an exec that serves keeps its places for its own user, and takes a request with a body for no WebSocket`()
        throws
    {
        let crowd = try authctl.file(
            "crowd.py",
            """
            import os, socket, sys, time
            os.setuid(65534)
            def connect(host, family):
                s = socket.socket(family)
                s.connect((host, int(sys.argv[1])))
                return s
            held = [connect("127.0.0.1", socket.AF_INET) for _ in range(150)]
            held += [connect("::ffff:127.0.0.1", socket.AF_INET6) for _ in range(150)]
            print("there", flush=True)
            time.sleep(60)
            """)
        let result = try serve(
            """
            base=${AUTHCTL_SERVE_URL%%/v1/}; root=${base%/*}
            exec 3< <(python3 \(crowd) ${root##*:}); read -r -u 3 line; echo $line; crowd=$!
            \(Self.curl) -m 20 "$AUTHCTL_SERVE_URL"me; echo; kill $crowd
            head -c 2000000 /dev/zero | \(Self.curl) -X GET -H 'Connection: Upgrade' -H 'Upgrade: websocket' \
                -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' --data-binary @- \
                "$AUTHCTL_SERVE_URL"count
            exit 7
            """)
        #expect(
            result.output == "there\n{\"name\":\"ann\"}\n2000000\n" && result.code == 7,
            "\(result.output)\(result.error)")
    }

    @Test func `an exec that serves refreshes a token that ends in the middle, once for fifty requests at a time`()
        throws
    {
        let before = try service.seen()
        let result = try serve(
            """
            curl -q -fsS "$AUTHCTL_SERVE_URL"me -o /dev/null && \(Self.curl) -X POST \(service.origin)/end
            seq 50 | xargs -P 50 -I{} \(Self.curl) -o /dev/null -w '%{http_code}\\n' \
                "$AUTHCTL_SERVE_URL"'slow?seconds=0.5' | sort | uniq -c
            \(Self.curl) -d body "$AUTHCTL_SERVE_URL"echo
            """)
        let lines = result.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines == ["50 200", "POST  body"], "\(result.error)")
        let after = try service.seen()
        #expect(after.refreshes == before.refreshes + 1)
        #expect(after.logins == before.logins)
        #expect(try authctl.run("whoami", "stream").code == 0, "what was renewed is stored")
    }

    @Test
    func
        `an exec that serves sends a body once more that it has kept, and refreshes for the next where it was too long`()
        throws
    {
        let result = try serve(
            """
            end() { \(Self.curl) -X POST \(service.origin)/end; }
            end; \(Self.curl) -d kept "$AUTHCTL_SERVE_URL"echo
            end; \(Self.curl) -T - "$AUTHCTL_SERVE_URL"echo <<< chunked
            end; head -c 3000000 /dev/zero | \(Self.curl) -o /dev/null -T - "$AUTHCTL_SERVE_URL"count
            head -c 3000000 /dev/zero | \(Self.curl) -T - "$AUTHCTL_SERVE_URL"count
            """)
        #expect(result.output == "POST  kept\nPUT  chunked\n\n3000000\n", "\(result.error)")
    }

    @Test func `an exec that serves passes long answers on, whole, in chunks, in part, and to nobody`() throws {
        let result = try serve(
            """
            get() { \(Self.curl) -o /dev/null -w '%{http_code} %{size_download} %{exitcode}\\n' "$AUTHCTL_SERVE_URL$1"; }
            get 'data?bytes=20000000'; get 'data?bytes=20000000&chunked'; get 'data?bytes=20000000&without=1'
            \(Self.curl) -I "$AUTHCTL_SERVE_URL"'data?bytes=20000000' | grep -ic 'content-length: 20000000'
            \(Self.curl) -N "$AUTHCTL_SERVE_URL"'data?bytes=1000000000000' 2>/dev/null | head -c 9000000 | wc -c
            """)
        #expect(
            result.output == "200 20000000 0\n200 20000000 0\n200 19999999 18\n1\n9000000\n",
            "\(result.output)\(result.error)")
        #expect(try eventually { try service.seen().open == 0 }, "what nobody reads any more is ended at the service")
    }

    @Test func `an exec that serves passes the refusal on where the session cannot be refreshed, and says why, once`()
        throws
    {
        let result = try serve(
            """
            \(Self.curl) -X POST '\(service.origin)/end?all=1'
            for i in 1 2 3; do \(Self.curl) -o /dev/null -w '%{http_code}\\n' "$AUTHCTL_SERVE_URL"me; done
            """)
        #expect(result.output == "401\n401\n401\n", "\(result.error)")
        #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
        #expect(result.error.contains("authctl login"), "\(result.error)")
    }

    @Test func `an exec that serves keeps the session from its command`() throws {
        let kept = try authctl.keptSecrets().flatMap(Witness.proofs)
        try #require(!kept.isEmpty)
        let result = try serve(
            """
            tr '\\0' '\\n' < /proc/$$/environ; tr '\\0' ' ' < /proc/$$/cmdline; ls -l /proc/$$/fd
            \(Self.curl) -i "$AUTHCTL_SERVE_URL"setting
            """)
        #expect(result.code == 0, "\(result.error)")
        try LeakSweep(secrets: kept).expectClean(["the command": result.output + result.error])
        let text = result.output.lowercased()
        #expect(text.contains("authctl_serve_url=http://127.0.0.1:") && text.contains("x-other: yes"))
        for absent in ["x-token", "set-cookie", "access-control", "socket:"] {
            #expect(!text.contains(absent), "\(absent)")
        }
        #expect(text.contains("link: <http://127.0.0.1:") && !text.contains("link: <\(service.origin)"))
    }

    @Test(.enabled(if: getuid() == 0, "only root can look into another process"))
    func `root finds nothing of the session in the memory of its command`() throws {
        let kept = try authctl.keptSecrets().flatMap(Witness.proofs)
        let run = try authctl.onTerminal(
            "exec", "-P", "stream", "--serve", "--", "bash", "-c",
            "\(Self.curl) \"$AUTHCTL_SERVE_URL\"me >&2; echo pid $$ >&2; read line")
        try run.pty.wait(for: "pid ")
        try run.pty.wait(for: "\n")
        let number = try #require(run.pty.text.split(separator: "pid ").last?.prefix { $0.isNumber })
        let image = try ProcessMemory.Image(of: try #require(Int32(number)))
        #expect(image.hits(try LeakSweep(secrets: kept)).isEmpty)
        #expect(!image.hits(try LeakSweep(secrets: ["AUTHCTL_SERVE_URL"])).isEmpty, "or nothing proves nothing")
        run.pty.type("\r")
        #expect(try run.end() == .exited(0))
    }

    @Test func `an exec that serves passes WebSockets and events, and refreshes before it opens one`() throws {
        let python = try #require(RealServer.packagesPython)
        let file = try authctl.file(
            "client.py",
            """
            import os
            from websockets.sync.client import connect
            with connect(os.environ["AUTHCTL_SERVE_URL"].replace("http:", "ws:") + "socket") as socket:
                for text in ["a", "b" * 300000]:
                    socket.send(text)
                    print(socket.recv() == "echo " + text)
            """)
        let result = try serve(
            """
            \(Self.curl) -X POST \(service.origin)/end; \(python) \(file)
            \(Self.curl) -N "$AUTHCTL_SERVE_URL"'events?number=3' | grep -c data
            \(Self.curl) -N -m 60 "$AUTHCTL_SERVE_URL"events | head -n 1
            """)
        #expect(result.output == "True\nTrue\n3\ndata: 0\n", "\(result.output)\(result.error)")
        #expect(try eventually { try service.seen().open == 0 }, "what nobody reads any more is ended at the service")
        #expect(try service.seen().refreshes == 1)
    }

    @Test func `an exec that serves passes on why a WebSocket is not opened`() throws {
        let ask = """
            \(Self.curl) -w ' %{http_code}\\n' -H 'Connection: Upgrade' -H 'Upgrade: websocket' \
                -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' "$AUTHCTL_SERVE_URL"
            """
        let result = try serve("\(ask)closed; \(ask)'closed?long=1' | wc -c; \(ask)nowhere | tail -c 5")
        #expect(result.output == "no room 409\n80005\n 403\n", "\(result.output)\(result.error)")
    }

    @Test(arguments: [SIGKILL, SIGTERM]) func `an exec that serves closes the port with authctl, however it ends`(
        number: Int32
    ) throws {
        let run = try authctl.onTerminal(
            "exec", "-P", "stream", "--serve", "--", "bash", "-c",
            "trap 'exit 9' TERM; echo \"at $AUTHCTL_SERVE_URL.\" >&2; while :; do sleep 0.05; done")
        try run.pty.wait(for: "at http")
        try run.pty.wait(for: "/v1/.")
        let address = try #require(run.pty.text.split(separator: "at ").last?.split(separator: "/v1/").first)
        #expect(try Curl("\(address)/v1/me").status == 200)
        let port = try #require(URLComponents(string: String(address))?.port), socket = try ListeningSocket(port: port)
        run.pty.child.send(signal: number)
        #expect(try run.end() == (number == SIGKILL ? .signalled(number) : .exited(9)))
        #expect(try socket.isClosed())
    }

    @Test func `an exec that serves ends with its command, whatever is still on its way`() throws {
        let result = try serve(
            """
            echo "$AUTHCTL_SERVE_URL"
            \(Self.curl) -N "$AUTHCTL_SERVE_URL"events >/dev/null 2>&1 &
            \(Self.curl) "$AUTHCTL_SERVE_URL"'slow?seconds=600' >/dev/null 2>&1 &
            for _ in $(seq 600); do \(Self.curl) \(service.origin)/seen | grep -q '"open":[1-9]' && break; sleep 0.1; done
            kill -TERM $$
            """)
        #expect(result.ending == .signalled(SIGTERM), "\(result.error)")
        let url = result.output.trimmingCharacters(in: .whitespacesAndNewlines)
        // The port may be somebody else's by now.
        #expect((try? Curl(url + "me").text)?.contains("ann") != true)
        #expect(try eventually { try service.seen().open == 0 })
    }

    @Test func `an exec that serves refreshes a session that no store has, and ends it with the command`() throws {
        let script = """
            \(Self.curl) -X POST \(service.origin)/end
            for i in 1 2; do \(Self.curl) "$AUTHCTL_SERVE_URL"me; done
            """
        let result = try authctl.run(
            [
                "exec", "-P", "stream", "--serve", "--ephemeral", "-u", "ann", "--password-stdin", "--", "bash", "-c",
                script,
            ],
            input: "correct horse\n")
        #expect(result.output == "{\"name\":\"ann\"}{\"name\":\"ann\"}", "\(result.error)")
        #expect(try service.seen().refreshes == 1)
    }

    @Test func `an exec that serves does not send the address to a proxy of its environment`() throws {
        let result = try serve(
            "curl -q -fsS \"$AUTHCTL_SERVE_URL\"me; echo $no_proxy",
            environment: ["http_proxy": "http://127.0.0.1:1", "no_proxy": "other.example"])
        #expect(result.output == "{\"name\":\"ann\"}other.example,127.0.0.1\n", "\(result.error)")
    }

    @Test(arguments: ["--env=TOKEN", "--fd=5", "--curl-config"])
    func `an exec that serves does not hand the session over as well: 102`(option: String) throws {
        #expect(try serve("touch ran", option).code == 102)
        #expect(!authctl.hasFile("ran"))
    }
}
