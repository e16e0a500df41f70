import Glibc
import LoginCore
import Secrets

extension LoginContext {
    /// Where curl looks for it.
    package var netrcFile: String {
        get throws(LoginFault) {
            guard let home = paths.home else { throw Self.fault("~/.netrc", "cannot be found: HOME is not set") }
            return home + "/.netrc"
        }
    }

    /// The login for the profile's host in a file that curl reads, too (netrc(5)). Its entry `default` is for nobody.
    /// - Throws: `usage` for a file that others can read, that has no such entry, or where the login would go out in clear.
    package func netrcEntry(
        in path: String, for profile: Profile, username: String?
    ) throws(LoginFault) -> NetrcEntry {
        let origin = try endpoint(profile).origin
        guard !profile.settings.allowHTTP || origin.scheme == "https" else {
            throw Self.fault(path, "is used over https and on this machine alone; leave out allow-http")
        }
        let text = try Self.read(path)
        guard let entry = NetrcEntry.find(host: origin.host, username: username, in: text) else {
            let named = username.map { " for \(SafeText.quoted($0))" } ?? ""
            throw Self.fault(path, "has no entry for the machine \(origin.host) with a password\(named)")
        }
        return entry
    }

    private static func read(_ path: String) throws(LoginFault) -> Secret {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw fault(path, "cannot be read: \(SystemWords.of(errno))") }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            throw fault(path, "is no file")
        }
        guard [0, getuid()].contains(information.st_uid), information.st_mode & 0o077 == 0 else {
            throw fault(path, "can be read by other users; run: \(ShellCommand("chmod", "600", path))")
        }
        var text = SecretBuilder(limit: longest)
        do throws(SecretFile.Problem) {
            try SecretFile.eachByte(of: descriptor, waiting: nil) { (byte) throws(SecretFile.Problem) in
                do throws(SecretBuilder.LimitExceeded) { try text.append(byte) } catch { throw .tooLong }
                return true
            }
        } catch {
            throw fault(path, error == .tooLong ? "is longer than \(longest) bytes" : error.words)
        }
        return text.finish()
    }

    private static let longest = 1 << 20

    private static func fault(_ path: String, _ problem: String) -> LoginFault {
        .usage(.badValue(option: SafeText.quoted(path), problem: problem))
    }
}
