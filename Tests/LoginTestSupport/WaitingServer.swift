import Foundation

/// A service that answers a request with a password only once so many are waiting. It lives as long as this object.
package final class WaitingServer {
    /// Where it listens, on loopback.
    package let port: Int
    private let server: ServerProcess

    /// - Parameter count: how many have to wait before they are answered.
    package init(until count: Int) throws {
        let server = try ServerProcess()
        port = Int(try FreePort.next())
        let origin = "http://127.0.0.1:\(port)"
        try server.start("/usr/bin/python3", ["-u", "-c", Self.script, "\(port)", "\(count)"])
        try server.wait(for: "the waiting server") { (try? Curl(origin + "/me").status) == 401 ? () : nil }
        self.server = server
    }

    /// How many were waiting at the same time at most.
    package var most: Int {
        server.text("stdout").split(separator: "\n").compactMap { Int($0) }.max() ?? 0
    }

    private static let script = #"""
        import http.server, os, sys, threading
        threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
        barrier, lock, waiting = threading.Barrier(int(sys.argv[2])), threading.Lock(), 0

        class Service(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                global waiting
                known = "Authorization" in self.headers
                if known:
                    with lock:
                        waiting += 1
                        print(waiting)
                    barrier.wait()
                    with lock:
                        waiting -= 1
                self.send_response(200 if known else 401)
                if not known:
                    self.send_header("WWW-Authenticate", 'Basic realm="test"')
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_POST = do_GET

            def log_message(self, *_):
                pass

        http.server.ThreadingHTTPServer.request_queue_size = 64
        http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Service).serve_forever()
        """#
}
