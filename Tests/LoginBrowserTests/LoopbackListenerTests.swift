import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// What comes to the loopback port, and what goes back.
@Suite(.onOwnThreads) struct LoopbackListenerTests {
    private static let right = "/callback?code=c0de&state=\(LoopbackScene.state)"
    private static let goodbye = "You can close this tab and return to the terminal."
    private static let answered = page("authctl: response received", goodbye)
    private static let denied = page("authctl: login denied", "The server denied the login. \(goodbye)")
    private static let refused = page("authctl: no login is waiting", "No login is waiting for this response.")

    private static func page(_ title: String, _ text: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <meta charset="utf-8">
        <title>\(title)</title>
        <p>\(text)</p>

        """
    }
    private static let fields = [
        "Content-Type: text/html; charset=utf-8", "Cache-Control: no-store",
        "Content-Security-Policy: default-src 'none'", "Referrer-Policy: no-referrer",
        "X-Content-Type-Options: nosniff", "Connection: close",
    ]

    /// Method, target, host (nothing for the right one), and what it is.
    private static let forgeries: [(String, String, String?, Forgery)] = [
        ("POST", right, nil, .method), ("HEAD", right, nil, .method), ("GET", right, "evil.example", .host),
        ("GET", "/other", nil, .path), ("GET", "/callback", nil, .parameters),
        ("GET", right + "&code=other", nil, .answer(.repeated("code"))),
        ("GET", right + "&error=access_denied", nil, .answer(.both)),
        ("GET", "/callback?code=c0de&state=another", nil, .state),
        ("GET", right + "&iss=https://evil.example", nil, .issuer),
    ]

    @Test func `nine forged answers get a fixed text and end nothing, then the right one does`() throws {
        let scene = try LoopbackScene()
        for (method, target, host, forgery) in Self.forgeries {
            let client = try scene.client()
            client.get(target, method: method, host: host ?? scene.host)
            #expect(scene.next() == .refused(forgery))
            let page = client.readAll()
            #expect(page.hasPrefix("HTTP/1.1 \(forgery.status) "))
            #expect(page.hasSuffix("\r\n\r\n" + (method == "HEAD" ? "" : Self.refused)))
            #expect(Self.fields.allSatisfy { page.contains("\r\n\($0)\r\n") })
            #expect(page.contains("\r\nAllow: GET\r\n") == (forgery == .method))
            #expect(!page.contains("c0de") && !page.contains("evil") && !page.contains(LoopbackScene.state))
        }
        let client = try scene.client()
        client.get(scene.right, host: scene.host)
        #expect(scene.next() == .right(code: Secret("c0de")))
        let moved = client.readAll(), browser = try scene.client()
        #expect(moved.hasPrefix("HTTP/1.1 303 See Other\r\n") && moved.contains("\r\nLocation: /done\r\n"))
        browser.get("/done", host: scene.host)
        scene.listener.serveDone(scene.judge) { false }
        scene.listener.close()
        let page = browser.readAll()
        #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n") && page.hasSuffix("\r\n\r\n" + Self.answered))
        #expect(Self.fields.allSatisfy { page.contains("\r\n\($0)\r\n") && moved.contains("\r\n\($0)\r\n") })
        #expect(page.contains("\r\nContent-Length: \(Self.answered.utf8.count)\r\n"))
        #expect(!moved.contains("c0de") && !moved.contains(LoopbackScene.state))
    }

    @Test func `after the right answer only the last page is served, and nobody is once it was seen`() throws {
        let scene = try LoopbackScene()
        let early = try scene.client()
        early.get("/done", host: scene.host)
        #expect(scene.next() == .refused(.path))
        let first = try scene.client()
        first.get(scene.right, host: scene.host)
        #expect(scene.next() == .right(code: Secret("c0de")))
        let again = try scene.client(), browser = try scene.client()
        again.get(scene.right, host: scene.host)
        browser.get("/done", host: scene.host)
        scene.listener.serveDone(scene.judge) { false }
        #expect(again.readAll().hasSuffix(Self.refused) && browser.readAll().hasSuffix(Self.answered))
        let socket = try ListeningSocket(port: scene.port)
        scene.listener.close()
        #expect(try socket.isClosed())
    }

    @Test func `a browser that does not come for the last page is waited for no longer than a moment`() throws {
        let scene = try LoopbackScene()
        var wasWaited = false
        scene.listener.serveDone(scene.judge) {
            wasWaited = true
            return false
        }
        #expect(!wasWaited, "nobody has brought a response")
        let client = try scene.client()
        client.get(scene.right, host: scene.host)
        #expect(scene.next() == .right(code: Secret("c0de")))
        scene.listener.serveDone(scene.judge) { true }
        let start = ContinuousClock.now
        scene.listener.serveDone(scene.judge) { false }
        #expect((2..<20).contains((ContinuousClock.now - start) / .seconds(1)))
    }

    @Test func `a released listener is closed`() throws {
        var listener: LoopbackListener? = try LoopbackListener(
            on: LoopbackRedirect(host: .ipv4, port: Int(FreePort.next()), path: "/callback"))
        let socket = try ListeningSocket(port: listener?.port.number ?? 0)
        listener = nil
        #expect(try socket.isClosed())
    }

    @Test func `a denial is an answer, too`() throws {
        let scene = try LoopbackScene()
        let client = try scene.client()
        client.get("/callback?error=access_denied&state=\(LoopbackScene.state)", host: scene.host)
        #expect(scene.next() == .denied(OAuthRefusal(.accessDenied, at: .authorization)))
        let browser = try scene.client()
        browser.get("/done", host: scene.host)
        scene.listener.serveDone(scene.judge) { false }
        #expect(client.readAll().hasPrefix("HTTP/1.1 303 ") && browser.readAll().hasSuffix(Self.denied))
    }

    @Test(arguments: [
        "\u{16}\u{3}\u{1}\u{2}", "GET /\r\n\r\n", "\r\n\r\n", "PRI * HTTP/2.0\r\n\r\n",
        "GET / HTTP/1.1\r\n folded\r\n\r\n",
        "GET " + String(repeating: "x", count: 17 << 10),
    ]) func `what is no request is malformed, and its sender is told`(text: String) throws {
        let scene = try LoopbackScene()
        let client = try scene.client()
        client.send(text)
        #expect(scene.next() == .refused(.malformed))
        let page = client.readAll()
        #expect(page.hasPrefix("HTTP/1.1 400 Bad Request\r\n") && page.hasSuffix(Self.refused))
    }

    @Test func `who is slow keeps nobody waiting, and is given up after five seconds`() throws {
        let scene = try LoopbackScene(patience: nil)
        let silent = try scene.client(), slow = try scene.client(), start = Date()
        slow.send("GET /callback?code=")
        #expect(scene.next(within: 0.3) == nil)
        let good = try scene.client()
        good.get("/other", host: scene.host)
        let first = scene.next()
        // Unless this thread stood still for so long that all three were there at once.
        #expect(first == .refused(.path) || Date().timeIntervalSince(start) >= 4.9)
        let all = [first, scene.next(), scene.next()]
        #expect(all.contains(.refused(.path)) && all.count { $0 == .refused(.malformed) } == 2)
        #expect(Date().timeIntervalSince(start) >= 4.9)
        #expect(silent.readAll().isEmpty)
        #expect(slow.readAll().hasPrefix("HTTP/1.1 400 "))
    }

    @Test func `eight are heard at once, the ninth when one of them is done`() throws {
        let scene = try LoopbackScene()
        let waiting = try (0..<8).map { _ in try scene.client() }
        #expect(scene.next(within: 0.2) == nil)
        #expect(scene.listener.descriptors.count == 8)
        let ninth = try scene.client()
        ninth.get(scene.right, host: scene.host)
        #expect(scene.next(within: 0.2) == nil)
        waiting[3].get("/other", host: scene.host)
        #expect(scene.next() == .refused(.path))
        _ = waiting[3].readAll()
        #expect(scene.next() == .right(code: Secret("c0de")))
    }

    @Test func `a hundred stray requests close nothing`() throws {
        let scene = try LoopbackScene()
        for _ in 0..<100 {
            let client = try scene.client()
            client.get("/other", host: scene.host)
            #expect(scene.next() == .refused(.path))
        }
        let late = try scene.client()
        late.get(scene.right, host: scene.host)
        #expect(scene.next() == .right(code: Secret("c0de")))
    }
}

/// A program that runs while the test goes on.
private final class Attack: @unchecked Sendable {
    private let lock = NSLock()
    private var said: String?

    init(_ spec: ChildSpec) {
        Thread.detachNewThread { [self] in
            let result = try? Command.run(spec)
            lock.withLock { said = result.map { $0.output + $0.error } ?? "not started" }
        }
    }

    /// Once it has ended.
    var output: String? { lock.withLock { said } }
}

/// Another user, who has read the state in the arguments of the browser.
@Suite(.onOwnThreads, .enabled(if: getuid() == 0, "only root can become somebody else"), RealServer.require("python3"))
struct ForeignResponseTests {
    private static let attack = """
        import os, socket, sys
        os.setgroups([]); os.setgid(65534); os.setuid(65534)
        host, port, target = sys.argv[1], int(sys.argv[2]), sys.argv[3]
        def connect():
            mapped = host == "127.0.0.1" and len(held) % 2
            s = socket.socket(socket.AF_INET6 if mapped or ":" in host else socket.AF_INET)
            s.settimeout(10)
            s.connect(("::ffff:127.0.0.1" if mapped else host, port))
            return s
        held = []
        for _ in range(100):
            held.append(connect())
            try:
                held[-1].sendall(f"GET {target} HTTP/1.1\\r\\nHost: {sys.argv[4]}\\r\\n\\r\\n".encode())
                if len(held) % 3 == 0:
                    held[-1].close()
            except OSError:
                pass
        told = 0
        for s in held:
            try:
                told += len(s.recv(100))
            except OSError:
                pass
        print("told", told)
        """

    @Test(arguments: [LoopbackRedirect.Host.ipv4, .ipv6])
    func `another user who knows state and address can neither finish nor end a login`(
        host: LoopbackRedirect.Host
    ) throws {
        let scene = try LoopbackScene(LoopbackRedirect(host: host, port: Int(FreePort.next()), path: "/callback"))
        let address = host == .ipv4 ? "127.0.0.1" : "::1", target = scene.right.replacing("c0de", with: "mallorys")
        let words = ["-c", Self.attack, address, "\(scene.port)", target, scene.host]
        // Nothing of theirs is an answer, however long it is waited for one.
        let attack = Attack(ChildSpec("/usr/bin/python3", words))
        while attack.output == nil { #expect(scene.next(within: 0.1) == nil) }
        #expect(attack.output == "told 0\n")
        let client = try scene.client(address)
        client.get(scene.right, host: scene.host)
        #expect(scene.next() == .right(code: Secret("c0de")))
    }
}

/// Which addresses and ports are listened on.
@Suite(.onOwnThreads) struct LoopbackPortTests {
    @Test func `only the loopback address of the redirect is listened on`() throws {
        let scene = try LoopbackScene()
        #expect(LoopbackClient(host: "127.0.0.2", port: scene.port) == nil)
        #expect(LoopbackClient(host: "::1", port: scene.port) == nil)
        #expect((1024...65535).contains(scene.port))
    }

    @Test func `a redirect with an IPv6 address is heard there`() throws {
        // None that another test has with IPv4.
        let scene = try LoopbackScene(LoopbackRedirect(host: .ipv6, port: Int(FreePort.next()), path: ""))
        #expect(LoopbackClient(host: "127.0.0.1", port: scene.port) == nil)
        let client = try scene.client("::1")
        client.get("/?code=c0de&state=\(LoopbackScene.state)", host: scene.host)
        #expect(scene.next() == .right(code: Secret("c0de")))
    }

    @Test(arguments: ["127.0.0.1", "::1"]) func `localhost is heard by both families`(address: String) throws {
        let scene = try LoopbackScene(LoopbackRedirect(host: .localhost, port: nil, path: "/callback"))
        let client = try scene.client(address)
        client.get(scene.right, host: scene.host)
        #expect(scene.next() == .right(code: Secret("c0de")))
    }

    /// In a network namespace of its own (user_namespaces(7)), where there is no IPv6.
    @Test func `localhost is heard where one family is missing`() throws {
        let script = """
            python3 -c 'import fcntl, socket, struct
            # SIOCSIFFLAGS, netdevice(7): lo is up.
            fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh14s", b"lo", 73, b""))' &&
            echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6 && echo ready &&
            exec '\(try BuiltProducts.path(of: "AuthorizationProbe"))' --no-person --seconds 1 --redirect http://localhost/
            """
        let home = try TemporaryHome()
        let run = try Command.run(
            ChildSpec("/usr/bin/unshare", ["-rn", "/bin/sh", "-c", script], environment: home.environment))
        // Not every machine lets everybody have one.
        guard run.output.hasPrefix("ready\n") else { return }
        #expect(run.output.contains(" open "), "\(run.output)\(run.error)")
        #expect(run.output.hasSuffix("nothing\n"))
    }

    @Test func `a fixed port that is taken is told`() throws {
        for (mine, other) in [("127.0.0.1", "127.0.0.1"), ("[::1]", "[::1]"), ("127.0.0.1", "localhost")] {
            // One that no other test draws once it is free.
            let own: LoopbackRedirect = try #require(LoopbackRedirect("http://\(mine):\(FreePort.next())/callback"))
            let first = try LoopbackScene(own)
            let redirect = try #require(LoopbackRedirect("http://\(other):\(first.port)/callback"))
            let second = try LoopbackListener(on: redirect)
            #expect(second.port == LoopbackPort(number: first.port, isOpen: false))
            #expect(second.descriptors.isEmpty)
            first.listener.close()
            #expect(try eventually { try LoopbackListener(on: redirect).port.isOpen })
        }
    }

    @Test func `a fixed port is free again right after a login`() throws {
        // None that another test could draw once it is free.
        let port = Int(try FreePort.next())
        for _ in 1...3 {
            let redirect = LoopbackRedirect(host: .ipv4, port: port, path: "/callback")
            var scene = try LoopbackScene(redirect)
            // A child of another test may hold a closed port for the moment between its fork and its exec.
            let isOpen = try eventually {
                if !scene.listener.port.isOpen { scene = try LoopbackScene(redirect) }
                return scene.listener.port.isOpen
            }
            #expect(isOpen)
            let client = try scene.client()
            client.get(scene.right, host: scene.host)
            #expect(scene.next() == .right(code: Secret("c0de")))
            scene.listener.close()
            _ = client.readAll()
        }
    }
}
