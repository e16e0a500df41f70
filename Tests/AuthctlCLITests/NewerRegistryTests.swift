import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// Commands that find a `state.json` of a newer authctl.
struct NewerRegistryTests {
    private func world() throws -> TestWorld {
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
        let text = try world.home.read("state/authctl/state.json")
        try world.home.write(
            text.replacingOccurrences(of: "\"version\" : 1", with: "\"version\" : 2, \"colour\" : \"green\""),
            to: "state/authctl/state.json", mode: 0o600)
        return world
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
        let before = try world.home.read("state/authctl/state.json")
        let run = world.run(command, server: [])
        #expect(run.code == 0, "\(run.talk)")
        #expect(run.talk.contains("login deleted here") && run.talk.contains("newer authctl"), "\(run.talk)")
        #expect(try world.home.read("state/authctl/state.json") == before)
        #expect(!(try world.home.read("state/authctl/plaintext.json")).contains("wire"))
    }
}
