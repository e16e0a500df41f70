import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Testing

/// The file of a Unix socket.
@Suite struct SocketFileTests {
    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: home.path)
    }

    private func fault(_ path: String, creating: Bool = false) -> String? {
        do throws(LoginFault) {
            let file = try SocketFile(path, creating: creating)
            file.remove()
            close(file.descriptor)
            return nil
        } catch {
            return error.message().what
        }
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `a socket is closed to others whatever the file mask is, and gone at the end`() throws {
        let path = home.path + "/new/deep/a.sock"
        let file = try SocketFile(path, creating: true)
        #expect(try mode(path) == 0o600)
        #expect(try mode(home.path + "/new/deep") == 0o700)
        #expect(UnixAddress.connect(path) >= 0)
        file.remove()
        #expect(!FileManager.default.fileExists(atPath: path))
        close(file.descriptor)
    }

    @Test func `the socket of a killed run is replaced, one in use and other files are not`() throws {
        let path = home.path + "/a.sock"
        let killed = try SocketFile(path)
        #expect(fault(path)?.contains("another program listens") == true)
        close(killed.descriptor)
        // A program that another test is starting has the socket, too, until it is executed.
        #expect(eventually { fault(path) == nil })
        let text = try home.write("text", to: "b.sock")
        #expect(fault(text)?.contains("not a socket") == true)
        #expect(try home.read("b.sock") == "text")
        try FileManager.default.createSymbolicLink(atPath: home.path + "/c.sock", withDestinationPath: path)
        #expect(fault(home.path + "/c.sock")?.contains("not a socket") == true)
    }

    @Test func `a socket that another program has put there stays`() throws {
        let path = home.path + "/a.sock"
        let first = try SocketFile(path)
        try FileManager.default.removeItem(atPath: path)
        let second = try SocketFile(path)
        first.remove()
        #expect(FileManager.default.fileExists(atPath: path))
        second.remove()
        #expect(!FileManager.default.fileExists(atPath: path))
        close(first.descriptor)
        close(second.descriptor)
    }

    @Test func `a path that is too long, a folder that is missing and one that others may write in are told`() throws {
        #expect(fault(home.path + "/" + String(repeating: "x", count: 120))?.contains("at most 107 bytes") == true)
        #expect(fault(home.path + "/missing/a.sock")?.contains("no folder") == true)
        try FileManager.default.createDirectory(atPath: home.path + "/open", withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: home.path + "/open")
        #expect(fault(home.path + "/open/a.sock")?.contains("other users can write there") == true)
        #expect(fault(home.path + "/")?.contains("is a folder") == true)
    }

    @Test func `the sockets of killed runs are swept from the folder of all, and those in use stay`() throws {
        let environment = Environment(["XDG_RUNTIME_DIR": home.path, "HOME": home.path])
        let folder = RuntimeFolder(environment, try Paths(environment, config: nil))
        let paths = (0..<2).map { _ in folder.newSocket("serve", of: "blog") }
        let used = try SocketFile(paths[0], creating: true), killed = try SocketFile(paths[1], creating: true)
        close(killed.descriptor)
        // A program that another test is starting has the socket, too, until it is executed.
        let isSwept = eventually {
            folder.sweep(["serve", "approve"])
            return !FileManager.default.fileExists(atPath: paths[1])
        }
        #expect(isSwept && FileManager.default.fileExists(atPath: paths[0]))
        used.remove()
        close(used.descriptor)
    }

    @Test func `a long profile's name is left out of a path that has no room for it`() throws {
        let environment = Environment(["XDG_RUNTIME_DIR": "/run/user/1000", "HOME": "/home/ann"])
        let folder = RuntimeFolder(environment, try Paths(environment, config: nil))
        #expect(folder.newSocket("serve", of: "blog").hasPrefix("/run/user/1000/authctl/serve-blog-"))
        let long = folder.newSocket("serve", of: String(repeating: "x", count: 100))
        #expect(long.utf8.count < 60)
        let bare = Environment(["HOME": "/home/ann"])
        #expect(RuntimeFolder(bare, try Paths(bare, config: nil)).path == "/home/ann/.local/state/authctl/run")
    }
}
