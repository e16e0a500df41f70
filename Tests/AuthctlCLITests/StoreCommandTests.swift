import ArgumentParser
import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// What is said about stores: that they cannot be set up, tried or found, and where a login is kept.
struct StoreCommandTests {
    private let basic = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"wire\""])

    private func named(_ name: String) -> HTTPResponse { .answer(200, "{\"screen_name\":\"\(name)\"}") }

    /// Logged in to `wire` as anna, in the plaintext store.
    private func wire() throws -> TestWorld {
        let world = try TestWorld(config: Examples.wire)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        #expect(world.run("login", "wire", server: [basic, named("Anna")]).code == 0)
        world.person = ScriptedPerson()
        return world
    }

    private func keyFile(_ world: TestWorld) throws -> String {
        let path = "\(world.home.path)/key"
        let key = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
        #expect(FileManager.default.createFile(atPath: path, contents: key, attributes: [.posixPermissions: 0o600]))
        return path
    }

    @Test func `store init in a folder that is not safe says so, and not that there is a file`() throws {
        let world = try TestWorld()
        try FileManager.default.createDirectory(
            atPath: "\(world.home.path)/state/authctl", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        let run = world.run("store", "init", "file", "--key-file", try keyFile(world))
        #expect(run.code == 8 && run.talk.contains("other users have access to it"), "\(run.talk)")
        #expect(!run.talk.contains("already set up"))
        #expect(!world.home.files.contains { $0.hasSuffix(EncryptedFileStore.fileName) })
    }

    @Test(arguments: ["none", "auto", "nowhere"]) func `store test of what is not a store that keeps logins is 2`(
        name: String
    ) throws {
        let run = try TestWorld().run("store", "test", name)
        #expect(run.code == 2 && run.output.isEmpty && run.talk.contains("keeps"), "\(run.talk)")
    }

    @Test func `store list says that plain text is unencrypted, chosen or not`() throws {
        let world = try TestWorld()
        let line = { () -> String in
            let lines = world.run("store", "list").output.split(separator: "\n")
            return lines.first { $0.hasPrefix("plaintext") }.map(String.init) ?? ""
        }
        #expect(line().hasSuffix("  yes     chosen by AUTHCTL_STORE; unencrypted"), "\(line())")
        world.variables["AUTHCTL_STORE"] = nil
        #expect(line().hasSuffix("  yes     used only by name; unencrypted"), "\(line())")
        (world.terminals, world.variables["NO_COLOR"]) = ([STDOUT_FILENO], "1")
        #expect(line().contains("  ! yes  "), "\(line())")
        world.isUnicode = false
        #expect(line().contains("  [warning] yes  "), "\(line())")
    }

    @Test func `store list names a helper that was chosen and is not there`() throws {
        let world = try TestWorld()
        world.variables["AUTHCTL_STORE"] = "helper:gone"
        let lines = world.run("store", "list").output.split(separator: "\n").filter { $0.contains("chosen by") }
        #expect(lines.count == 1 && lines[0].hasPrefix("helper:gone "), "\(lines)")
        #expect(lines.first?.contains(" no ") == true)
        #expect(lines.first?.contains("chosen by AUTHCTL_STORE, but: ") == true)
        #expect(lines.first?.contains("docker-credential-gone was not found in PATH") == true)
    }

    @Test(arguments: [["--persist", "none"], ["--store", "none"]])
    func `a login that is not kept does not tell where an earlier one was`(options: [String]) throws {
        let world = try wire()
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw"), ScriptedPerson.types("anna", "pw")])
        let login = ["login", "wire", "--force"] + options
        let said = world.run(login, server: [.success(basic), .success(named("Anna"))])
        #expect(said.code == 0 && said.talk.contains("The login was not stored"), "\(said.talk)")
        // Nor does it take anybody's place, which a person would be asked about.
        let told = world.run(login + ["--json"], server: [.success(basic), .success(named("Mallory"))])
        #expect(told.code == 0 && told.output.contains("\"username\" : \"Mallory\""), "\(told.talk)")
        #expect(!told.output.contains("\"store\""))
        #expect(world.run("whoami", "wire", "--offline").output == "Anna\n")
        // What was there already is still there.
        let there = world.run(["login", "wire", "--json"] + options, server: [.success(named("Anna"))])
        #expect(there.code == 0 && there.output.contains("\"store\" : \"plaintext\""), "\(there.talk)")
    }

    @Test func `only auto passes over the encrypted file`() throws {
        let world = try TestWorld(config: Examples.forge)
        world.variables["AUTHCTL_STORE"] = nil
        let tip = { (store: StoreName?) in
            try world.withWorld { real in
                let invocation = try Invocation(real, try GlobalOptions.parse([]))
                var request = LoginRequest()
                request.store = store?.description
                let run = try LoginRun(invocation.context, try invocation.context.profile(named: "forge"), request)
                let record = AccountRecord(
                    username: "anna", serverName: nil, origin: run.endpoint.origin, store: .keyring, kind: .token,
                    expires: nil, savedAt: 0)
                return invocation.tip(record, run)
            }
        }
        #expect(try tip(nil)?.contains("authctl store init file") == true)
        #expect(try tip(.keyring)?.contains("authctl store init file") == true)
        #expect(world.run("store", "init", "file", "--key-file", try keyFile(world)).code == 0)
        #expect(try tip(nil)?.contains("was skipped") == true)
        #expect(try tip(.keyring) == nil)
    }
}
