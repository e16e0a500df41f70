@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Synchronization
import Testing

/// Requests to the address of an exec, in a world whose service answers by a script: all of it but the sockets.
final class ServedScene {
    static let config = """
        [profiles.shop]
        url     = "https://shop.example/v1"
        method  = "token"
        login   = { post = "/login", json = { u = "{username}", p = "{password}" }, token = "/t", refresh-token = "/r", expires-in = "/ttl" }
        refresh = { post = "/refresh", json = { r = "{refresh-token}" } }
        verify  = { get = "/me", username = "/name" }

        [profiles.blog]
        url     = "https://blog.example"
        method  = "cookie"
        login   = { post = "/login", form = { u = "{username}", p = "{password}" } }
        verify  = { get = "/me" }

        [profiles.kept]
        url     = "https://kept.example"
        method  = "token"
        keep-password = true
        login   = { post = "/login", json = { u = "{username}", p = "{password}" }, token = "/t" }
        verify  = { get = "/me", username = "/name" }

        [profiles.wire]
        url     = "https://wire.example"
        verify  = { get = "/api/me" }

        [profiles.wiki]
        url     = "https://wiki.example"
        method  = "cookie"
        session = { cookies = true, write-header = "X-CSRF: {csrf}", csrf = { get = "/token", value = "/csrf" } }
        user-agent = "kept/1"
        login   = { post = "/login", form = { u = "{username}", p = "{password}" } }
        verify  = { get = "/me" }

        [profiles.notes]
        url     = "https://notes.example"
        method  = "cookie"
        session = { cookies = true, write-header = "X-CSRF: {csrf}", csrf = { get = "/token", value = "/csrf" } }
        login   = { post = "/login", json = { u = "{username}", p = "{password}" } }
        verify  = { get = "/me", username = "/name" }
        """

    /// No rules, or one that lets everything through.
    static func limits(byRules: Bool) throws -> ServeLimits {
        var limits = ServeLimits()
        if byRules { limits.rules = ServeRules([ServeRuleSet(allow: [try ServeRule("* /**")])]) }
        return limits
    }

    /// What a command gets.
    struct Outcome {
        let status: Int?
        let fields: [String]
        let body: String
        let isWhole: Bool
    }

    static func issued(_ token: String, _ refresh: String, ttl: Int = 3600) -> HTTPResponse {
        .answer(200, #"{"t": "\#(token)", "r": "\#(refresh)", "ttl": \#(ttl)}"#)
    }

    static let me = HTTPResponse.answer(200, #"{"name": "ann"}"#)
    static let shopLogin = [HTTPResponse.answer(401), issued("t-1", "r-1"), me]

    /// Logs ann in, and then plays a scene with what the server answers from then on.
    /// - Parameter later: seconds after the login.
    static func play(
        _ profile: String, login: [HTTPResponse], later: Int64 = 0, limits: ServeLimits = ServeLimits(),
        _ server: [HTTPResponse],
        _ body: (ServedScene, TestWorld) throws -> Void
    ) throws {
        let world = try TestWorld(config: config)
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "hunter22")])
        let run = world.run(["login", profile], server: login.map { .success($0) })
        #expect(run.code == 0, "\(run.talk)")
        world.person = ScriptedPerson()
        world.now += later
        try world.withWorld(server: server) { try body(try ServedScene($0, profile, limits: limits), world) }
    }

    /// Method and URL of each request, with the secrets that went along.
    static func trips(_ world: TestWorld) -> [String] {
        world.requests.map { request in
            let lines = request.split(separator: "\n").map(String.init)
            let attachment = lines.dropFirst().filter { line in
                ["Authorization:", "basic ", "cookie ", "Cookie:"].contains { line.hasPrefix($0) }
            }
            return ([lines[0]] + attachment).joined(separator: "; ")
        }
    }

    private let session: ServedSession
    private let run: LoginRun
    private let headers: ServedHeaders
    private let told: Told
    private let review: RequestReview

    private final class Told: Sendable {
        let warnings = Mutex<[String]>([])
    }

    init(_ world: Dependencies, _ profile: String, limits: ServeLimits = ServeLimits()) throws {
        let told = Told()
        self.told = told
        let context = try LoginContext(
            world, LoginContext.Options(),
            Messages(note: { _ in }, warn: { text in told.warnings.withLock { $0.append(text) } }))
        let gate = try SessionProvider(context, try context.profiles.profile(named: profile), LoginRequest())
        let authenticated = try gate.enterUnverified()
        run = authenticated.run
        session = ServedSession(gate.unattended(), authenticated)
        headers = ServedHeaders(
            root: "http://127.0.0.1:40404/5e63e7", origin: run.endpoint.origin, rule: run.profile.sessionRule,
            hasUserAgent: run.profile.settings.userAgent != nil)
        review = RequestReview(limits, headers, run.endpoint.origin)
    }

    var warnings: [String] { told.warnings.withLock { $0 } }

    /// - Parameter body: all of it; a longer one than what is held is told to have no known length.
    func send(
        _ method: String, _ target: String, body: String? = nil, isChunked: Bool = false,
        with fields: [(String, String)] = []
    ) throws -> Outcome {
        let length =
            isChunked ? [("Transfer-Encoding", "chunked")] : body.map { [("Content-Length", "\($0.utf8.count)")] } ?? []
        let head = ServedHead(
            method: method, target: "/5e63e7\(target)", fields: (length + fields).map { ServedField($0.0, $0.1) })
        let call = ServerCall(head, target: target, socket: -1)
        if let body { Array(body.utf8).withUnsafeBytes { bytes in _ = call.body.write(bytes) } }
        call.body.finish()
        let answer = ServedResponse(call, headers)
        let result = review.review(call) { session.knownSecrets }
        if let objection = result.objection {
            answer.refuse(review.refusal(objection, method, target))
        } else {
            let request = ServedRequest(
                call: call, session: session, service: try run.serviceBeside { false }, profile: run.profile,
                endpoint: run.endpoint, headers: headers, mayProbe: result.mayProbe)
            do throws(LoginFault) {
                try request.relay(answer)
            } catch {
                answer.explain(error, ErrorContext(profile: run.profile.name))
            }
        }
        call.end(isWhole: answer.isWhole)
        result.note?.end(answer, of: call)
        let begun = call.begun()
        return Outcome(
            status: begun?.status, fields: begun?.fields.map { "\($0.name): \($0.value)" } ?? [],
            body: Self.body(of: call),
            isWhole: answer.isWhole)
    }

    /// The session that there is at last.
    func end() -> Session { session.close().session }

    private static func body(of call: ServerCall) -> String {
        var buffer = [UInt8](repeating: 0, count: 4096), text = ""
        while true {
            let count = buffer.withUnsafeMutableBytes { call.next($0) }
            guard count > 0 else { return text }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}
