import Glibc

/// Writes the log of one run.
package final class ServeLogWriter: ServeLog {
    private let file: ServeLogFile
    private let origin: ServeLogLine.Origin

    private init(_ file: ServeLogFile, _ origin: ServeLogLine.Origin) {
        (self.file, self.origin) = (file, origin)
    }

    package func began(_ entry: ServeLogEntry) throws(LoginFault) {
        try append(.began(entry, time: Int64(time(nil)), origin: origin))
    }

    package func ended(_ end: ServeLogEnd) throws(LoginFault) { try append(.ended(end)) }

    package func warned(_ text: String) {
        // The next request is refused if there still is no log.
        try? append(.warned(text, time: Int64(time(nil)), origin: origin))
    }

    private func append(_ line: ServeLogLine) throws(LoginFault) {
        do {
            try file.append(line.text)
        } catch {
            throw error.asLogFault
        }
    }

    /// A log that was opened before anybody has logged in.
    package struct Prepared: Sendable {
        private let file: ServeLogFile

        /// - Parameter path: of the file that a person has chosen, absolute; `nil` for the profile's in the state folder.
        package init(at path: String?, of profile: String, in paths: Paths) throws(LoginFault) {
            file = ServeLogFile(path ?? ServeLogReader.path(of: profile, in: paths), isOwnFolder: path == nil)
            do {
                try file.prepare()
            } catch {
                throw error.asLogFault
            }
        }

        package func writer(profile: String, account: String) -> ServeLogWriter {
            ServeLogWriter(file, ServeLogLine.Origin(profile: profile, account: account, pid: getpid()))
        }
    }
}

extension StoreFault {
    /// The same about a log, in which no logins are stored.
    var asLogFault: LoginFault {
        switch self {
        case .unsafeFile(let path, let problem):
            .usage("the log \(SafeText.quoted(path)) is not used: \(problem)")
        case .system(let call, let path, let errno):
            .failure(.system(call: "\(call) of the log \(SafeText.quoted(path))", errno: errno))
        case .noSpace(let path, let errno):
            .failure(.system(call: "writing the log \(SafeText.quoted(path))", errno: errno))
        case .locked(let path, let seconds):
            .failure("another process has held the log \(SafeText.quoted(path)) for \(seconds) seconds")
        case .unavailable, .noneWorks, .wrongPassphraseOrDamaged, .damaged, .newerVersion, .notSetUp, .alreadySetUp,
            .passphraseMissing, .timedOut, .secretService, .tooLarge, .namesTooLong,
            .cannotBePermanent, .passphraseCancelled, .passphraseBlank, .passphraseExpired, .helper,
            .shared, .usage, .other:
            .store(self)
        }
    }
}

/// A file of lines that several runs append to at the same time. Each line is one write(2) under an flock(2); what could not be
/// written whole is cut off again.
final class ServeLogFile: @unchecked Sendable {
    let path: String
    private let folder: String
    private let isOwnFolder: Bool
    private let monitor = Monitor()
    /// The file that was written last, and which one that was.
    private var open: (descriptor: Int32, device: dev_t, inode: ino_t)?
    /// Milliseconds that another run may hold the lock.
    private static let patience = 2000

    /// - Parameters:
    ///   - path: absolute.
    ///   - isOwnFolder: whether the folder is authctl's own, to be made if it is missing and closed to others.
    init(_ path: String, isOwnFolder: Bool) {
        (self.path, self.isOwnFolder) = (path, isOwnFolder)
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        folder = slash == path.startIndex ? "/" : String(path[..<slash])
    }

    deinit {
        if let open { close(open.descriptor) }
    }

    /// Opens the file, and makes it if it is missing.
    func prepare() throws(StoreFault) {
        try monitor.locked { () throws(StoreFault) in if open == nil { try reopen() } }
    }

    /// Appends a line.
    /// - Throws: if it is not there now; the file is as it was.
    func append(_ line: String) throws(StoreFault) {
        try monitor.locked { () throws(StoreFault) in
            // Between opening and locking, the file may be moved away once more.
            for _ in 1...32 {
                if open == nil { try reopen() }
                guard let file = open?.descriptor else { continue }
                try lock(file)
                defer { flock(file, LOCK_UN) }
                guard try isStillThere() else {
                    close(file)
                    open = nil
                    continue
                }
                return try write(line, to: file)
            }
            throw .system(call: "open", path: path, errno: ESTALE)
        }
    }

    private func reopen() throws(StoreFault) {
        let directory = try opened()
        let name = String(path[(path.lastIndex(of: "/") ?? path.startIndex)...].dropFirst())
        // Without O_NONBLOCK, a FIFO in its place would be waited for.
        let flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let number = retrying { openat(directory, name, flags, 0o600) }
        let code = errno
        close(directory)
        guard number >= 0 else { throw openingFault(path: path, errno: code) }
        let file = Descriptor(number)
        try checkFile(file, path: path, fixingMode: true)
        let status = try file.status(path: path)
        let kept = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard kept >= 0 else { throw .system(call: "fcntl", path: path, errno: errno) }
        open = (kept, status.st_dev, status.st_ino)
    }

