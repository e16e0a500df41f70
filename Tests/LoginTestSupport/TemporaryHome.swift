import Foundation

/// A home directory for one test, with the XDG folders inside; it is gone when the test is over.
final class TemporaryHome {
    let path: String

    /// - Parameter isInMemory: where the system has such a place; for thousands of homes, which would wait for the disk.
    init(isInMemory: Bool = false) throws {
        let memory = "/dev/shm"
        let folder = isInMemory && access(memory, W_OK) == 0 ? memory : NSTemporaryDirectory()
        var template = Array((folder + "/authctl-test-XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        path = String(cString: made)
        for folder in [config, state, data, cache] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var config: String { path + "/config" }
    var state: String { path + "/state" }
    var data: String { path + "/data" }
    var cache: String { path + "/cache" }

    /// A whole environment, in which nothing of the real one is left but the search path; without an address, authctl would look for the
    /// bus of whoever runs the tests.
    var environment: [String: String] {
        [
            "HOME": path, "XDG_CONFIG_HOME": config, "XDG_STATE_HOME": state, "XDG_DATA_HOME": data,
            "XDG_CACHE_HOME": cache, "TMPDIR": path, "PATH": "/usr/bin:/bin", "TERM": "xterm", "LC_ALL": "C.UTF-8",
            "DBUS_SESSION_BUS_ADDRESS": "autolaunch:",
        ]
    }

    @discardableResult
    func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        let file = path + "/" + name
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if mode & 0o111 != 0 { return try install(text, at: file, mode: mode) }
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }

    /// By another process: a program cannot be run while it is open for writing (execve(2), ETXTBSY), and a child that
    /// another test starts at this moment would have this one's file open.
    private func install(_ text: String, at file: String, mode: Int) throws -> String {
        let words = ["-m", String(mode, radix: 8), "/dev/stdin", file]
        let installed = try Command.run(ChildSpec("/usr/bin/install", words), input: Array(text.utf8))
        guard installed.ending == .exited(0) else { throw ServerProcess.NotStarted(description: installed.error) }
        return file
    }

    func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)), as: UTF8.self)
    }

    /// Every file below, as paths from the home directory, in order.
    var files: [String] {
        let all = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return all.filter {
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: path + "/" + $0, isDirectory: &isFolder)
            return exists && !isFolder.boolValue
        }.sorted()
    }
}
