import Foundation
import LoginCore
import LoginTestSupport
import Secrets
import Testing

@testable import LoginBrowser

/// What comes to the loopback port, and what goes back.
@Suite(.onOwnThreads) struct LoopbackListenerTests {
    private static let right = "/callback?code=c0de&state=\(LoopbackScene.state)"
    private static let answered = "authctl has the answer. Go back to the terminal.\n"
    private static let refused = "This is not the answer to a login that is under way.\n"
    private static let fields = [
        "Content-Type: text/plain; charset=utf-8", "Cache-Control: no-store",
        "Content-Security-Policy: default-src 'none'", "Referrer-Policy: no-referrer",
        "X-Content-Type-Options: nosniff", "Connection: close",
    ]

    /// Method, target, host (nothing for the right one), and what it is.
    private static let forgeries: [(String, String, String?, Forgery)] = [
        ("POST", right, nil, .method), ("HEAD", right, nil, .method), ("GET", right, "evil.example", .host),
        ("GET", "/other", nil, .path), ("GET", "/callback", nil, .parameters),
        ("GET", right + "&code=other", nil, .parameters), ("GET", right + "&error=access_denied", nil, .parameters),
        ("GET", "/callback?code=c0de&state=another", nil, .state),
        ("GET", right + "&iss=https://evil.example", nil, .issuer),
    ]

    @Test func `O1 nine forged answers get a fixed text and end nothing, then the right one does`() throws {
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
        scene.listener.close()
        let page = client.readAll()
        #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n") && page.hasSuffix("\r\n\r\n" + Self.answered))
        #expect(Self.fields.allSatisfy { page.contains("\r\n\($0)\r\n") })
        #expect(page.contains("\r\nContent-Length: \(Self.answered.utf8.count)\r\n"))
    }

    @Test func `after the right answer nobody is listened to`() throws {
        let scene = try LoopbackScene()
        let first = try scene.client()
        first.get(scene.right, host: scene.host)
        #expect(scene.next() == .right(code: Secret("c0de")))
        #expect(LoopbackClient(port: scene.port) == nil)
        let other = try LoopbackScene()
        let port = other.port
        other.listener.close()
        #expect(LoopbackClient(port: port) == nil)
    }

    @Test func `a released listener is closed`() throws {
        var listener: LoopbackListener? = try LoopbackListener(
            on: LoopbackRedirect(host: .ipv4, port: Int(FreePort.next()), path: "/callback"))
        let port = listener?.port.number ?? 0
        #expect(LoopbackClient(port: port) != nil)
        listener = nil
        #expect(LoopbackClient(port: port) == nil)
    }

    @Test func `a denial is an answer, too`() throws {
        let scene = try LoopbackScene()
        let client = try scene.client()
        client.get("/callback?error=access_denied&state=\(LoopbackScene.state)", host: scene.host)
        #expect(scene.next() == .denied(OAuthRefusal(.accessDenied, at: .authorization)))
        #expect(client.readAll().hasSuffix(Self.answered))
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
        let scene = try LoopbackScene()
        let silent = try scene.client(), slow = try scene.client(), start = Date()
        slow.send("GET /callback?code=")
        #expect(scene.next(within: 0.3) == nil)
        let good = try scene.client()
        good.get("/other", host: scene.host)
        #expect(scene.next() == .refused(.path))
        #expect(scene.next() == .refused(.malformed))
        #expect(scene.next() == .refused(.malformed))
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

    @Test func `sixty-four connections are heard in all`() throws {
        let scene = try LoopbackScene()
        for _ in 0..<64 {
            let client = try scene.client()
            client.get("/other", host: scene.host)
            #expect(scene.next() == .refused(.path))
        }
        let late = try scene.client()
        late.get(scene.right, host: scene.host)
        #expect(scene.next(within: 1.5) == nil)
        #expect(scene.listener.descriptors.isEmpty)
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

    @Test func `OA7 a redirect with an IPv6 address is heard there`() throws {
        // None that another test has with IPv4.
        let scene = try LoopbackScene(LoopbackRedirect(host: .ipv6, port: Int(FreePort.next()), path: ""))
        #expect(LoopbackClient(host: "127.0.0.1", port: scene.port) == nil)
        let client = try scene.client("::1")
        client.get("/?code=c0de&state=\(LoopbackScene.state)", host: scene.host)
        #expect(scene.next() == .right(code: Secret("c0de")))
    }

    @Test(arguments: ["127.0.0.1", "::1"]) func `OA7 localhost is heard by both families`(address: String) throws {
        let scene = try LoopbackScene(LoopbackRedirect(host: .localhost, port: nil, path: "/callback"))
        let client = try scene.client(address)
        client.get(scene.right, host: scene.host)
        #expect(scene.next() == .right(code: Secret("c0de")))
    }

    /// In a network namespace of its own (user_namespaces(7)), where there is no IPv6.
    @Test func `OA7 localhost is heard where one family is missing`() throws {
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

    @Test func `OA7 a fixed port that is taken is told`() throws {
        for (mine, other) in [("127.0.0.1", "127.0.0.1"), ("[::1]", "[::1]"), ("127.0.0.1", "localhost")] {
            let drawn: LoopbackRedirect = try #require(LoopbackRedirect("http://\(mine)/callback"))
            let first = try LoopbackScene(drawn)
            let redirect = try #require(LoopbackRedirect("http://\(other):\(first.port)/callback"))
            let second = try LoopbackListener(on: redirect)
            #expect(second.port == LoopbackPort(number: first.port, isOpen: false))
            #expect(second.descriptors.isEmpty)
            first.listener.close()
            #expect(try LoopbackListener(on: redirect).port.isOpen)
        }
    }

    @Test func `a fixed port is free again right after a login`() throws {
        // None that another test could draw once it is free.
        let port = Int(try FreePort.next())
        for _ in 1...3 {
            let scene = try LoopbackScene(LoopbackRedirect(host: .ipv4, port: port, path: "/callback"))
            #expect(scene.listener.port.isOpen)
            let client = try scene.client()
            client.get(scene.right, host: scene.host)
            #expect(scene.next() == .right(code: Secret("c0de")))
            scene.listener.close()
            _ = client.readAll()
        }
    }
}
