import FlyingFox
import FlyingSocks
import Foundation

/// The demo services on a loopback port, from start to end.
struct Server {
    let options: Options

    /// Serves until it is told to end.
    /// - Throws: what the socket throws, usually because the port is taken.
    func run() async throws {
        let ending = Ending(withInput: options.untilEndOfInput)
        let quiet = options.quiet
        let backend = Backend(failingOneIn: options.every) { line in
            if !quiet { Self.write(line, to: .standardError) }
        }
        let address = try sockaddr_in.inet(ip4: "127.0.0.1", port: options.port)
        let server = HTTPServer(address: address, timeout: 120, logger: .disabled)
        let methods = HTTPMethod.allMethods.union(["PROPFIND", "REPORT"])
        for path in ["/", "/*"] {
            await server.appendRoute(path, for: methods) { try await backend.respond(to: $0) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask { try await Self.announce(server) }
            group.addTask { [moment = ending.moment] in
                for await _ in moment {}
                throw CancellationError()
            }
            do {
                while try await group.next() != nil {}
            } catch is CancellationError {
                group.cancelAll()
            }
        }
        withExtendedLifetime(ending) {}
    }

    private static func announce(_ server: HTTPServer) async throws {
        try await server.waitUntilListening()
        guard case .ip4(let host, let port) = await server.listeningAddress else { throw CancellationError() }
        write("demo-backend: listening on http://\(host):\(port)", to: .standardOutput)
    }

    /// Writes a line at once; a reader that went away does not matter.
    private static func write(_ line: String, to handle: FileHandle) {
        try? handle.write(contentsOf: Data((line + "\n").utf8))
    }
}
