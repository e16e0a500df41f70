import Foundation

/// The built demo-backend on a free loopback port, for as long as this object lives. Swift may let go of a local one
/// right after its last use: keep it in a property of the suite, or write `defer { demo.stop() }`.
final class DemoBackendProcess {
    /// What it saw of one request, secrets masked.
    struct Request: Decodable, Equatable, Sendable {
        let method: String
        let path: String
        let query: [String: String]
        /// The account, where the request named one that exists.
        let who: String?
        let status: Int
        /// The kinds of proof it carried: `basic`, `bearer`, `cookie`, `auth_token`, `private-token`.
        let carried: [String]
    }

    /// An answer that is to go wrong. What is not given is as usual.
    struct Fault: Encodable, Sendable {
        /// The request that it is for; without one, the next.
        var path: String?
        var status: Int?
        var body: String?
        var headers: [String: String]?
        /// Seconds, for the header `Retry-After`.
        var retryAfter: Int?
        /// Seconds to wait before answering.
        var delay: Double?
        /// Whether the connection breaks in the middle of the body.
        var cutShort: Bool?
        /// Whether the connection closes without an answer, after the request was dealt with.
        var reset: Bool?

        /// A refusal of the refresh token of `chat`.
        static let refusesRefresh = Fault(
            path: "/_matrix/client/v3/refresh", status: 401, body: #"{"errcode": "M_UNKNOWN_TOKEN"}"#)

        /// A refusal of the password that Basic sends to `wire`.
        static let refusesWire = Fault(
            path: "/account/verify_credentials.json", status: 401,
            headers: ["WWW-Authenticate": "Basic realm=\"Demo Wire\""])

        init(
            path: String? = nil, status: Int? = nil, body: String? = nil, headers: [String: String]? = nil,
            retryAfter: Int? = nil, delay: Double? = nil, cutShort: Bool? = nil, reset: Bool? = nil
        ) {
            (self.path, self.status, self.body, self.headers) = (path, status, body, headers)
            (self.retryAfter, self.delay, self.cutShort, self.reset) = (retryAfter, delay, cutShort, reset)
        }
    }

    /// As in `http://127.0.0.1:41234`.
    let origin: String
    let port: Int
    private let server: ServerProcess
    private let held: HeldPort

    /// Starts it and waits for its line.
    /// - Throws: where it is not built or does not come up.
    init() throws {
        held = try HeldPort()
        server = try ServerProcess()
        try server.start(BuiltProducts.path(of: "demo-backend"), ["--port", "\(held.number)", "--until-eof"])
        let server = server
        let line = try server.wait(for: "demo-backend") {
            server.text("stdout").split(separator: "\n", omittingEmptySubsequences: false).dropLast().first
        }
        guard let start = line.range(of: "http://"), let colon = line.lastIndex(of: ":"),
            let port = Int(line[line.index(after: colon)...])
        else { throw ServerProcess.NotStarted(description: "demo-backend printed “\(line)”") }
        (origin, self.port) = (String(line[start.lowerBound...]), port)
    }

    /// The contract's profiles as TOML, pointed at this server.
    func profiles() throws -> String { try pointed(Self.printed) }

    /// Those of its authorization server, likewise: `notes`, `pad` without a client, and `tv` for a code.
    func oauthProfiles() throws -> String { try pointed(Self.printedOAuth) }

    private func pointed(_ profiles: Result<String, any Error>) throws -> String {
        try profiles.get().replacing("127.0.0.1:1", with: "127.0.0.1:\(port)")
    }

    /// Of port 1, once for all servers, as the next one.
    private static let printed = print("--profiles")
    private static let printedOAuth = print("--oauth-profiles")

    private static func print(_ option: String) -> Result<String, any Error> {
        Result {
            try Command.run(ChildSpec(BuiltProducts.path(of: "demo-backend"), [option, "--port", "1"])).output
        }
    }

    /// What it saw, in order. The requests to `/demo/…` are not among it.
    func requests() throws -> [Request] {
        try JSONDecoder().decode([Request].self, from: Curl(origin + "/demo/requests").body)
    }

    /// How many sessions live there: by profile, and `grants` and `clients` of the authorization server.
    func sessions() throws -> [String: Int] {
        try JSONDecoder().decode([String: Int].self, from: Curl(origin + "/demo/sessions").body)
    }

    /// Lets answers to come go wrong, in this order.
    func order(_ faults: Fault...) throws {
        let body = try JSONEncoder().encode(["next": faults])
        let answer = try Curl("-d", String(decoding: body, as: UTF8.self), origin + "/demo/faults")
        guard answer.status == 200 else { throw ServerProcess.NotStarted(description: answer.text) }
    }

    /// Lets one answer in `every` go wrong from now on, in one way or another; 0 ends that.
    /// - Parameters:
    ///   - spared: the path of a request whose answers are never lost.
    ///   - youngest: how old an access token is, in seconds, before it may be over.
    func fail(every: Int, seed: Int, sparing spared: String? = nil, youngest: Double = 1) throws {
        let path = spared.map { ", \"spared\": \"\($0)\"" } ?? ""
        let chance = "{\"every\": \(every), \"seed\": \(seed), \"youngest\": \(youngest)\(path)}"
        let answer = try Curl("-d", "{\"chance\": \(chance)}", origin + "/demo/faults")
        guard answer.status == 200 else { throw ServerProcess.NotStarted(description: answer.text) }
    }

    /// Lets every answer be as usual again.
    func failNoMore() throws { try fail(every: 0, seed: 0) }

    /// Forgets sessions, faults, lock-outs and what was seen.
    func reset() throws {
        _ = try Curl("-X", "POST", origin + "/demo/reset")
    }

    /// What it printed so far: the line where it listens, and a line for each request.
    var output: String {
        server.text("stdout") + server.text("stderr")
    }

    /// Ends it; afterwards nobody answers on its port, as long as this object lives. Happens by itself when it goes.
    func stop() {
        server.stop()
    }
}
