import Foundation

/// A service that answers a request with a password only once so many are waiting. It lives as long as this object.
final class WaitingServer {
    /// Where it listens, on loopback.
    let port: Int
    private let server: ServerProcess

    /// - Parameter count: how many have to wait before they are answered.
    init(until count: Int) throws {
        let server = try ServerProcess()
        port = Int(try FreePort.next())
        let origin = "http://127.0.0.1:\(port)"
        try server.start("/usr/bin/python3", ["-u", Repository.testServer("waiting_server.py"), "\(port)", "\(count)"])
        try server.wait(for: "the waiting server") { (try? Curl(origin + "/me").status) == 401 ? () : nil }
        self.server = server
    }

    /// How many were waiting at the same time at most.
    var most: Int {
        server.text("stdout").split(separator: "\n").compactMap { Int($0) }.max() ?? 0
    }
}
