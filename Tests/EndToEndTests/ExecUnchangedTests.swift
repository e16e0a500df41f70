import Foundation
@testable import LoginTestSupport
import Testing

/// `exec --unchanged`: the command goes to the service's own URL, and never holds the session. The service has a name by the proxy of
/// the profile alone, so that whatever goes around authctl reaches nothing.
@Suite(.onOwnThreads, RealServer.requirePackage("starlette"), RealServer.require("openssl"))
struct `An exec of an unchanged command` {
    let service: StreamServer
    let named: NamedService
    let authctl: Installation

    static let url = "https://api.example.test/v1/"
    static let curl = "curl -q -sS"

    init() throws {
        service = try StreamServer()
        named = try NamedService(at: service.origin)
        let profile = service.profile.replacing(service.origin, with: NamedService.origin).replacing(
            "method = \"token\"",
            with: "method = \"token\"\n\(named.keys)\nserve = { placeholder = \"STREAM_TOKEN\" }")
        authctl = try Installation(
            config: profile + "\n" + service.profile.replacing("profiles.stream", with: "profiles.plain"))
        try authctl.logIn("stream")
    }

    func run(
        _ script: String, _ options: String..., environment: [String: String] = [:]
    ) throws -> CommandResult {
        try authctl.run(
            ["exec", "-P", "stream", "--unchanged"] + options + ["--", "bash", "-c", script], environment: environment,
            within: 120)
    }

    /// A client that speaks to the proxy by hand.
    func python(_ script: String, _ options: String...) throws -> CommandResult {
        let beginning = """
            import base64, os, re, socket, ssl, sys, time
            word, port = re.fullmatch(r"http://authctl:(\\w{32})@127.0.0.1:(\\d+)", os.environ["HTTPS_PROXY"]).groups()
            proof = "Proxy-Authorization: Basic " + base64.b64encode(f"authctl:{word}".encode()).decode() + "\\r\\n"
            def connect():
                s = socket.create_connection(("127.0.0.1", int(port)))
                s.settimeout(60)
                return s
            def read(s):
                all = b""
                try:
                    while piece := s.recv(4096):
                        all += piece
                except OSError:
                    pass
                return all.decode()
            def ask(first, fields=proof):
                s = connect()
                s.sendall((first + " HTTP/1.1\\r\\n" + fields + "\\r\\n").encode())
                return s
            def status(s):
                return s.recv(4096).decode()[9:12]
            def secure(name="api.example.test"):
                s = ask("CONNECT api.example.test:443")
                assert status(s) == "200"
                context = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])
                context.check_hostname = False
                return context.wrap_socket(s, server_hostname=name)
            def served(fields, name="api.example.test", target="/v1/me"):
                s = secure(name)
                s.sendall(f"GET {target} HTTP/1.1\\r\\n{fields}Connection: close\\r\\n\\r\\n".encode())
                return read(s)[9:12]

            """
        let file = try authctl.file("client.py", beginning + script)
        return try authctl.run(
            ["exec", "-P", "stream", "--unchanged"] + options + ["--", RealServer.packagesPython ?? "python3", file],
            within: 120)
    }

