import Glibc
import LoginCore

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
    /// - Throws: `badName`, `notInPath` or `writableByAll`; `notStarted` for a file that may not be run.
    func path(of store: StoreName) throws(HelperFault) -> String {
        guard let program = store.program, StoreName("\(store)") != nil else { throw .badName }
        for folder in folders {
            let path = "\(folder)/\(program)"
            guard isProgram(path) else { continue }
            for place in [path, folder] where isWritableByAll(place) { throw .writableByAll(path: place) }
            return path
        }
        let other = folders.map { "\($0)/\(program)" }.first(where: isFile)
        throw other.map { .notStarted(path: $0, errno: EACCES) } ?? .notInPath
    }

    /// The names of all programs that begin so, without that, in order.
    func names(_ prefix: String = "docker-credential-") -> [String] {
        var names: Set<String> = []
        for folder in folders {
            guard let listing = opendir(folder) else { continue }
            defer { closedir(listing) }
            while let entry = readdir(listing) {
                let file = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                guard file.hasPrefix(prefix) else { continue }
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
