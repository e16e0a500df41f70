import LoginCore

/// The command that brings the loopback port of this machine to the one where the browser is.
struct SSHTunnel {
    let command: ShellCommand

    /// - Returns: `nil` unless somebody is logged in here by ssh (sshd(8), `SSH_CONNECTION`: address and port of the client, then
    ///   of the server).
    init?(_ environment: ProgramEnvironment, to redirect: LoopbackRedirect, port: Int) {
        let words = (environment["SSH_CONNECTION"] ?? "").split(separator: " ").map(String.init)
        guard words.count == 4, Self.isAddress(words[2]), let server = Int(words[3]), (1...65535).contains(server)
        else { return nil }
        let user = [environment["USER"], environment["LOGNAME"]].compactMap { $0 }.first { !$0.isEmpty }
        let option = server == 22 ? [] : ["-p", String(server)]
        let tunnel = "\(port):\(redirect.host.rawValue):\(port)"
        command = ShellCommand(
            ["ssh"] + option + ["-N", "-L", tunnel, (user.map { "\(SafeText.escaped($0))@" } ?? "") + words[2]])
    }

    /// Whether a text is an address of either family, perhaps with a zone (RFC 4007, section 11).
    private static func isAddress(_ text: String) -> Bool {
        !text.hasPrefix("-")
            && text.utf8.allSatisfy { byte in
                ".:%-_".utf8.contains(byte) || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
            }
    }
}
