import Foundation
import LoginCore
import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// The configuration file on the disk: whose it is, who can write it, and what else may lie in its place.
struct ConfigFileTests {
    private let world: TestWorld
    private let path: String

    init() throws {
        world = try TestWorld(config: Examples.wire)
        path = "\(world.home.config)/authctl/config.toml"
    }

    private func list() -> Run { world.run("profile", "list") }

    @Test(arguments: [0o600, 0o644, 0o444, 0o640]) func `it may be readable by all`(mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        #expect(list().code == 0)
    }

    @Test(arguments: [0o620, 0o602, 0o666, 0o660]) func `it must be writable by no one else`(mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let run = list()
        #expect(run.code == 2 && run.output.isEmpty)
        #expect(run.talk.contains("can be written by others; run: chmod go-w '\(path)'"))
    }

    @Test func `it may be a symbolic link`() throws {
        try FileManager.default.moveItem(atPath: path, toPath: path + ".real")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".real")
        #expect(list().code == 0)
    }

    @Test func `F2 a FIFO in its place does not hang, and is no file`() throws {
        try FileManager.default.removeItem(atPath: path)
        #expect(mkfifo(path, 0o600) == 0)
        let run = list()
        #expect(run.code == 2 && run.talk.contains("is not a file"))
    }

    @Test func `a folder and a device in its place are no files`() throws {
        try FileManager.default.removeItem(atPath: path)
        for target in ["/dev/null", "/tmp"] {
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
            let run = list()
            #expect(run.code == 2 && run.talk.contains("config.toml"))
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test func `none at all is no fault, but one that was named has to be there`() throws {
        try FileManager.default.removeItem(atPath: path)
        #expect(
            list()
                == Run(
                    code: 0, output: "",
                    talk: "There is no profile yet. Log in with a URL: authctl login https://HOST/PATH\n"))
        #expect(world.run("profile", "list", "--config", "/nonexistent/c.toml").code == 2)
        world.variables["AUTHCTL_CONFIG"] = "/nonexistent/c.toml"
        #expect(list().code == 2)
    }

    @Test func `a NUL, bytes that are no UTF-8 and a file without end are refused`() throws {
        for bytes in [
            Array("default = \"a\u{0}b\"".utf8), [0x61, 0xff], [UInt8](repeating: 0x23, count: (1 << 20) + 1),
        ] {
            try Data(bytes).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            #expect(list().code == 2)
        }
    }

    @Test func `a profile that authctl made is held to the same rules`() throws {
        let file = try world.home.write(
            "url = \"https://m.example\"\nverify = { get = \"/\" }\n", to: "config/authctl/profiles/made.toml",
            mode: 0o666)
        #expect(world.run("profile", "show", "made").code == 2)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        #expect(world.run("profile", "show", "made").code == 0)
    }

    @Test func `config.toml wins over a made profile of the same name`() throws {
        try world.home.write(
            "url = \"https://other.example\"\nverify = { get = \"/\" }\n", to: "config/authctl/profiles/wire.toml")
        #expect(world.run("profile", "show", "wire").output.contains("api.wire.example"))
    }
}