    @Test func `sends what its command sends to the service's own URL, with the session`() throws {
        let result = try run("curl -q -fsS \(Self.url)me; exit 7")
        #expect(result.code == 7 && result.output == "{\"name\":\"ann\"}" && result.error.isEmpty, "\(result.error)")
        let other = try run(
            """
            \(Self.curl) -X PATCH -d 'a=b' -H 'Authorization: Basic eDp5' '\(Self.url)echo?c=%2F&d'
            \(Self.curl) -I \(Self.url)me | head -n 1
            \(Self.curl) -T - -X PUT \(Self.url)echo <<< piped
            head -c 3000000 /dev/zero | \(Self.curl) -H 'Expect: 100-continue' --data-binary @- \(Self.url)count
            \(Self.curl) -o /dev/null -w '%{http_code} %{redirect_url}\\n' '\(Self.url)away?to=/v1/me'
            \(Self.curl) -D - -o /dev/null \(Self.url)setting | grep -ciE 'set-cookie|x-token'
            \(Self.curl) -o /dev/null -o /dev/null -w '%{num_connects}\\n' \(Self.url)me \(Self.url)me
            echo $AUTHCTL_ORIGIN $STREAM_TOKEN $OTHER ${AUTHCTL_SERVE_URL-none}
            """, "--placeholder", "OTHER=word")
        let lines = other.output.split(whereSeparator: \.isNewline).map(String.init)
        #expect(
            lines == [
                "PATCH c=%2F&d a=b", "HTTP/1.1 200 OK", "PUT  piped", "3000000", "302 \(Self.url)me", "0", "1", "0",
                "https://api.example.test placeholder word none",
            ], "\(other.output)\(other.error)")
        #expect(!named.proxy.talk.contains("Proxy-Authorization"), "the password of the run goes nowhere")
    }

    @Test func `streams both ways, and speaks WebSocket`() throws {
        let result = try python(
            """
            from websockets.sync.client import connect as websocket
            tls = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])
            s = ask("CONNECT api.example.test:443")
            assert status(s) == "200"
            with websocket("wss://api.example.test/v1/socket", sock=s, ssl=tls) as client:
                client.send("x" * 100000)
                print(len(client.recv()))
            s = secure()
            s.sendall(b"GET /v1/events?number=3 HTTP/1.1\\r\\nHost: api.example.test\\r\\nConnection: close\\r\\n\\r\\n")
            begin = time.monotonic(); s.recv(4096); first = time.monotonic() - begin; read(s)
            print(first < time.monotonic() - begin)
            s = secure()
            s.sendall(b"GET /v1/data?bytes=20000000 HTTP/1.1\\r\\nHost: api.example.test\\r\\nConnection: close\\r\\n\\r\\n")
            total = 0
            while piece := s.recv(65536):
                total += len(piece)
            print(total > 20000000)
            """)
        #expect(result.output == "100005\nTrue\nTrue\n" && result.code == 0, "\(result.output)\(result.error)")
        #expect(try eventuallyNone(), "no stream is left open")
    }

    private func eventuallyNone() throws -> Bool {
        for _ in 0..<100 {
            if try service.seen().open == 0 { return true }
            usleep(100_000)
        }
        return false
    }

    @Test func `turns everything else away, and nothing of that reaches the service`() throws {
        let before = try service.seen(), talk = named.proxy.talk
        let result = try python(
            """
            host = "Host: api.example.test\\r\\n"
            print(served(host), served("Host: other.example.test\\r\\n"), served(host, name="other.example.test"))
            print(served(host + "Origin: https://evil.example\\r\\n"), served(host + "Sec-Fetch-Site: cross-site\\r\\n"))
            print(served(host, target="/v1/../v1/me"), served(host, target="https://other.example.test/v1/me"))
            for fields in ("", proof.replace("Basic ", "Basic x"), proof + proof):
                print(status(ask("CONNECT api.example.test:443", fields)), status(ask("GET https://api.example.test/v1/me", host + fields)))
            print(status(ask("GET https://api.example.test/v1/me", host + proof)))
            print(status(ask("GET /v1/me")), status(ask("GET /v1/me", host + proof)), status(ask("GET https://other.example.test/", host + proof)))
            for place in ("127.0.0.1:%s" % port, "localhost:80", "[::1]:80", "[::ffff:127.0.0.1]:80", "0.0.0.0:80", "2130706433:80", "0x7f.1:80",
                          "169.254.169.254:80", "[fd00:ec2::254]:80", "100.100.100.200:80", "[64:ff9b::a9fe:a9fe]:80", "a.localhost:80"):
                print(place, status(ask("CONNECT " + place)))
            print(status(ask("GET http://127.0.0.1:%s/" % port)))
            s = connect()
            s.sendall(("CONNECT api.example.test:443 HTTP/1.1\\r\\n" + proof + "\\r\\nGET / HTTP/1.1\\r\\n\\r\\n").encode())
            print(repr(read(s)))
            s = connect()
            for byte in "CONNECT api.example.test:443 HTTP/1.1\\r\\n" + proof + "\\r\\n":
                s.send(byte.encode())
            print(status(s))
            print(status(ask("CONNECT api.example.test:443", proof + "X: " + "y" * 20000 + "\\r\\n")))
            print(status(ask("CONNECT api.example.test:443", proof + "X: y\\r\\n z\\r\\n")))
            """)
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.prefix(3) == ["200 421 421", "403 403", "400 421"], "\(result.output)\(result.error)")
        #expect(lines.dropFirst(3).prefix(5) == ["407 407", "407 407", "407 407", "200", "403 403 403"], "\(lines)")
        #expect(lines.dropFirst(8).prefix(12).allSatisfy { $0.hasSuffix(" 403") }, "\(lines)")
        #expect(lines.dropFirst(20) == ["403", "''", "200", "431", "400"], "\(lines)")
        let after = try service.seen()
        // The login is verified before the command runs, and two requests are let in.
        #expect(after.answered == before.answered + 3 && after.refused == before.refused)
        #expect(!named.proxy.talk.dropFirst(talk.count).contains("other.example.test"))
    }

    @Test func `serves again, and ends, after more connections than it takes at once`() throws {
        let result = try python(
            """
            for _ in range(3):
                idle = []
                for _ in range(300):
                    try:
                        s = ask("CONNECT api.example.test:443")
                        status(s)
                        idle.append(s)
                    except OSError:
                        pass
                for s in idle:
                    s.close()
                time.sleep(2)
                print(len(idle) > 200, served("Host: api.example.test\\r\\n"))
            """)
        #expect(result.output == "True 200\nTrue 200\nTrue 200\n", "\(result.output)\(result.error)")
        #expect(result.code == 0)
    }

    @Test(.enabled(if: getuid() == 0, "only root can become somebody else"))
    func `listens to no other user, although they know the password`() throws {
        let result = try run("setpriv --reuid 65534 --clear-groups \(Self.curl) -k \(Self.url)me && echo let in")
        #expect(result.output.isEmpty && result.error.contains("curl: ("), "\(result.output)\(result.error)")
    }

    @Test func `leads to other hosts by the proxy of the environment, without the login`() throws {
        let plain = try ConnectProxy(to: #require(Int(service.origin.split(separator: ":").last ?? "")))
        let environment = ["https_proxy": named.proxy.url, "http_proxy": plain.url]
        let script = """
            \(Self.curl) --cacert \(named.certificate) -w ' %{http_code}\\n' https://other.example.test/v1/me
            \(Self.curl) -o /dev/null -w '%{http_code}\\n' https://other.example.test/v1/me || echo not signed
            \(Self.curl) -H 'X-Own: 1' -o /dev/null -w '%{http_code}\\n' http://plain.example.test/seen
            \(Self.curl) -H 'Transfer-Encoding: chunked' -d abc -w ' %{http_code}\\n' http://plain.example.test/v1/echo
            \(Self.curl) \(Self.url)me
            """
        let result = try run(script, environment: environment)
        #expect(
            result.output
                == "{\"error\":\"no\"} 401\n000\nnot signed\n200\n{\"error\":\"no\"} 401\n{\"name\":\"ann\"}",
            "\(result.output)\(result.error)")
        #expect(plain.talk.contains("GET /seen HTTP/1.1\r\nHost: plain.example.test\r\n"), "\(plain.talk)")
        #expect(!(plain.talk + named.proxy.talk).contains("Proxy-Authorization"))
        let refused = try run(script, "--others", "refuse", environment: environment)
        #expect(
            refused.output.hasSuffix(
                "403\nauthctl: plain.example.test is no other host, or other hosts are refused\n 403\n{\"name\":\"ann\"}"
            ),
            "\(refused.output)\(refused.error)")
        #expect(!refused.output.contains("401"))
    }

    @Test func `keeps to rules, and logs what is sent`() throws {
        let result = try run(
            """
            \(Self.curl) \(Self.url)me; echo
            \(Self.curl) -d x \(Self.url)echo
            \(Self.curl) -o /dev/null -w '\\n%{http_code}\\n' \(Self.url)root
            sleep 1; cat log.jsonl | grep -c '"status"'
            """, "--allow", "GET /v1/me", "--log", "log.jsonl")
        let lines = result.output.split(separator: "\n")
        #expect(lines.first == "{\"name\":\"ann\"}" && lines.last == "3" && lines.contains("403"), "\(result.output)")
        #expect(result.output.contains("\"code\":\"not-allowed\",") && result.output.contains("\"path\":\"/v1/echo\""))
        #expect(!result.output.contains("POST  x"))
    }

    @Test func `refreshes a token that has ended, once for all`() throws {
        let before = try service.seen()
        let result = try run(
            """
            \(Self.curl) -X POST \(service.origin)/end
            seq 20 | xargs -P 20 -I{} \(Self.curl) -o /dev/null -w '%{http_code}\\n' \(Self.url)slow?seconds=0.5 | sort | uniq -c
            """)
        #expect(
            result.output.trimmingCharacters(in: .whitespacesAndNewlines) == "20 200", "\(result.output)\(result.error)"
        )
        #expect(try service.seen().refreshes == before.refreshes + 1)
        let ended = try run("sleep 3; \(Self.curl) -o /dev/null -w '%{http_code}' \(Self.url)me", "--for", "1s")
        #expect(ended.output == "410", "\(ended.output)\(ended.error)")
    }

    @Test func `has its files in a folder that goes with the run, or with the next one`() throws {
        let show = "dirname \"$SSL_CERT_FILE\""
        let first = try run("f=$(\(show)); stat -c %a $f; grep -rlE 'PRIVATE KEY' $f; echo $f")
        let lines = first.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 2 && lines.first == "700", "\(first.output)\(first.error)")
        #expect(!FileManager.default.fileExists(atPath: try #require(lines.last)))
        let killed = try run("\(show); kill -KILL $PPID")
        let left = killed.output.trimmingCharacters(in: .newlines)
        #expect(FileManager.default.fileExists(atPath: left), "\(killed.output)\(killed.error)")
        #expect(try run("\(Self.curl) \(Self.url)me").output == "{\"name\":\"ann\"}")
        #expect(!FileManager.default.fileExists(atPath: left))
    }

    /// Each eight bytes of memory are tried as the beginning of a private number, in both orders.
    @Test(Thoroughness.isNeeded, .enabled(if: getuid() == 0, "only root reads its memory"))
    func `the key of its authority is nowhere in memory, where the search finds that of its certificate`() throws {
        let result = try python(
            """
            import glob
            from cryptography import x509
            from cryptography.hazmat.primitives.asymmetric import ec
            number = lambda certificate: certificate.public_key().public_numbers().x
            folder = os.path.dirname(os.environ["SSL_CERT_FILE"])
            with open(glob.glob(folder + "/certs/*.0")[0], "rb") as file:
                authority = number(x509.load_pem_x509_certificate(file.read()))
            connection = secure()
            served = number(x509.load_der_x509_certificate(connection.getpeercert(True)))
            found, memory = set(), open(f"/proc/{os.getppid()}/mem", "rb", 0)
            for line in open(f"/proc/{os.getppid()}/maps"):
                start, end = (int(part, 16) for part in line.split()[0].split("-"))
                if "w" not in line.split()[1] or end - start > 64 << 20:
                    continue
                try:
                    memory.seek(start)
                    all = memory.read(end - start)
                except OSError:
                    continue
                for place in range(0, len(all) - 31, 8):
                    piece = all[place:place + 32]
                    if len(set(piece)) < 24:
                        continue
                    for order in ("little", "big"):
                        try:
                            key = ec.derive_private_key(int.from_bytes(piece, order), ec.SECP256R1())
                        except ValueError:
                            continue
                        found.add(key.public_key().public_numbers().x)
            print(authority in found, served in found, len(found) > 100)
            """)
        #expect(result.output == "False True True\n", "\(result.output)\(result.error)")
    }

    @Test func `says why nothing has come`() throws {
        let idle = try run("true")
        #expect(
            idle.code == 0 && idle.error.contains("bash sent no request to https://api.example.test"), "\(idle.error)")
        let distrusted = try run("\(Self.curl) --cacert \(named.certificate) \(Self.url)me")
        #expect(distrusted.error.contains("bash did not accept the certificate of this run"), "\(distrusted.error)")
        let silent = try python("secure().close()")
        #expect(silent.error.contains("connected, and sent no request; it may not accept"), "\(silent.error)")
        let unproved = try run("\(Self.curl) -x http://127.0.0.1:${HTTPS_PROXY##*:} \(Self.url)me")
        #expect(unproved.error.contains("--no-proxy-password"), "\(unproved.error)")
        let free = try run("\(Self.curl) -x http://127.0.0.1:${HTTPS_PROXY##*:} \(Self.url)me", "--no-proxy-password")
        #expect(
            free.output == "{\"name\":\"ann\"}" && free.error.contains("every program of this user"), "\(free.error)")
    }

    @Test func `is refused where a command cannot be led to the service`() throws {
        let result = try authctl.run("exec", "-P", "plain", "--unchanged", "--", "true")
        #expect(result.code == 102 && result.error.contains("--serve"), "\(result.error)")
        let both = try authctl.run("exec", "-P", "stream", "--unchanged", "--serve", "--", "true")
        #expect(both.code == 102 && both.error.contains("choose one"), "\(both.error)")
    }

    @Test func `serves programs that know nothing of it, by the variables alone`() throws {
        let result = try run(
            """
            wget -qO- \(Self.url)me; echo
            python3 -c 'import urllib.request as u; print(u.urlopen("\(Self.url)me").read().decode())'
            git ls-remote \(Self.url)me 2>&1
            """)
        let lines = result.output.split(separator: "\n")
        #expect(lines.prefix(2) == ["{\"name\":\"ann\"}", "{\"name\":\"ann\"}"], "\(result.output)")
        // It has come as far as the service, which has no such page.
        #expect(lines.last?.hasSuffix(" not found") == true, "\(result.output)")
    }

    @Test(Thoroughness.isNeeded, RealServer.require("java")) func `serves Java's HttpClient without a password`() throws
    {
        let file = try authctl.file(
            "Client.java",
            """
            import java.net.URI;
            import java.net.http.*;
            public class Client {
                public static void main(String[] words) throws Exception {
                    var request = HttpRequest.newBuilder(URI.create("\(Self.url)me")).build();
                    System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
                }
            }
            """)
        let result = try run("java \(file)", "--no-proxy-password")
        #expect(result.output == "{\"name\":\"ann\"}\n", "\(result.error)")
    }
}