    /// The folder, checked with those above it.
    /// - Returns: a descriptor that is the caller's.
    private func opened() throws(StoreFault) -> Int32 {
        if isOwnFolder {
            let own = try SafeDirectory.create(folder)
            return try checkCall("fcntl", path: folder, fcntl(own.descriptor.number, F_DUPFD_CLOEXEC, 0))
        }
        let found = try fromFolders(try FolderChain(folder).openFolder())
        guard let above = found.folder else { throw .system(call: "open", path: folder, errno: found.errno) }
        return try checkCall("fcntl", path: folder, fcntl(above.descriptor.number, F_DUPFD_CLOEXEC, 0))
    }

    private func lock(_ file: Int32) throws(StoreFault) {
        for _ in 0..<Self.patience / 2 {
            if flock(file, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw .system(call: "flock", path: path, errno: errno)
            }
            usleep(2000)
        }
        throw .locked(path: path, seconds: Self.patience / 1000)
    }

    /// Whether the path still leads to the open file: a program that rotates logs moves it away.
    private func isStillThere() throws(StoreFault) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .system(call: "lstat", path: path, errno: errno) }
            return false
        }
        return status.st_dev == open?.device && status.st_ino == open?.inode
    }

    private func write(_ line: String, to file: Int32) throws(StoreFault) {
        var status = stat()
        try checkCall("fstat", path: path, fstat(file, &status))
        // Somebody may have opened it to others meanwhile.
        try checkFile(status, path: path)
        let length = status.st_size
        // A run that was killed may have left a part of a line: it stays one of its own.
        var last: UInt8 = UInt8(ascii: "\n")
        if length > 0 { _ = pread(file, &last, 1, length - 1) }
        let bytes = Array(((last == UInt8(ascii: "\n") ? "" : "\n") + line + "\n").utf8)
        var written = Glibc.write(file, bytes, bytes.count)
        while written < 0, errno == EINTR { written = Glibc.write(file, bytes, bytes.count) }
        if written == bytes.count { return }
        let code = written < 0 ? errno : ENOSPC
        if written > 0 { ftruncate(file, length) }
        throw code == ENOSPC || code == EDQUOT
            ? .noSpace(path: path, errno: code) : .system(call: "write", path: path, errno: code)
    }
}

/// Reads a log from its beginning, line by line, in bounded memory.
package struct ServeLogReader: ~Copyable {
    /// The longest line that is read, in bytes: a longer one is none of ours.
    private static let longest = 4 << 20

    private let descriptor: Descriptor
    private let path: String
    private var bytes: [UInt8] = []
    /// Where the next line begins in them.
    private var start = 0
    private var isAtEnd = false
    /// Whether the rest of a line that is too long is passed over.
    private var isSkipping = false
    /// The lines that could not be read, such as a last one that was cut.
    package private(set) var damaged = 0

    /// The log of a profile in the state folder.
    static func path(of profile: String, in paths: Paths) -> String {
        "\(paths.stateFolder)/serve/\(profile).jsonl"
    }

    /// - Returns: `nil` if there is none.
    package init?(of profile: String, in paths: Paths) throws(LoginFault) {
        path = Self.path(of: profile, in: paths)
        do throws(StoreFault) {
            guard let folder = try SafeDirectory.open("\(paths.stateFolder)/serve") else { return nil }
            let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
            let number = retrying { openat(folder.descriptor.number, "\(profile).jsonl", flags) }
            if number < 0, errno == ENOENT { return nil }
            guard number >= 0 else { throw openingFault(path: path, errno: errno) }
            let file = Descriptor(number)
            try checkFile(file, path: path)
            descriptor = file
        } catch {
            throw error.asLogFault
        }
    }

    /// A log that a person has named.
    /// - Throws: `usage` where there is none.
    package init(file: String) throws(LoginFault) {
        path = file
        let number = openNamed(file)
        if number < 0, errno == ENOENT { throw .usage("there is no file \(SafeText.quoted(file))") }
        guard number >= 0 else {
            throw .failure(.system(call: "open of the log \(SafeText.quoted(file))", errno: errno))
        }
        let log = Descriptor(number)
        var status = stat()
        guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .usage("\(SafeText.quoted(file)) is not a regular file")
        }
        descriptor = log
    }

    /// - Returns: the next line; `nil` at the end.
    package mutating func next() throws(LoginFault) -> ServeLogLine? {
        while let line = try nextLine() {
            if line.isEmpty { continue }
            if let known = line.withUnsafeBytes({ ServeLogLine($0) }) { return known }
            damaged += 1
        }
        return nil
    }

    private mutating func nextLine() throws(LoginFault) -> [UInt8]? {
        var searched = start
        while true {
            if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                guard isSkipping else { return Array(bytes[start..<end]) }
                (isSkipping, searched) = (false, end + 1)
                damaged += 1
                continue
            }
            if isAtEnd {
                defer { (bytes, start) = ([], 0) }
                return start < bytes.count ? Array(bytes[start...]) : nil
            }
            bytes.removeFirst(start)
            if bytes.count > Self.longest { (bytes, isSkipping) = ([], true) }
            (start, searched) = (0, bytes.count)
            try fill()
        }
    }

    private mutating func fill() throws(LoginFault) {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let got = piece.withUnsafeMutableBytes { $0.readSome(from: descriptor.number) }
        guard got >= 0 else {
            throw .failure(.system(call: "reading the log \(SafeText.quoted(path))", errno: errno))
        }
        isAtEnd = got == 0
        bytes += piece[..<got]
    }
}
