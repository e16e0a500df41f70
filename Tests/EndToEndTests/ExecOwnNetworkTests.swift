import Foundation
@testable import LoginTestSupport
import Testing

/// `exec --unchanged --own-network`: all that the command connects to is authctl. Beside that the service has a name by the proxy of
/// the profile alone.
@Suite(.onOwnThreads, RealServer.requirePackage("starlette"), RealServer.require("openssl"), mayUnshare)
struct `A command in a network of its own` {
    let service: StreamServer
    let named: NamedService
    let authctl: Installation

    private static let url = "https://api.example.test/v1/"
    private static let curl = "curl -q -sS"
    private static let name = "{\"name\":\"ann\"}"

    init() throws {
        service = try StreamServer()
        named = try NamedService(at: service.origin)
        let profile = service.profile.replacing(service.origin, with: NamedService.origin).replacing(
            "method = \"token\"",
            with: "method = \"token\"\n\(named.keys)")
        let plain = service.profile.replacing("profiles.stream", with: "profiles.plain")
        authctl = try Installation(
            config: profile + "\n" + plain.replacing("http://127.0.0.1", with: "http://localhost") + "\n"
                + plain.replacing("profiles.plain", with: "profiles.address"))
        try authctl.logIn("stream")
    }

    private func run(
        _ script: String, _ options: String..., profile: String = "stream", environment: [String: String] = [:]
    ) throws -> CommandResult {
        try authctl.run(
            ["exec", "-P", profile, "--unchanged", "--own-network"] + options + ["--", "bash", "-c", script],
            environment: environment, within: 120)
    }

    private func python(_ script: String, _ options: String..., profile: String = "stream") throws -> CommandResult {
        let file = try authctl.file("client.py", "import os, socket, ssl, struct, sys\n" + script)
        return try authctl.run(
            ["exec", "-P", profile, "--unchanged", "--own-network"] + options + ["--", "python3", file], within: 120)
    }

