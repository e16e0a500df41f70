import FlyingFox
import Foundation

/// All services on one port, with the faults in front of them and the log behind.
actor Backend {
    private static let slowness = 3.0
    private let report: @Sendable (String) -> Void
    private var services = Backend.freshServices()
    private var door = Doorkeeper()
    private let every: UInt64?
    private var faults: Faults
    private var seen: [SeenRequest] = []

    /// - Parameters:
    ///   - every: one answer in so many goes wrong; nothing for none.
    ///   - report: takes a line for each request.
    init(failingOneIn every: UInt64?, report: @escaping @Sendable (String) -> Void) {
        self.every = every
        faults = Faults(every: every)
        self.report = report
    }

    /// The routes, for people.
    static let routes = [
        WireService.routes, BlogService.routes, ScreencastService.routes, ForgeService.routes, ChatService.routes,
        IndexService.routes, AdminService.routes, SecondFactorService.routes, OAuthService.routes,
        IntranetService.routes, CloudService.routes,
        [
            "GET  /demo/requests                    what was seen, as JSON",
            "GET  /demo/sessions                    how many sessions live, as JSON",
            "POST /demo/faults                      {\"next\": [{\"path\"?, \"status\"?, \"body\"?, \"headers\"?,",
            "                                        \"retryAfter\"?, \"delay\"?, \"cutShort\"?, \"reset\"?}, …]}",
            "                                       {\"chance\": {\"every\", \"seed\"?, \"spared\"?, \"youngest\"?}}: one answer in so many",
            "POST /demo/reset                       forgets sessions, faults, lock-outs and what was seen",
            "…?fault=STATUS                         on any route: that status instead of the answer",
        ],
    ].joined()

    /// Answers one request, late if it was to be late.
    nonisolated func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let call = try await Call(request, now: Date())
        let reply = await answer(call)
        if reply.delay > 0 { try await Task.sleep(for: .seconds(reply.delay)) }
        return reply.response(withBody: call.method != "HEAD")
    }

    private func answer(_ call: Call) -> Reply {
        if let reply = control(call) { return reply }
        var fault = faults.take(for: call)
        if fault == nil, let mishap = faults.mishap(for: call) {
            fault = mishap.fault
            if mishap == .expired {
                for index in services.indices { services[index].expire(call, youngest: faults.youngest) }
            }
        }
        let reply = fault?.applied { service(call) } ?? service(call)
        let request = SeenRequest(call, reply)
        seen.append(request)
        report(request.line)
        return reply
    }

    private func service(_ call: Call) -> Reply {
        for index in services.indices {
            guard var reply = services[index].answer(call, door: &door) else { continue }
            if let who = reply.who, Doorkeeper.account(named: who)?.trait == .slow { reply.delay = Self.slowness }
            return reply
        }
        return call.isFor("GET", "/")
            ? .text(200, Self.routes.joined(separator: "\n")) : .json(404, ErrorWords(error: "There is nothing here"))
    }

    /// The routes for tests; they are not logged.
    private func control(_ call: Call) -> Reply? {
        if call.isFor("GET", "/demo/requests") { return .json(200, seen) }
        if call.isFor("GET", "/demo/sessions") {
            return .json(200, services.reduce(into: [:]) { $0.merge($1.living(at: call.now)) { $1 } })
        }
        if call.isFor("POST", "/demo/faults") { return faults.order(call) }
        guard call.isFor("POST", "/demo/reset") else { return nil }
        services = Self.freshServices()
        door = Doorkeeper()
        faults = Faults(every: every)
        seen = []
        return Reply(status: 204)
    }

    private static func freshServices() -> [any Service] {
        [
            WireService(), BlogService(), ScreencastService(), ForgeService(), ChatService(), IndexService(),
            AdminService(), SecondFactorService(), OAuthService(), IntranetService(), CloudService(),
        ]
    }
}
