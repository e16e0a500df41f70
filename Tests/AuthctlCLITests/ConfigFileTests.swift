import Foundation
@testable import LoginKit
@testable import LoginTestSupport
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

    @Test(.enabled(if: getuid() == 0, "only root can give a file away"), arguments: [0o620, 0o660])
    func `A group may write the configuration only if it is the user's own`(mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        #expect(list().code == 0)
        #expect(chown(path, 0, 54321) == 0)
        let run = list()
        #expect(run.code == 2 && run.talk.contains("is writable by others; run: chmod go-w \(path)"))
    }

    @Test(arguments: ["config.toml", "profiles/there.toml"])
    func `A link through a folder in which others may write is not followed`(name: String) throws {
        let folder = "\(world.home.config)/authctl", shared = folder + "/shared"
        for made in [shared, folder + "/profiles"] {
            try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true)
        }
        let file = "\(folder)/\(name)"
        if name == "config.toml" {
            try FileManager.default.moveItem(atPath: file, toPath: folder + "/real.toml")
        } else {
            try "url = \"https://there.example\"\nverify = { get = \"/\" }\n"
                .write(toFile: folder + "/real.toml", atomically: false, encoding: .utf8)
        }
        try FileManager.default.createSymbolicLink(
            atPath: shared + "/link", withDestinationPath: folder + "/real.toml")
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: shared + "/link")
        let words = name == "config.toml" ? ["profile", "list"] : ["profile", "show", "there"]
        #expect(world.run(words, server: []).code == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: shared)
        let run = world.run(words, server: [])
        #expect(run.code == 2 && run.talk.contains("shared"), "\(run.talk)")
        #expect(run.talk.contains("is not safe to read from: other users can write there"))
    }

    @Test(arguments: [0o602, 0o666]) func `it must be writable by no one else`(mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let run = list()
        #expect(run.code == 2 && run.output.isEmpty)
        #expect(run.talk.contains("is writable by others; run: chmod go-w \(path)"))
    }

    @Test func `it may be a symbolic link`() throws {
        try FileManager.default.moveItem(atPath: path, toPath: path + ".real")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".real")
        #expect(list().code == 0)
    }

    @Test func `a FIFO in its place does not hang, and is no file`() throws {
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

    /// What a folder that its group may write to ends with. Only root can give it to a group that is not the user's own.
    private var foreignGroup: Int32 { getuid() == 0 ? 2 : 0 }

    private func giveToForeignGroup(_ folder: String) throws {
        if getuid() == 0 { #expect(chown(folder, 0, 54321) == 0) }
    }

    @Test func `the folder of the profiles that authctl made must be writable by no one else`() throws {
        try world.home.write(
            "url = \"https://m.example\"\nverify = { get = \"/\" }\n", to: "config/authctl/profiles/made.toml")
        let folder = "\(world.home.config)/authctl/profiles"
        try giveToForeignGroup(folder)
        for (mode, code) in [(0o777, 2), (0o770, foreignGroup), (0o755, 0), (0o700, 0)] as [(Int, Int32)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder)
            #expect(world.run("profile", "show", "made").code == code)
        }
    }

    @Test func `config.toml wins over a made profile of the same name`() throws {
        try world.home.write(
            "url = \"https://other.example\"\nverify = { get = \"/\" }\n", to: "config/authctl/profiles/wire.toml")
        #expect(world.run("profile", "show", "wire").output.contains("api.wire.example"))
    }

    @Test(arguments: ["config/authctl", "config", "."])
    func `the folder of a configuration file and all above it must be writable by no one else`(name: String) throws {
        let folder = "\(world.home.path)/\(name)"
        try giveToForeignGroup(folder)
        for (mode, code) in [(0o777, 2), (0o770, foreignGroup), (0o1777, 0), (0o755, 0)] as [(Int, Int32)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder)
            let run = list()
            #expect(run.code == code, "\(String(mode, radix: 8)): \(run.talk)")
            if code == 2 { #expect(run.talk.contains("is not safe to read from: other users can write there")) }
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root can give a folder away"), arguments: ["config/authctl", "config"])
    func `the folder of a configuration file and all above it belong to the user or to root`(name: String) throws {
        #expect(chown("\(world.home.path)/\(name)", 54321, 54321) == 0)
        let run = list()
        #expect(run.code == 2 && run.talk.contains("belongs to another user, uid 54321"), "\(run.talk)")
    }

    @Test func `where it is a link, the folders that it leads to are looked at too`() throws {
        let other = "\(world.home.path)/other"
        try FileManager.default.createDirectory(
            atPath: other, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o777])
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: other)
        try FileManager.default.moveItem(atPath: path, toPath: other + "/config.toml")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other + "/config.toml")
        #expect(list().code == 2)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: other)
        #expect(list().code == 0)
    }

    @Test(arguments: ["home", "./home", "../home"])
    func `a home that is not absolute is 2, and nothing lands in the working directory`(home: String) throws {
        world.variables["HOME"] = home
        #expect(list().code == 0)
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
            let set = world.variables[name]
            world.variables[name] = nil
            let run = list()
            #expect(run.code == 2 && run.talk.contains("not an absolute path"), "\(run.talk)")
            // A relative one counts as none (XDG Base Directory Specification).
            world.variables[name] = "here"
            #expect(list().code == 2)
            world.variables[name] = set
        }
        #expect(!FileManager.default.fileExists(atPath: home))
    }
}
