import Glibc
import Secrets

/// The name of this machine among those that share logins: the host's, with a number, since hosts have one name in many containers. The
/// state folder has it, as everything else by which one machine is told from another.
enum MachineName {
    /// - Parameter folder: the state folder, an absolute path.
    static func read(folder: String) throws(StoreFault) -> String {
        let file = SafeFile(folder: "\(folder)/shared", name: "machine", limit: 1024, wait: SafeFile.usualWait)
        if let name = try file.read() { return name.unprotectedText }
        var name = ownHostName() + "-" + Hexadecimal.text(Cipher.randomBytes(4))
        try file.update { (present) throws(StoreFault) in
            // Another process may have been faster.
            guard let present else { return Secret(name) }
            name = present.unprotectedText
            return nil
        }
        return name
    }
}
