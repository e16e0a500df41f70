import Foundation
@testable import LoginTestSupport
import Testing

/// A machine that ssh leads to: Debian's sshd, whose user this machine does not have; it goes by a name for each login shell. As root alone.
final class FarMachine {
    static let user: UInt32 = 61_999
    static let isPossible = ConditionTrait.enabled(if: getuid() == 0, "only root serves another user")
    /// Those of one name each that are installed, and one that prints.
    static let shells = ["sh": "sh", "bash": "bash", "fish": "fish", "csh": "tcsh", "loud": "bash"].filter {
        RealServer.isRequired || RealServer.path(of: $0.value) != nil
    }

    let folder: String
    private let server: SSHServer

    init() throws {
        let folder = "/tmp/authctl-far-\(UUID().uuidString)"
        self.folder = folder
        for name in ["", "/run", "/bare"] + Self.names.map({ "/" + $0.key }) {
            try FileManager.default.createDirectory(
                atPath: folder + name, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
            guard !name.isEmpty else { continue }
            try #require(chown(folder + name, Self.user, Self.user) == 0)
        }
        for name in ["sh", "cat", "rm", "echo"] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/bare/\(name)", withDestinationPath: try #require(RealServer.path(of: name)))
        }
        func write(_ text: String, _ name: String) throws {
            try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        }
        try write("printf 'welcome without a line end'\necho loud >&2\n", "loud/.bashrc")
        let users = try Self.names.map { name, shell in
            "\(name):*:\(Self.user):\(Self.user)::\(folder)/\(name):\(try #require(RealServer.path(of: shell)))\n"
        }
        try write(String(contentsOfFile: "/etc/passwd", encoding: .utf8) + users.joined(), "passwd")
        server = try SSHServer(
            in: folder,
            """
            SetEnv XDG_RUNTIME_DIR=\(folder)/run
            Match User closed
                AllowTcpForwarding no
            Match User stuck
                ForceCommand cat
            Match User bare
                SetEnv XDG_RUNTIME_DIR=\(folder)/run PATH=\(folder)/bare
            """,
            under: ["unshare", "-m", "sh", "-c", "mount --bind \(folder)/passwd /etc/passwd && exec \"$@\"", "sh"])
    }

    deinit {
        for process in processes(of: "") { kill(process, SIGKILL) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static var names: [String: String] {
        shells.merging(["bare": "sh", "closed": "sh", "stuck": "sh"]) { $1 }
    }

    /// What ssh has to know, each as behind `-o`.
    var options: [String] { server.options + ["BatchMode=yes"] }

    /// The folders of runs.
    var left: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder + "/run")) ?? [] }

    /// The user's processes whose command lines have this in them.
    func processes(of text: String) -> [pid_t] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { pid_t($0) }.filter { process in
            var status = stat()
            guard stat("/proc/\(process)", &status) == 0, status.st_uid == Self.user else { return false }
            let line = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
            return text.isEmpty || String(decoding: line, as: UTF8.self).contains(text)
        }
    }
}