    @Test func `reaches the service with the session, by whatever program, and without a proxy`() throws {
        let result = try run(
            """
            \(Self.curl) \(Self.url)me; echo
            wget -qO- \(Self.url)me; echo
            python3 -c 'import urllib.request as u; print(u.urlopen("\(Self.url)me").read().decode())'
            head -c 3000000 /dev/zero | \(Self.curl) --data-binary @- \(Self.url)count; echo
            \(Self.curl) -o /dev/null -o /dev/null -w '%{num_connects}\\n' \(Self.url)me \(Self.url)me
            git ls-remote \(Self.url)me 2>&1 | tail -n 1
            echo ${https_proxy-none} $(id -u) ${PWD##*/}
            exit 7
            """, environment: ["https_proxy": "http://127.0.0.1:9"])
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.prefix(6) == [Self.name, Self.name, Self.name, "3000000", "1", "0"], "\(result.output)")
        // It has come as far as the service, which has no such page.
        #expect(lines.dropFirst(6).first?.hasSuffix(" not found") == true, "\(result.output)\(result.error)")
        #expect(lines.last == "none \(getuid()) \(authctl.folder.split(separator: "/").last ?? "")", "\(lines)")
        #expect(result.code == 7, "\(result.error)")
    }

    @Test func `reaches it by TLS alone, and takes the authority out of the system's files`() throws {
        let result = try python(
            """
            context = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])
            s = context.wrap_socket(socket.create_connection(("api.example.test", 443)), server_hostname="api.example.test")
            s.sendall(b"GET /v1/me HTTP/1.1\\r\\nHost: api.example.test\\r\\nConnection: close\\r\\n\\r\\n")
            answer = b""
            while piece := s.recv(4096):
                answer += piece
            print(answer.split(b"\\r\\n\\r\\n", 1)[1].decode())
            """)
        #expect(result.output == Self.name + "\n", "\(result.output)\(result.error)")
        let file = "/etc/ssl/certs/ca-certificates.crt"
        guard FileManager.default.fileExists(atPath: file) else { return }
        let cleared = try run("env -i PATH=\"$PATH\" \(Self.curl) --cacert \(file) \(Self.url)me")
        #expect(cleared.output == Self.name, "\(cleared.output)\(cleared.error)")
    }

    @Test func `reaches other hosts as they are, unless they are refused`() throws {
        let environment = ["https_proxy": named.proxy.url]
        let script = """
            \(Self.curl) --cacert \(named.certificate) -w ' %{http_code}\\n' https://other.example.test/v1/me
            \(Self.curl) -o /dev/null https://other.example.test/v1/me || echo not signed
            \(Self.curl) \(Self.url)me
            """
        let result = try run(script, "--others", "all", environment: environment)
        #expect(result.output == "{\"error\":\"no\"} 401\nnot signed\n\(Self.name)", "\(result.output)\(result.error)")
        let talk = named.proxy.talk
        // Nobody here can tell where the proxy would lead to.
        #expect(try run(script, environment: environment).output == " 000\nnot signed\n\(Self.name)")
        let refused = try run(script, "--others", "refuse", environment: environment)
        #expect(refused.output == " 000\nnot signed\n\(Self.name)", "\(refused.output)\(refused.error)")
        #expect(refused.error.contains("alert"), "\(refused.error)")
        #expect(!named.proxy.talk.dropFirst(talk.count).contains("other.example.test"))
    }

    @Test func `has nothing else within reach: no machine, no number, no other port`() throws {
        let port = try #require(service.origin.split(separator: ":").last)
        let before = try service.seen()
        let result = try python(
            """
            def reach(host, port, name=None):
                try:
                    s = socket.create_connection((host, port), 20)
                    if name is None:
                        s.sendall(b"GET / HTTP/1.1\\r\\n\\r\\n")
                        return s.recv(100)
                    context = ssl.create_default_context()
                    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
                    context.wrap_socket(s, server_hostname=name)
                    return "reached"
                except OSError as error:
                    return type(error).__name__
            print(reach("127.0.0.1", \(port)), reach("localhost", \(port)), reach("198.18.0.1", \(port)))
            print(reach("1.1.1.1", 443), reach("169.254.169.254", 80), reach("api.example.test", 80))
            print(reach("api.example.test", 443))
            for name in ("localhost", "a.localhost", "127.0.0.1.", "2130706433", "0x7f.1"):
                print(reach("api.example.test", 443, name))
            """)
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "ConnectionRefusedError ConnectionRefusedError ConnectionRefusedError", "\(lines)")
        #expect(lines.dropFirst().first == "OSError OSError ConnectionRefusedError", "\(lines)")
        #expect(lines.count == 8 && !lines.contains("reached") && lines[2] != "reached", "\(lines)\(result.error)")
        let after = try service.seen()
        #expect(after.answered == before.answered + 1, "the login is verified, and nothing else has come")
    }

    @Test func `finds every name at one address, whatever else its resolver is asked`() throws {
        let result = try python(
            """
            print(sorted({a[4][0] for a in socket.getaddrinfo("some.name.example", 443, flags=socket.AI_ADDRCONFIG)}))
            question = b"\\x03any\\x04name\\x00"
            head = struct.pack(">6H", 7, 0x100, 1, 0, 0, 0)
            u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            u.settimeout(20)
            for bad in (b"", b"x", head, head + b"\\xc0\\x0c", head + b"\\x3f", b"\\xff" * 1400):
                u.sendto(bad, ("127.0.0.1", 53))
            u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            u.settimeout(20)
            u.sendto(head + question + struct.pack(">2H", 28, 1), ("127.0.0.1", 53))
            print(struct.unpack(">6H", u.recv(500)[:12])[1:4])
            t = socket.create_connection(("127.0.0.1", 53))
            t.settimeout(20)
            query = head + question + struct.pack(">2H", 1, 1)
            message = struct.pack(">H", len(query)) + query
            t.sendall(message[:5])
            t.sendall(message[5:] + message)
            answers = b""
            while len(answers) < 2 * (len(message) + 16):
                answers += t.recv(500)
            print(answers.count(bytes([198, 18, 0, 1])))
            print(open("/etc/resolv.conf").read() if os.path.exists("/etc/resolv.conf") else "nameserver 127.0.0.1")
            """)
        #expect(
            result.output.trimmingCharacters(in: .newlines)
                == "['198.18.0.1']\n(34176, 1, 0)\n2\nnameserver 127.0.0.1", "\(result.output)\(result.error)")
        #expect(result.error.contains("python3 sent no request to https://api.example.test through this login\n"))
    }

    @Test func `may be for a service on this machine, without TLS`() throws {
        try authctl.logIn("plain")
        let origin = service.origin.replacing("127.0.0.1", with: "localhost")
        let result = try run(
            """
            \(Self.curl) \(origin)/v1/me; echo
            \(Self.curl) -X PATCH -d a=b '\(origin)/v1/echo?c'
            \(Self.curl) -o /dev/null -w '%{http_code}\\n' -H 'Host: other.example.test' \(origin)/v1/me
            """, "--allow", "GET,PATCH /**", profile: "plain")
        #expect(result.output == "\(Self.name)\nPATCH c a=b\n421\n", "\(result.output)\(result.error)")
        let address = try run("true", profile: "address")
        #expect(address.code == 102 && address.error.contains("its origin is an address"), "\(address.error)")
    }

    @Test func `is left to its terminal and its signals`() throws {
        let words = ["exec", "-P", "stream", "--unchanged", "--own-network", "--", "bash", "-c"]
        let loop = "echo ready >&2; while :; do sleep 0.05; done"
        let catching = try authctl.onTerminal(words + ["trap 'echo caught >&2; exit 9' INT; \(loop)"])
        try catching.pty.wait(for: "ready").type("\u{3}")
        try catching.pty.wait(for: "caught")
        #expect(try catching.end() == .exited(9))
        // A shell that is between two commands may take it for one of them.
        let dying = try authctl.onTerminal(words + ["echo ready >&2; exec sleep 100"])
        try dying.pty.wait(for: "ready").type("\u{3}")
        #expect(try dying.end() == .signalled(SIGINT))
        #expect(try run("env kill -TERM $PPID; \(loop)").ending == .signalled(SIGTERM))
    }

    /// By a proxy, whose answers tell a host that is refused from one that is not there.
    @Test func `reaches no private address where others are public, once a name is resolved`() throws {
        let hosts = try authctl.file(
            "hosts", "10.1.2.3 v4.example.test\nfd00::7 v6.example.test\n169.254.169.254 cloud.example.test\n")
        let script = """
            for name in v4 v6 cloud none; do
                echo $name $(\(Self.curl) -o /dev/null -w '%{http_connect}' https://$name.example.test/ 2> /dev/null) \\
                    $(\(Self.curl) -o /dev/null -w '%{http_code}' http://$name.example.test/)
            done
            """
        var spec = authctl.spec(
            ["-Urm", "sh", "-c", "mount --bind \"$0\" /etc/hosts && exec \"$@\"", hosts, authctl.program]
                + ["exec", "-P", "stream", "--unchanged", "--others", "public", "--", "bash", "-c", script], [:])
        spec.path = try #require(RealServer.path(of: "unshare"))
        let result = try Command.run(spec, within: 120)
        #expect(
            result.output == "v4 403 403\nv6 403 403\ncloud 403 403\nnone 502 502\n", "\(result.output)\(result.error)")
    }

    @Test func `never runs where the system forbids it, with the reason`() throws {
        let script = "echo 0 > /proc/sys/user/max_user_namespaces; exec \"$@\""
        var spec = authctl.spec(
            ["-Ur", "sh", "-c", script, "sh", authctl.program, "exec", "-P", "stream", "--unchanged", "--own-network"]
                + ["--", "touch", "ran"], [:])
        spec.path = try #require(RealServer.path(of: "unshare"))
        let result = try Command.run(spec)
        #expect(result.code == 102 && !authctl.hasFile("ran"), "\(result.output)\(result.error)")
        #expect(result.error.contains("--own-network does not work here"), "\(result.error)")
        #expect(result.error.contains("(user.max_user_namespaces is 0)"), "\(result.error)")
    }
}

/// Containers and some systems let nobody have a network of their own.
private let mayUnshare = ConditionTrait.enabled(
    if: (try? Command.tool("unshare", ["-Urn", "--mount", "true"]))?.code == 0, "namespaces are forbidden here")
