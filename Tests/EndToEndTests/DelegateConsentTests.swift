import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Synchronization
import Testing

/// Logins by OAuth of a program that shows the URL or the code itself.
@Suite(.onOwnThreads) struct `A program that shows where to log in` {
    let demo: DemoBackendProcess
    let home: TemporaryHome
    let person: ScriptedPerson

    init() throws {
        demo = try DemoBackendProcess()
        home = try TemporaryHome()
        person = try ScriptedPerson()
        try home.write("store = \"plaintext\"\n" + demo.oauthProfiles(), to: "logins/config.toml")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o700], ofItemAtPath: home.path + "/logins")
    }

    /// Approves, or says that nobody sees it.
    private struct Window: LoginDelegate {
        let person: ScriptedPerson
        var isSeen = true

        func answer(_ question: Question) async -> Answer { question.decline }

        func open(_ login: BrowserLogin) async -> Bool { approve(login.url, login.profile) }

        func show(_ login: DeviceLogin) async -> Bool {
            approve(login.completeURL ?? login.url, login.profile) && !login.code.isEmpty
        }

        /// The browser gets its answer only once this has returned.
        private func approve(_ url: String, _ profile: String) -> Bool {
            guard isSeen else { return false }
            let person = person
            Thread.detachNewThread {
                // Beside all other tests a browser may wait longer than it is willing to.
                for _ in 1...3 {
                    do { return _ = try person.consent(at: url) } catch { print("consent: \(error)") }
                }
            }
            return true
        }
    }

    @Test(arguments: ["notes", "tv"])
    func `a program that shows where to log in is logged in once the person has approved in a browser or with a code`(
        profile: String
    ) async throws {
        let logins = try Logins(folder: home.path + "/logins", delegate: Window(person: person))
        let name = try await logins.withSession(for: profile) { $0.identity.displayName }
        #expect(name == "ann")
        #expect(try logins.identities(of: profile).map(\.username) == ["ann"])
    }

    @Test(arguments: ["notes", "tv"])
    func `a program that shows where to log in is told that a login is required where it shows neither URL nor code`(
        profile: String
    ) async throws {
        let logins = try Logins(
            folder: home.path + "/logins", delegate: Window(person: person, isSeen: false))
        await #expect {
            try await logins.withSession(for: profile) { _ in }
        } throws: { error in
            (error as? LoginError)?.code == .loginRequired
        }
        #expect(try demo.requests().allSatisfy { $0.path != "/id/token" })
    }

    @Test func `a program that shows where to log in gets a clear error for an answer that does not fit the question`()
        async throws
    {
        struct Confused: LoginDelegate {
            func answer(_ question: Question) async -> Answer { .yes }
        }
        try home.write("store = \"plaintext\"\n" + demo.profiles(), to: "logins/config.toml")
        let logins = try Logins(folder: home.path + "/logins", delegate: Confused())
        await #expect {
            try await logins.withSession(for: "blog") { _ in }
        } throws: { error in
            let fault = error as? LoginError
            return fault?.code == .usage && fault?.message.contains("does not fit the question") == true
        }
    }

    @Test
    func `a program that shows where to log in is asked at once while other tasks keep all threads of the program`()
        async throws
    {
        final class Work: Sendable {
            let isOver = Mutex(false)
        }
        struct Prompt: LoginDelegate {
            func answer(_ question: Question) async -> Answer {
                .credential(Credential(username: "ann", .password(Secret("correct horse"))))
            }
        }
        try home.write("store = \"plaintext\"\n" + demo.profiles(), to: "logins/config.toml")
        let logins = try Logins(folder: home.path + "/logins", delegate: Prompt())
        let work = Work()
        for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
            Task(priority: .medium) { while !work.isOver.withLock({ $0 }) { usleep(10_000) } }
        }
        defer { work.isOver.withLock { $0 = true } }
        let name = try await logins.withSession(for: "blog") { $0.identity.username }
        #expect(name == "ann")
    }

    @Test func `a program that shows where to log in ends with the refusal where the delegate has no other password`()
        async throws
    {
        struct Once: LoginDelegate {
            func answer(_ question: Question) async -> Answer {
                guard case .credential(let challenge) = question, challenge.previousFailureCount == 0 else {
                    return question.decline
                }
                return .credential(Credential(username: "ann", .password(Secret("wrong"))))
            }
        }
        try home.write("store = \"plaintext\"\n" + demo.profiles(), to: "logins/config.toml")
        let logins = try Logins(folder: home.path + "/logins", delegate: Once())
        await #expect {
            try await logins.withSession(for: "blog") { _ in }
        } throws: { error in
            (error as? LoginError)?.code == .rejected
        }
    }

    @Test func `a program that shows where to log in makes a profile from TOML, and is told what is wrong with one`()
        throws
    {
        let profile = try Profile("mine", toml: "url = \"https://a.example\"\nverify = { get = \"/me\" }")
        #expect(profile.name == "mine" && profile.url == "https://a.example")
        #expect {
            try Profile("mine", toml: "url = \"https://a.example\"\nverfiy = {}")
        } throws: { error in
            (error as? LoginError)?.code == .usage && (error as? LoginError)?.message.contains("verfiy") == true
        }
    }
}
