import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// `store move`, and who may take the place of a login that is there.
struct StoreMoveTests {
    private let anonymous = HTTPResponse.answer(401)

    /// Logged in to `wire` with Basic, in the plaintext store.
    private func wire(_ name: String, calledBy server: String = "Anna A.", in supplied: TestWorld? = nil) throws
        -> TestWorld
    {
        let world = try supplied ?? TestWorld(config: Examples.config)
        world.person = ScriptedPerson([ScriptedPerson.types(name, "pw-\(name)")])
        let run = world.run(
            "login", "wire", "--force", "--store", "plaintext",
            server: [basic, .answer(200, "{\"screen_name\":\"\(server)\"}")])
        #expect(run.code == 0, "\(run.talk)")
        world.person = ScriptedPerson()
        return world
    }

    private var basic: HTTPResponse { .answer(401, headers: ["WWW-Authenticate: Basic realm=\"wire\""]) }

    private func keyFile(_ world: TestWorld) throws -> String {
        let path = "\(world.home.path)/key"
        let key = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
        #expect(FileManager.default.createFile(atPath: path, contents: key, attributes: [.posixPermissions: 0o600]))
        return path
    }

    @Test func `all accounts of a store move, and are told one by one`() throws {
        let world = try wire("bert", calledBy: "Bert", in: wire("anna"))
        #expect(world.run("store", "init", "file", "--key-file", try keyFile(world)).code == 0)
        let moved = world.run("store", "move", "plaintext", "file")
        #expect(moved.code == 0 && moved.output == "")
        #expect(moved.talk.contains("Moved Anna A. of wire (https://api.wire.example) from 'plaintext' to 'file'."))
        #expect(moved.talk.contains("Moved Bert of wire"))
        #expect(world.run("token", "wire", "--header", "-u", "anna").output.hasPrefix("Authorization: Basic "))
        #expect(world.run("store", "move", "plaintext", "file").talk.contains("nothing was moved"))
    }

    @Test func `what an interrupted move has left is erased by the next one, and told`() throws {
        let world = try wire("anna")
        #expect(world.run("store", "init", "file", "--key-file", try keyFile(world)).code == 0)
        let folder = "\(world.home.path)/state/authctl"
        let path = "\(folder)/\(PlaintextStore.fileName)"
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(world.run("store", "move", "plaintext", "file").code == 0)
        // As if it had been killed before the old copy was erased.
        #expect(FileManager.default.createFile(atPath: path, contents: before, attributes: [.posixPermissions: 0o600]))
        let id = AccountID(
            profile: "wire", origin: Origin(scheme: "https", host: "api.wire.example", port: 443), username: "anna")
        try AccountRegistry(folder: folder).update { $0.updateAccount(id) { $0.otherCopies = [.plaintext] } }
        let again = world.run("store", "move", "plaintext", "file", "--json")
        #expect(again.code == 0)
        #expect(again.talk.contains("already in 'file'; the old copy in 'plaintext' was erased."))
        #expect(again.output.contains("\"to\":\"file\"") || again.output.contains("\"to\" : \"file\""))
        #expect(try !PlaintextStore(folder: folder).contains(id))
        #expect(world.run("token", "wire", "--header").code == 0)
        #expect(world.run("store", "move", "plaintext", "file").talk.contains("nothing was moved"))
    }

    @Test func `a fault that stops every account is told once`() throws {
        let world = try wire("bert", calledBy: "Bert", in: wire("anna"))
        #expect(world.run("store", "init", "file", "--key-file", try keyFile(world)).code == 0)
        let path = "\(world.home.path)/state/authctl/\(PlaintextStore.fileName)"
        try Data("damaged".utf8).write(to: URL(fileURLWithPath: path))
        let moved = world.run("store", "move", "plaintext", "file")
        #expect(moved.code == 8 && moved.output == "")
        #expect(moved.talk.split(separator: "\n").count { $0.hasPrefix("authctl: ") } == 1, "\(moved.talk)")
    }

    @Test func `-u moves one alone, and the JSON names it`() throws {
        let world = try wire("bert", calledBy: "Bert", in: wire("anna"))
        #expect(world.run("store", "init", "file", "--key-file", try keyFile(world)).code == 0)
        let moved = world.run("store", "move", "plaintext", "file", "-u", "anna", "--json", "-q")
        try Snapshot.expect(moved.output, "json-store-move")
        #expect(world.run("status", "wire", "--offline", "--json").output.contains("plaintext"))
    }

    @Test(arguments: [
        ["file", "file"], ["none", "file"], ["plaintext", "nowhere"], ["plaintext", "helper:authctl"],
    ])
    func `what cannot be moved is a usage error`(words: [String]) throws {
        let world = try wire("anna")
        #expect(world.run(["store", "move"] + words, server: []).code == 2)
        #expect(world.run("token", "wire", "--header").code == 0)
    }

    @Test func `to a store that is not set up nothing moves`() throws {
        let world = try wire("anna")
        #expect(world.run("store", "move", "plaintext", "file").code == 8)
        #expect(world.run("token", "wire", "--header").code == 0)
    }

    @Test func `the server names another person: asked, and kept on a no`() throws {
        let world = try wire("anna")
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "other")], replace: [false])
        let mallory = HTTPResponse.answer(200, "{\"screen_name\":\"Mallory\"}")
        let refused = world.run("login", "wire", "--force", "--store", "plaintext", server: [basic, mallory])
        #expect(refused.code == 5)
        #expect(world.person.prompt.replacements.map(\.confirmed.serverName) == ["Mallory"])
        #expect(world.run("whoami", "wire", "--offline").output == "Anna A.\n")
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "other")], replace: [true])
        #expect(world.run("login", "wire", "--force", "--store", "plaintext", server: [basic, mallory]).code == 0)
        #expect(world.run("whoami", "wire", "--offline").output == "Mallory\n")
    }

    @Test func `the server names another person, and nobody can be asked: 4, and nothing is replaced`() throws {
        let world = try wire("anna")
        world.password = Secret("other")
        world.variables["AUTHCTL_USERNAME"] = "anna"
        let run = world.run(
            "login", "wire", "--store", "plaintext",
            server: [basic, .answer(200, "{\"screen_name\":\"Mallory\"}")])
        #expect(run.code == 4)
        #expect(run.talk.contains("\"Mallory\"") && run.talk.contains("\"Anna A.\""))
        #expect(world.run("whoami", "wire", "--offline").output == "Anna A.\n")
    }

    @Test func `another name is another account, and nobody is asked`() throws {
        let world = try wire("mallory", calledBy: "Mallory", in: wire("anna"))
        #expect(world.run("whoami", "wire", "--offline").output == "Mallory\n")
        #expect(world.run("whoami", "wire", "--offline", "-u", "anna").output == "Anna A.\n")
    }
}
