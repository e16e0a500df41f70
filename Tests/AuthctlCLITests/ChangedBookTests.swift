import ArgumentParser
import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// Commands that change the account registry, which another process, or the profile's owner, has changed as well.
struct ChangedBookTests {
    /// Logged in to `chat` as anna and as bert, who is active.
    private func chat() throws -> TestWorld {
        let world = try TestWorld(config: Examples.config)
        for name in ["anna", "bert"] {
            world.person = ScriptedPerson([ScriptedPerson.types(name, "pw")])
            let token = "{\"access_token\":\"tok-\(name)\",\"expires_in_ms\":100000}"
            let run = world.run(
                "login", "chat", "--force",
                server: [.answer(401), .answer(200, token), .answer(200, "{\"user_id\":\"@\(name)\"}")])
            #expect(run.code == 0, "\(run.talk)")
        }
        world.person = ScriptedPerson()
        return world
    }

    /// Runs a command that has read the registry before another process changes it.
    private func run(
        _ words: [String], in world: TestWorld, while change: (inout AccountRegistryDocument) -> Void
    ) throws -> (fault: LoginFault?, after: AccountRegistryDocument) {
        try world.withWorld { real in
            let command = try #require(try Authctl.parseAsRoot(words) as? any InvokedCommand)
            let invocation = try Invocation(real, command.global)
            _ = try invocation.context.document()
            try invocation.context.registry.update(change)
            var fault: LoginFault?
            do throws(LoginFault) { _ = try command.run(invocation) } catch { fault = error }
            return (fault, try invocation.context.registry.read())
        }
    }

    private func account(_ name: String, _ origin: Origin) -> AccountRecord {
        AccountRecord(
            username: name, serverName: nil, origin: origin, store: .plaintext, kind: .token, expires: nil, savedAt: 0)
    }

    private let origin = Origin(scheme: "https", host: "chat.example", port: 443)
    private let elsewhere = Origin(scheme: "https", host: "m.example", port: 443)

    @Test func `a profile that somebody logs in to meanwhile is not removed`() throws {
        let world = try TestWorld()
        let file = try world.home.write(
            "[profiles.made]\nurl = \"https://m.example\"\nverify = { get = \"/\" }\n", to: "made.toml")
        #expect(world.run("profile", "add", file).code == 0)
        let (fault, after) = try run(["profile", "remove", "made"], in: world) { document in
            document.updateProfile("made", url: "https://m.example", origin: elsewhere) {
                $0.accounts.append(account("anna", elsewhere))
            }
        }
        #expect(fault?.exitCode == .usage)
        #expect(after.profile("made")?.usernames == ["anna"])
        #expect(world.run("profile", "show", "made").code == 0)
    }

    @Test func `nobody becomes active who has logged out meanwhile`() throws {
        let (fault, after) = try run(["switch", "chat", "anna"], in: chat()) { document in
            document.removeAccounts([AccountID(profile: "chat", origin: origin, username: "anna")])
        }
        #expect(fault?.exitCode == .usage && fault?.message().what == "profile chat has no account \"anna\"")
        #expect(fault?.message().next == "its accounts: \"bert\"; to log in: authctl login chat -u anna")
        #expect(after.profile("chat")?.activeUsername == "bert")
    }

    @Test func `switch leaves a login alone that was made at another origin meanwhile`() throws {
        let (fault, after) = try run(["switch", "chat", "anna"], in: chat()) { document in
            document.updateProfile("chat", url: "https://m.example", origin: elsewhere) {
                $0.accounts.append(account("carl", elsewhere))
                $0.activeUsername = "carl"
            }
        }
        #expect(fault?.exitCode == .usage)
        let record = try #require(after.profile("chat"))
        #expect(record.origin == elsewhere && record.url == "https://m.example" && record.activeUsername == "carl")
    }

    @Test func `an account of an origin that the profile has left is not found, and not named`() throws {
        let world = try chat()
        try world.home.write(
            Examples.config.replacing("https://chat.example", with: "https://m.example"),
            to: "config/authctl/config.toml")
        let run = world.run("switch", "chat", "anna")
        #expect(run.code == 2 && !run.talk.contains("bert"), "\(run.talk)")
        #expect(run.talk.contains("authctl login chat"))
    }

    @Test func `of two spellings of one name only one is active`() throws {
        let world = try chat()
        try world.withWorld { real in
            _ = try Invocation(real, try GlobalOptions.parse([])).context.registry.update { document in
                document.profiles[0].accounts = ["caf\u{E9}", "cafe\u{301}"].map { account($0, origin) }
                document.profiles[0].activeUsername = "caf\u{E9}"
            }
        }
        let status = world.run("status", "chat", "--offline", "--json").output
        #expect(status.components(separatedBy: "\"active\" : true").count == 2, "\(status)")
        #expect(status.components(separatedBy: "\"active\" : false").count == 2)
    }
}
