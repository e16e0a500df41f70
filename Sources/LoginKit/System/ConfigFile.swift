import Glibc

/// Reads files that belong to the person: the configuration, and files that an option names.
enum ConfigFile {
    /// The largest configuration file, in bytes.
    static let limit = 1 << 20

    /// Reads a configuration file: it may be a symbolic link and readable by all, but must belong to the user or to
    /// root and be writable by no one else, since it says where passwords are sent.
    /// - Returns: `nil` if there is no such file.
    static func read(_ path: String) throws(UsageFault) -> String? {
        let absolute = try Paths.absolute(path)
        // Through folders that nobody else may change, whatever links lead there.
        let descriptor = try checked { () throws(FolderChain.Fault) in try FolderChain(absolute).open() }
        guard descriptor >= 0 else {
            if -descriptor == ENOENT || -descriptor == ENOTDIR { return nil }
            if -descriptor == EISDIR { throw fault(path, "is not a file") }
            throw fault(path, "cannot be opened: \(SystemWords.of(-descriptor))")
        }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw fault(path, "cannot be examined") }
        guard information.st_mode & S_IFMT == S_IFREG else { throw fault(path, "is not a file") }
        guard information.st_uid == getuid() || information.st_uid == 0 else {
            throw fault(path, "belongs to another user")
        }
        guard
            !OtherWriters.areAllowed(
                mode: information.st_mode, group: information.st_gid, descriptor: descriptor)
        else {
            throw fault(path, "is writable by others; run: \(ShellCommand("chmod", "go-w", path))")
        }
        guard information.st_size <= limit else { throw fault(path, "is larger than \(limit) bytes") }
        return try text(descriptor, path)
    }

    /// The folder of such files, if it is there, and all those above it: whoever may write there, or owns one of them, could
    /// put another file in the place of the person's.
    static func checkFolder(_ path: String) throws(UsageFault) {
        var information = stat()
        guard stat(path, &information) == 0 else { return }
        guard information.st_mode & S_IFMT == S_IFDIR else { throw fault(path, "is not a folder") }
        try checked { () throws(FolderChain.Fault) in try FolderChain(path).check() }
    }

    private static func checked<Result>(
        _ body: () throws(FolderChain.Fault) -> Result
    ) throws(UsageFault) -> Result {
        do {
            return try body()
        } catch {
            throw fault(error.path, "is not safe to read from: \(error.problem)")
        }
    }

    /// The names of the profiles in a folder that has one file for each; none where there is no folder.
    static func profileNames(in folder: String) -> [String] {
        guard let open = opendir(folder) else { return [] }
        defer { closedir(open) }
        let names = entryNames(of: open).filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }
        return names.map { String($0.dropLast(5)) }.sorted()
    }

    private static func text(_ descriptor: Int32, _ path: String) throws(UsageFault) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = buffer.withUnsafeMutableBytes { $0.readSome(from: descriptor) }
            guard count >= 0 else { throw fault(path, "cannot be read: \(SystemWords.of(errno))") }
            if count == 0 { break }
            bytes += buffer[..<count]
            if bytes.count > limit { throw fault(path, "is larger than \(limit) bytes") }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw fault(path, "is not UTF-8") }
        return text
    }

    private static func fault(_ path: String, _ problem: String) -> UsageFault {
        .badConfig(file: path, path: nil, line: nil, problem: problem)
    }
}
