import FoundationEssentials
import Glibc
import Secrets

/// The replies of docker's credential helpers for failures, in their own words: clients compare them.
///
/// See <https://github.com/docker/docker-credential-helpers>, `credentials/error.go`.
package enum DockerReply: String, Equatable, Sendable {
    case notFound = "credentials not found in native keychain"
    case noURL = "no credentials server URL"
    case noUsername = "no credentials username"
}

/// One entry as the helpers and their clients exchange it. The secret is a `String`, since JSON is made of those.
package struct DockerCredentials: Codable {
    /// docker's manual has `get` print it without.
    package let url: String?
    /// Empty where a request of a client left it out.
    package let username: String
    /// The password or token.
    package let secret: String

    private enum CodingKeys: String, CodingKey {
        case url = "ServerURL"
        case username = "Username"
        case secret = "Secret"
    }

    /// The texts as they are; what of them may not be empty is for the command to say.
    package init(url: String, username: String, secret: String) {
        self.url = url
        self.username = username
        self.secret = secret
    }

    /// As docker-credential-pass answered before 0.8 where it had nothing.
    var isNothing: Bool { username.isEmpty && secret.isEmpty }

    /// Reads what a client sends to be stored; a missing member is empty, as for docker's own helpers.
    /// - Returns: `nil` for anything but one object whose members of these names are texts; others are ignored.
    package static func request(_ text: Secret) -> DockerCredentials? {
        SecretJSON.decode(Request.self, from: text)?.credentials
    }

    private struct Request: Decodable {
        let credentials: DockerCredentials

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            let member = { (key: CodingKeys) in try members.decodeIfPresent(String.self, forKey: key) ?? "" }
            credentials = DockerCredentials(
                url: try member(.url), username: try member(.username), secret: try member(.secret))
        }
    }

    /// - Returns: `nil` if it cannot be written.
    package func encoded() -> Secret? {
        SecretJSON.encode(self, formatting: [.sortedKeys, .withoutEscapingSlashes])
    }
}

/// Finds helpers in `PATH`, by absolute path.
///
/// A folder that is empty or relative in `PATH` means the working directory, and does not count: nothing is run because
/// somebody stands in a folder. Nor does authctl run what everybody may write to.
struct HelperSearch {
    let environment: ProgramEnvironment

    private var folders: [String] {
        (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
    }

    /// The path of the program behind a store.
    /// - Throws: `helper`.
    func path(of store: StoreName) throws(StoreFault) -> String {
        guard let program = store.program, StoreName("\(store)") != nil else {
            let prefix = store.isShared ? "authctl-store-" : "docker-credential-"
            throw .helper(
                store, "invalid helper name",
                next: "use the part of the program's name after '\(prefix)': letters, digits, '.', '_' and '-'")
        }
        for folder in folders {
            let path = "\(folder)/\(program)"
            guard isProgram(path) else { continue }
            for place in [path, folder] where isWritableByAll(place) {
                throw .helper(
                    store, "everybody can write to \(SafeText.escaped(place)), so \(program) there cannot be trusted",
                    next: "remove that permission, or put another folder before it in PATH")
            }
            return path
        }
        let other = folders.map { "\($0)/\(program)" }.first(where: isFile)
        throw other.map { .helper(store, notStarted: $0, errno: EACCES) } ?? .helperNotInPath(store)
    }

    /// The names of all programs that begin so, without that, in order.
    func names(_ prefix: String) -> [String] {
        var names: Set<String> = []
        for folder in folders {
            guard let listing = opendir(folder) else { continue }
            defer { closedir(listing) }
            for file in entryNames(of: listing) where file.hasPrefix(prefix) {
                let name = String(file.dropFirst(prefix.count))
                if StoreName.isHelper(name), isProgram("\(folder)/\(file)") { names.insert(name) }
            }
        }
        return names.sorted()
    }

    private func isProgram(_ path: String) -> Bool { isFile(path) && access(path, X_OK) == 0 }

    private func isFile(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    }

    private func isWritableByAll(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) != 0 || facts.st_mode & S_IWOTH != 0
    }
}

extension StoreFault {
    /// No folder of `PATH` has the program behind a store.
    package static func helperNotInPath(_ store: StoreName) -> StoreFault {
        .helper(
            store, "\(store.shownProgram) was not found in PATH",
            next: "install it, or add its folder to PATH (relative folders are ignored)")
    }

    static func helper(_ store: StoreName, notStarted path: String, errno: Int32) -> StoreFault {
        .helper(
            store, "\(SafeText.escaped(path)) could not be started (\(SystemWords.of(errno)))", next: store.wayToTest)
    }

    static func helper(_ store: StoreName, notUnderstood method: String) -> StoreFault {
        let output = "the output of '\(store.shownProgram) \(method)'"
        guard store.isShared else {
            return .helper(store, "\(output) does not follow docker's protocol", next: "\(.otherStores)")
        }
        let members =
            method == "get"
            ? "the strings 'value' and 'version', or {}" : "the string 'version', or with conflict = true"
        return .helper(
            store, "\(output) has to be a JSON object with \(members)",
            next: "authctl-store(1) has the protocol; to test it: authctl store test \(store)")
    }
}

extension StoreName {
    /// The program behind it, for messages.
    var shownProgram: String { SafeText.escaped(program ?? "\(self)") }

    /// The command that shows whether its program works.
    var wayToTest: Advice {
        isShared
            ? "to test it: authctl store test \(self)"
            : "check whether it works: \(ShellCommand(shownProgram, "list"))"
    }
}
