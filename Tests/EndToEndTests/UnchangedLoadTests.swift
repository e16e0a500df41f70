@testable import LoginTestSupport
import Testing

// What a run bears: clients that hang, and many of them.
extension `An exec of an unchanged command` {
    @Test func `ends a connection that does not say what it wants, and serves others meanwhile`() throws {
        let result = try python(
            """
            host = "Host: api.example.test\\r\\n"
            halves = [connect() for _ in range(20)]
            for s in halves:
                s.sendall(b"CONNECT api.exam")
            handshakes = [ask("CONNECT api.example.test:443") for _ in range(20)]
            print(all(status(s) == "200" for s in handshakes), served(host))
            for s in halves + handshakes:
                s.settimeout(100)
            print(sum(len(read(s)) for s in halves), sum(len(read(s)) for s in handshakes), served(host))
            """)
        #expect(result.output == "True 200\n0 0 200\n", "\(result.output)\(result.error)")
        #expect(!result.error.contains("did not accept the certificate"), "nobody has seen it: \(result.error)")
    }

    @Test func `has room for those that speak, however many say nothing`() throws {
        let result = try python(
            """
            silent = []
            for number in range(10):
                silent += [connect() for _ in range(60)]
                print(served("Host: api.example.test\\r\\n"), end=" ")
            """)
        #expect(result.output == String(repeating: "200 ", count: 10), "\(result.output)\(result.error)")
    }

    @Test func `serves two hundred connections at once`() throws {
        let result = try python(
            """
            from concurrent.futures import ThreadPoolExecutor
            request = b"HEAD /v1/me HTTP/1.1\\r\\nHost: api.example.test\\r\\n\\r\\n"
            tls = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])
            def send(s):
                s.sendall(request)
                return s.recv(4096)[9:12] == b"200"
            # Who says nothing for ten seconds is sent away.
            def begin(_):
                s = ask("CONNECT api.example.test:443")
                assert status(s) == "200"
                s = tls.wrap_socket(s, server_hostname="api.example.test")
                assert send(s)
                return s
            with ThreadPoolExecutor(16) as pool:
                clients = list(pool.map(begin, range(200)))
            print(sum(send(s) for s in clients))
            """)
        #expect(result.output == "200\n", "\(result.output)\(result.error)")
    }

    @Test(Thoroughness.isNeeded) func `has nothing left of ten thousand connections`() throws {
        let result = try python(
            """
            host, process = "Host: api.example.test\\r\\n", f"/proc/{os.getppid()}/"
            def resident():
                return int(re.search(r"VmRSS:\\s+(\\d+)", open(process + "status").read())[1])
            def settled(most):
                for _ in range(100):
                    if len(os.listdir(process + "fd")) <= most and len(os.listdir(process + "task")) <= most:
                        return True
                    time.sleep(0.1)
            for _ in range(50):
                served(host)
            before, descriptors = resident(), len(os.listdir(process + "fd"))
            for number in range(10000):
                s = ask("CONNECT api.example.test:443")
                if number % 100 == 0:
                    assert status(s) == "200", number
                s.close()
            print(served(host), settled(descriptors + 10), resident() - before < 20000)
            """)
        #expect(result.output == "200 True True\n", "\(result.output)\(result.error)")
    }
}
