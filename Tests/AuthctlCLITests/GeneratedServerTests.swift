@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// Logins at servers that are generated: a wrong password is never accepted, and a right one never called wrong.
///
/// `AUTHCTL_VERDICT_FIGURES=1 scripts/run-tests suite GeneratedServerTests` prints how many there are of each kind.
struct GeneratedServerTests {
    private static let logins = Thoroughness.sample(GeneratedLogin.all, 3600)

    @Test func `no wrong password is accepted, no right one called wrong, and few logins are undecided`() async throws {
        var figures = VerdictFigures()
        let ends = try await Self.ends()
        for login in Self.logins {
            figures.add(login)
            figures.note(login, right: false, try #require(ends[login.description]))
            figures.note(login, right: true, try #require(ends[login.rightLogin]))
        }
        for login in Thoroughness.spread(Self.logins, Self.logins.count / 10) { try takeTurns(at: login, &figures) }
        figures.printIfWanted()
        let total = figures.total
        #expect(total.combinations >= 3000)
        #expect(total.accepted == 0 && total.refused == 0 && total.lost == 0, "\(figures.report(most: 10))")
        // What is left is what docs/verdicts.md leaves open: a first login that a request of its own has answered with neither yes nor no, and
        // a page without verify.
        for isRight in [true, false] {
            let (undecided, tellable) = (total.undecided[isRight] ?? 0, total.tellable[isRight] ?? 0)
            #expect(undecided * 8 <= tellable, "\(undecided) of \(tellable) \(isRight ? "right" : "wrong") ones")
        }
    }

    /// Every first login by a wrong password, and by the right one as often as it is another login.
    private static func ends() async throws -> [String: VerdictFigures.End] {
        let rights = Dictionary(logins.map { ($0.rightLogin, $0) }) { first, _ in first }
        let all = logins.map { ($0.description, $0, false) } + rights.map { ($0.key, $0.value, true) }
        return try await withThrowingTaskGroup(of: [(String, VerdictFigures.End)].self) { group in
            for start in stride(from: 0, to: all.count, by: 100) {
                group.addTask {
                    try all[start..<min(start + 100, all.count)].map { name, login, isRight in
                        (name, try GeneratedWorld(login).logIn(right: isRight))
                    }
                }
            }
            return try await group.reduce(into: [:]) { ends, some in ends.merge(some) { first, _ in first } }
        }
    }

    /// Right, wrong, and right again: where verify has accepted before, and a login is stored.
    private func takeTurns(at login: GeneratedLogin, _ figures: inout VerdictFigures) throws {
        let world = try GeneratedWorld(login)
        guard world.logIn(right: true).code == 0 else { return }
        let wrong = world.logIn(right: false, "--force")
        figures.note(login, right: false, wrong, when: "after a right one")
        if login.wrongName == GeneratedServer.name, wrong.code != 0, !world.isLoggedIn {
            figures.noteLost(login, wrong)
        }
        figures.note(login, right: true, world.logIn(right: true, "--force"), when: "after a wrong one")
    }
}

/// A person at a generated server, in a home of their own.
private struct GeneratedWorld {
    let login: GeneratedLogin
    private let world: TestWorld

    init(_ login: GeneratedLogin) throws {
        self.login = login
        world = try TestWorld(config: login.profile(at: "\(GeneratedServer.origin)"), isInMemory: true)
    }

    /// Types one password, and agrees to a profile that is proposed, but to nothing else.
    func logIn(right isRight: Bool, _ options: String...) -> VerdictFigures.End {
        let name = isRight ? GeneratedServer.name : login.wrongName
        let password = isRight ? GeneratedServer.password : GeneratedServer.wrongPassword
        let no = Array(repeating: false, count: 5)
        world.person = ScriptedPerson(
            [ScriptedPerson.types(name, password)], replace: [true], confirms: false, retry: no)
        world.person.decides = { $0.hasPrefix("Log in with it?") }
        let target = if case .url(let path) = login.way { "\(GeneratedServer.origin)\(path)" } else { "s" }
        let run = run(["login", target, "--max-attempts", "1"] + options)
        #expect(!run.talk.contains("unscripted"), "\(login): \(run.talk)")
        return VerdictFigures.End(
            code: run.code, talk: run.talk, wasAsked: !world.person.prompt.challenges.isEmpty)
    }

    /// Whether a login is stored.
    var isLoggedIn: Bool { run(["whoami", "--offline"]).code == 0 }

    private func run(_ arguments: [String]) -> Run {
        world.run(arguments, at: ScriptedTransport { [server = login.server] in server.answer($0) })
    }
}

extension GeneratedServer {
    fileprivate static let origin = Origin(scheme: "https", host: "server.example", port: 443)

    /// The response as the transport hands it on.
    fileprivate func answer(_ request: HTTPRequest) -> HTTPResponse {
        let target = request.url.dropFirst("\(Self.origin)".count)
        let said = response(
            to: Request(
                method: request.method, path: String(target.prefix { $0 != "?" }), authorization: request.authorization,
                cookies: Dictionary(request.cookies.map { ($0.name, $0.value.unprotectedText) }) { first, _ in first },
                body: request.body?.unprotectedText ?? ""))
        let new = said.cookies.map {
            CookieRecord.cookie($0.key, Secret($0.value), expires: nil, domain: Self.origin.host, isSecure: false)
        }
        return .answer(
            said.status, request.method == "HEAD" ? "" : said.body, headers: said.headers,
            cookies: new + request.cookies.filter { said.cookies[$0.name] == nil },
            redirect: said.location.map { Redirect(url: "\(Self.origin)\($0)", origin: Self.origin, target: $0) })
    }
}

extension HTTPRequest {
    fileprivate var authorization: String? {
        if let basic {
            return "Basic " + Secret("\(basic.username):\(basic.password.unprotectedText)").base64.unprotectedText
        }
        return headers.first { $0.name == "Authorization" }?.value.unprotectedText
    }
}
