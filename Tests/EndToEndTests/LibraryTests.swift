import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Synchronization
import Testing

/// LoginKit as a Swift program uses it, in this process.
@Suite(.onOwnThreads) struct `A program with logins` {
    let demo: DemoBackendProcess
    let home: TemporaryHome
    let folder: String

    init() throws {
        demo = try DemoBackendProcess()
        home = try TemporaryHome()
        folder = try home.makeLogins(at: demo)
    }

    private func logins(_ delegate: some LoginDelegate) throws -> Logins {
        try Logins(folder: folder, delegate: delegate)
    }

    @Test func `a program with logins asks once, and has the session for the time of a block`() async throws {
        let person = Scripted("correct horse")
        let logins = try logins(person)
        for _ in 1...2 {
            let status = try await logins.withSession(for: "blog") { session in
                #expect(session.identity.displayName == "ann" && session.profile.name == "blog")
                return try await session.send(.post("/posts", json: ["text": "hi"])).status
            }
            #expect(status == 201)
        }
        #expect(try person.asked == 1 && home.keepsBlog())
        #expect(try logins.identities(of: "blog") == [Identity(username: "ann", serverName: "ann")])
        #expect(try logins.profileNames.contains("chat"))
    }

    @Test func `a session is of no use once its block is over`() async throws {
        let kept = try await logins(Scripted("correct horse")).withSession(for: "blog") { $0 }
        await #expect(throws: LoginError.self) { try await kept.send(.get("/users/me")) }
        await #expect(throws: LoginError.self) { try await kept.headerLines() }
    }

    @Test func `nothing runs and nothing is kept where nobody logs in`() async throws {
        let person = Scripted("wrong", "wronger", "wrongest")
        await #expect {
            try await logins(person).withSession(for: "blog") { _ in _ = Issue.record("ran") }
        } throws: { error in
            if case .rejected? = (error as? LoginError)?.fault { true } else { false }
        }
        #expect(try person.asked == 3 && !home.keepsBlog())
    }

    @Test func `a session that ended meanwhile: logs in, and sends the same once more`() async throws {
        let person = Scripted("correct horse", "correct horse")
        let response = try await logins(person).withSession(for: "blog") { session in
            try demo.reset()
            let response = try await session.send(.post("/posts", json: ["text": "once"]))
            // The new session is the one from now on.
            #expect(try await session.send(.get("/users/me")).isSuccess)
            return response
        }
        struct Post: Decodable { let author: String }
        #expect(response.status == 201 && response.value(of: "content-type") != nil)
        #expect(try response.decoded(as: Post.self).author == "ann")
        #expect(person.asked == 2)
        #expect(try demo.requests().filter { $0.path == "/posts" }.map(\.status) == [403, 201])
    }

    @Test func `a request without a gate logs in where the answer says so`() async throws {
        let person = Scripted("correct horse")
        let logins = try logins(person)
        #expect(try await logins.send(.get("/posts"), to: "blog").isSuccess && person.asked == 0)
        #expect(try await logins.send(.get("/account/verify_credentials.json"), to: "wire").text.contains("ann"))
        #expect(person.asked == 1)
        let header = try await logins.withSession(for: "wire") { try await $0.headerLines() }
        #expect(header?.hasPrefix("Authorization: Basic ") == true)
    }

    @Test func `many gates at once ask one person once`() async throws {
        let person = Scripted("correct horse")
        let logins = try logins(person)
        try await withThrowingTaskGroup { group in
            for _ in 1...8 {
                group.addTask { try await logins.withSession(for: "chat") { $0.identity.username } }
            }
            for try await name in group { #expect(name == "ann") }
        }
        #expect(person.asked == 1)
    }

    @Test func `a program with logins logs out at the server and here`() async throws {
        // A session of a day: where much else runs, minutes may pass between two steps of a task.
        try home.write("store = \"plaintext\"\n" + demo.blogWithLogout, to: "logins/config.toml")
        let logins = try logins(Scripted("correct horse"))
        try await logins.withSession(for: "blog") { _ in }
        try await logins.logOut("blog")
        #expect(try logins.identities(of: "blog").isEmpty)
        let seen = try demo.requests().map { "\($0.path) \($0.status)" }
        #expect(seen.contains("/users/logout 204"), "\(seen)")
        await #expect(throws: LoginError.self) { try await logins.logOut("blog") }
    }

    @Test func `a profile made in code shares no name with one of the configuration`() async throws {
        let person = Scripted("correct horse")
        let logins = try logins(person)
        var made = Profile(
            name: "mine", url: demo.origin,
            verify: RequestRule(method: "GET", path: Template(literal: "/account/verify_credentials.json")))
        made.settings.store = "plaintext"
        #expect(try logins.identities(of: made).isEmpty)
        #expect(try await !logins.isLoggedIn(made))
        #expect(try await logins.withSession(for: made) { $0.identity.displayName } == "ann")
        #expect(try logins.identities(of: made).map(\.username) == ["ann"])
        #expect(try await logins.isLoggedIn(made))
        #expect(try await logins.isLoggedIn(made, as: "ann"))
        #expect(try await !logins.isLoggedIn(made, as: "bob"))
        #expect(try await !logins.isLoggedIn("blog"))
        await #expect(throws: LoginError.self) { try await logins.isLoggedIn("mine") }
        #expect(try await logins.send(.get("/account/verify_credentials.json"), to: made).isSuccess)
        try await logins.logOut(made)
        #expect(try await !logins.isLoggedIn(made))
        made.name = "blog"
        await #expect(throws: LoginError.self) { try await logins.withSession(for: made) { _ in } }
        #expect(person.asked == 1)
    }

    @Test func `an error has advice for a program, and none that is for a shell`() {
        let errors: [LoginFault] = [
            .loginRequired(LoginNeed(why: .nothingStored)), .rejected(Refusal(status: 401)),
            .store(.notSetUp(.file)), .untrusted(.plainHTTP), .network(.timedOut(seconds: 3)),
            .secondFactor(.required(words: nil)), .promptExpired(seconds: 3),
        ]
        for error in errors.map({ LoginError($0) }) {
            #expect(error.advice?.contains("authctl") == false && error.advice?.contains("--") == false, "\(error)")
        }
        #expect(LoginError(.usage(.other("it is wrong"))).advice == nil)
    }

    @Test func `a session goes to no other origin`() async throws {
        try await logins(Scripted("correct horse")).withSession(for: "wire") { session in
            await #expect {
                try await session.send(.get("http://localhost:1/"))
            } throws: { error in
                if case .untrusted? = (error as? LoginError)?.fault { true } else { false }
            }
        }
    }
}

/// A person who answers questions for a password, and knows no more than these.
private final class Scripted: LoginDelegate {
    private let state: Mutex<(passwords: [String], asked: Int)>

    init(_ passwords: String...) {
        state = Mutex((passwords, 0))
    }

    var asked: Int { state.withLock(\.asked) }

    func answer(_ question: Question) async -> Answer {
        guard case .credential = question else { return question.decline }
        let next: String? = state.withLock { state in
            state.asked += 1
            return state.passwords.isEmpty ? nil : state.passwords.removeFirst()
        }
        guard let next else { return question.decline }
        return .credential(Credential(username: "ann", .password(Secret(next))))
    }
}
