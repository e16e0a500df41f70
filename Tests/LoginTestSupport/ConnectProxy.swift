import Foundation

/// A proxy on loopback that takes CONNECT alone, and carries every connection to one port, whatever name is asked for.
final class ConnectProxy {
    let port: Int
    private let server: ServerProcess

    var url: String { "http://127.0.0.1:\(port)" }

    /// - Throws: where python3 is missing, or it does not come up.
    init(to backend: Int) throws {
        let server = try ServerProcess()
        guard let python = RealServer.path(of: "python3") else {
            throw ServerProcess.NotStarted(description: "python3")
        }
        try server.start(
            python, ["-u", Repository.testServer("connect_proxy.py"), "\(backend)", server.folder.path + "/talk"])
        port = try server.wait(forPortOf: "the proxy")
        self.server = server
    }

    /// All that clients have sent.
    var talk: String { server.text("talk") }

    /// Ends it. Happens by itself when this object goes.
    func stop() { server.stop() }
}
