import Foundation
@testable import LoginTestSupport
import Testing

/// Debian's sshd on loopback, with a key of its own for each side.
final class SSHServer {
    let port: UInt16
    private let folder: String
    private let pty: Pty

    /// - Parameters:
    ///   - folder: for the keys and the configuration; it is there.
    ///   - lines: more of sshd_config(5).
    ///   - launcher: the words of what starts it.
    init(in folder: String, _ lines: String, under launcher: [String] = []) throws {
        (self.folder, port) = (folder, try FreePort.next())
        for key in ["host", "person"] {
            let words = ["-q", "-t", "ed25519", "-N", "", "-f", "\(folder)/\(key)"]
            try #require(try Command.tool("ssh-keygen", words).code == 0)
        }
        let text = """
            ListenAddress 127.0.0.1:\(port)
            HostKey \(folder)/host
            AuthorizedKeysFile \(folder)/person.pub
            StrictModes no
            UsePAM no
            PidFile none
            \(lines)

            """
        try text.write(toFile: "\(folder)/sshd_config", atomically: true, encoding: .utf8)
        if getuid() == 0 {
            try FileManager.default.createDirectory(atPath: "/run/sshd", withIntermediateDirectories: true)
        }
        let sshd = try #require(RealServer.path(of: "sshd"))
        let words = launcher + [sshd, "-D", "-e", "-f", "\(folder)/sshd_config"]
        let program = try launcher.first.map { try #require(RealServer.path(of: $0)) } ?? sshd
        let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        pty = try Pty(ChildSpec(program, Array(words.dropFirst()), environment: environment))
        try pty.wait(for: "Server listening on")
    }

    deinit { pty.child.send(signal: SIGTERM) }

    /// What it has written.
    var text: String { pty.text }

    /// What ssh has to know, each as behind `-o`.
    var options: [String] {
        [
            "HostName=127.0.0.1", "Port=\(port)", "IdentityFile=\(folder)/person", "IdentitiesOnly=yes",
            "UserKnownHostsFile=\(folder)/known", "StrictHostKeyChecking=accept-new", "LogLevel=ERROR",
        ]
    }
}
