@testable import LoginTestSupport
import Testing

/// A sample of the logins of `GeneratedServerTests` by the program itself, over real connections.
@Suite(.onOwnThreads) struct GeneratedServerBinaryTests {
    /// A form by its URL needs a person, who agrees to the profile.
    private static let logins = Thoroughness.spread(
        GeneratedLogin.all.filter { !($0.way.isURL && $0.server.kind == .form) }, 200)

    private static let figures = VerdictFigures()

    @Test(arguments: logins) func `the program accepts no wrong password, and calls no right one wrong`(
        _ login: GeneratedLogin
    ) throws {
        let server = try login.server.listen()
        defer { server.stop() }
        var figures = Self.figures
        for isRight in [false, true] {
            let authctl = try Installation(config: login.profile(at: server.url("")) ?? "")
            let target = if case .url(let path) = login.way { server.url(path) } else { "s" }
            let run = try authctl.run(
                [
                    "login", target, "-u", isRight ? GeneratedServer.name : login.wrongName, "--password-stdin",
                    "--max-attempts", "1",
                ], input: isRight ? GeneratedServer.password : GeneratedServer.wrongPassword)
            figures.note(
                login, right: isRight,
                .init(
                    code: run.code ?? -1, talk: run.error,
                    wasAsked: server.texts.contains { $0.contains("Authorization: ") }))
        }
        #expect(figures.total.accepted == 0 && figures.total.refused == 0, "\(figures.faults)")
    }
}
