import Glibc

/// The folder for the sockets of running commands: `$XDG_RUNTIME_DIR/authctl`, or `run` in the state folder where that
/// variable is not set.
package struct RuntimeFolder: Sendable {
    /// The folder in which sockets are made.
    let path: String
    /// The folders in which those of other runs are looked for: a terminal of the same user may lack the variable.
    let all: [String]

    package init(_ environment: Environment, _ paths: Paths) {
        let other = paths.stateFolder + "/run"
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else {
            (path, all) = (other, [other])
            return
        }
        path = "\(runtime)/authctl"
        all = [path, other]
    }

    /// Returns a path for a socket that no other run has.
    /// - Parameters:
    ///   - kind: the start of its name.
    ///   - profile: named in the path where there is room for it.
    package func newSocket(_ kind: String, of profile: String) -> String {
        let end = String(UInt32.random(in: 0 ... .max), radix: 16) + ".sock"
        let long = "\(path)/\(kind)-\(profile)-\(end)"
        return long.utf8.count <= UnixAddress.longest ? long : "\(path)/\(kind)-\(end)"
    }

    /// Returns the sockets of a kind in a folder, including those of killed runs.
    static func sockets(_ kind: String, in folder: SafeDirectory) -> [String] {
        names(beginning: kind + "-", in: folder).filter { $0.hasSuffix(".sock") }
    }

    /// Returns the names in a folder that begin with `start`, sorted; none where it cannot be read.
    static func names(beginning start: String, in folder: SafeDirectory) -> [String] {
        do {
            return try folder.names(beginning: start).sorted()
        } catch {
            return []
        }
    }

    /// Removes the sockets that killed runs have left in the folder where new ones are made.
    package func sweep(_ kinds: [String]) {
        do {
            guard let folder = try SafeDirectory.open(path) else { return }
            let lock = try FolderLock.take(folder)
            for name in kinds.flatMap({ Self.sockets($0, in: folder) })
            where UnixAddress.isAbandoned("\(path)/\(name)") {
                unlinkat(folder.descriptor.number, name, 0)
            }
            _ = consume lock
        } catch {
            // Somebody else is at it; or whoever makes a socket there is told why it cannot be.
        }
    }
}
