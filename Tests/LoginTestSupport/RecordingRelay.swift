import Foundation

/// A way to a plain server on loopback that keeps all that goes through, in both directions: what no log of a server may have.
final class RecordingRelay {
    let port: Int
    private let server: ServerProcess

    /// - Parameter held: a regular expression; a request that begins with it never arrives.
    /// - Throws: where python3 is missing, or it does not come up.
    init(to backend: Int, holding held: String? = nil) throws {
        let server = try ServerProcess()
        guard let python = RealServer.path(of: "python3") else {
            throw ServerProcess.NotStarted(description: "python3")
        }
        try server.start(
            python,
            ["-u", Repository.testServer("recording_relay.py"), "\(backend)", server.folder.path + "/talk"]
                + (held.map { [$0] } ?? []))
        port = try server.wait(forPortOf: "the relay")
        self.server = server
    }

    /// Everything that went through, and what is held.
    var talk: String { server.text("talk") }

    /// The texts that followed `name` in forms, in JSON and in the addresses of redirects, each once, undone from their encoding.
    func values(of name: String) -> [String] {
        let talk = talk
        let inForms = talk.matches(of: /[?&\n](\w+)=([^&\s]*)/).filter { $0.1 == name }
            .compactMap { String($0.2).replacing("+", with: " ").removingPercentEncoding }
        let inJSON = talk.matches(of: /"(\w+)" ?: ?"([^"]*)"/).filter { $0.1 == name }.map { String($0.2) }
        return Set(inForms + inJSON).sorted()
    }

    /// Ends it. Happens by itself when this object goes.
    func stop() { server.stop() }
}
