import Glibc
import Secrets

/// A file that curl reads, too (netrc(5)).
package enum NetrcFile {
    /// Where curl looks for it.
    package static func path(_ paths: Paths) throws(LoginFault) -> String {
        guard let home = paths.home else { throw fault("~/.netrc", "cannot be found: HOME is not set") }
        return home + "/.netrc"
    }

    /// The login for the profile's host in a file that curl reads, too (netrc(5)). Its entry `default` is for nobody.
    /// - Throws: `usage` for a file that others can read, that has no such entry or anything that is not of the grammar, or where the
    ///   login would go out in clear.
    static func entry(
        in path: String, for profile: Profile, username: String?, allowsBlank: Bool, _ context: LoginContext
    ) throws(LoginFault) -> NetrcEntry {
        let origin = try context.connections.endpoint(profile).origin
        guard !profile.settings.allowHTTP || origin.scheme == "https" else {
            throw fault(path, "is used over https and on this machine alone; leave out allow-http")
        }
        let text = try read(path)
        let found: NetrcEntry?
        do {
            found = try NetrcEntry.find(for: origin, username: username, in: text)
        } catch {
            throw fault(path, error.words)
        }
        guard let found else {
            let named = username.map { " for \(SafeText.quoted($0))" } ?? ""
            throw fault(path, "has no entry for the machine \(origin.host) with a password\(named)")
        }
        context.topic.passwordSource = "line \(found.line) of \(SafeText.quoted(path))"
        guard allowsBlank || !found.password.isEmpty else {
            throw fault(path, "line \(found.line): the password is blank; --blank-password allows that")
        }
        guard found.password.isUTF8 else { throw .usage(.invalidUTF8(.password)) }
        return found
    }

    private static func read(_ path: String) throws(LoginFault) -> Secret {
        let descriptor = openNamed(path)
        guard descriptor >= 0 else { throw fault(path, "cannot be read: \(SystemWords.of(errno))") }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            throw fault(path, "is no file")
        }
        guard [0, getuid()].contains(information.st_uid), information.st_mode & 0o077 == 0 else {
            throw fault(path, "can be read by other users; run: \(ShellCommand("chmod", "600", path))")
        }
        do {
            return try SecretFile.all(of: descriptor, limit: longest, waiting: nil)
        } catch {
            throw fault(path, error == .tooLong ? "is longer than \(longest) bytes" : error.words)
        }
    }

    private static let longest = 1 << 20

    private static func fault(_ path: String, _ problem: String) -> LoginFault {
        .usage(.badValue(option: SafeText.quoted(path), problem: problem))
    }
}

extension NetrcFault {
    /// The line and the fault, with what belongs there.
    fileprivate var words: String {
        "line \(line): \(problem); nothing of the file was used"
    }
}
