import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// Commands that find a `state.json` of a newer authctl.
struct NewerRegistryTests {
    private static let file = "state/authctl/state.json"

    private func loggedIn() throws -> TestWorld {
        let world = try TestWorld(config: Examples.config)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw-anna")])
        let run = world.run(
            "login", "wire", "--store", "plaintext",
            server: [
                .answer(401, headers: ["WWW-Authenticate: Basic realm=\"wire\""]),
                .answer(200, "{\"screen_name\":\"Anna\"}"),
            ])
        #expect(run.code == 0, "\(run.talk)")
        world.person = ScriptedPerson()
        return world
    }

    private func world() throws -> TestWorld {
        let world = try loggedIn(), text = try world.home.read(Self.file)
        try world.home.write(
            text.replacingOccurrences(of: "\"version\" : 1", with: "\"version\" : 2, \"colour\" : \"green\""),
            to: Self.file, mode: 0o600)
        return world
    }

    private func records(_ world: TestWorld) throws -> (document: [String: Any], accounts: [[String: Any]]) {
        let text = try world.home.read(Self.file)
        let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let profile = try #require((document["profiles"] as? [[String: Any]])?.first)
        return (document, try #require(profile["accounts"] as? [[String: Any]]))
    }

    @Test func `An account that a newer authctl has logged in is 8, and the other one of the profile works`() throws {
        let world = try loggedIn()
        var (document, accounts) = try records(world)
        var profile = try #require((document["profiles"] as? [[String: Any]])?.first)
        accounts.append(accounts[0].merging(["username": "bert", "serverName": "Bert", "kind": "passkey"]) { $1 })
        profile["accounts"] = accounts
        document["profiles"] = [profile]
        try world.home.write(
            String(decoding: try JSONSerialization.data(withJSONObject: document), as: UTF8.self), to: Self.file,
            mode: 0o600)

        #expect(world.run("whoami", "wire", "--offline", server: []).code == 0)
        let status = world.run("status", "wire", "--offline", server: [])
        #expect(status.code == 8 && status.talk.contains("\"bert\" in "), "\(status.talk)")
        for command in [["whoami", "wire", "--offline"], ["login", "wire", "--force"]] {
            let run = world.run(command + ["-u", "bert"], server: [])
            #expect(run.code == 8 && run.talk.contains("newer authctl; it was left as it is"), "\(run.talk)")
            #expect(run.talk.contains("upgrade authctl"), "\(run.talk)")
        }
        let run = world.run("logout", "wire", "--all", server: [])
        #expect(run.code == 8 && run.talk.contains("login deleted here"), "\(run.talk)")
        accounts = try records(world).accounts
        #expect(accounts.map { $0["username"] as? String } == ["bert"])
        #expect(accounts[0]["kind"] as? String == "passkey")
    }

    @Test(arguments: [["whoami", "wire", "--offline"], ["status", "--offline"], ["token", "wire", "--header"]])
    func `A state file of a newer authctl is 8, and the message says to upgrade`(command: [String]) throws {
        let run = try world().run(command, server: [])
        #expect(run.code == 8, "\(run.talk)")
        #expect(run.talk.contains("was written by a newer authctl"), "\(run.talk)")
        // The table of all accounts has no room for advice.
        #expect(run.talk.contains("upgrade authctl") == (command[0] != "status"), "\(run.talk)")
    }

    @Test(arguments: [["logout", "wire"], ["logout", "--all"]])
    func `A logout erases what a newer state file names, and leaves that file as it is`(command: [String]) throws {
        let world = try world()
        let before = try world.home.read(Self.file)
        let run = world.run(command, server: [])
        #expect(run.code == 0, "\(run.talk)")
        #expect(run.talk.contains("login deleted here") && run.talk.contains("newer authctl"), "\(run.talk)")
        #expect(try world.home.read(Self.file) == before)
        #expect(!(try world.home.read("state/authctl/plaintext.json")).contains("wire"))
    }
}
