import Glibc
package import LoginCore

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
    package static func path(of profile: String, in paths: Paths) -> String {
        "\(paths.stateFolder)/serve/\(profile).jsonl"
    }

    /// - Returns: `nil` if there is none.
    package init?(of profile: String, in paths: Paths) throws(LoginFault) {
        path = Self.path(of: profile, in: paths)
        do throws(StoreFault) {
            guard let folder = try SafeDirectory.open("\(paths.stateFolder)/serve", creating: false) else { return nil }
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
        var got = read(descriptor.number, &piece, piece.count)
        while got < 0, errno == EINTR { got = read(descriptor.number, &piece, piece.count) }
        guard got >= 0 else {
            throw .failure(.system(call: "reading the log \(SafeText.quoted(path))", errno: errno))
        }
        isAtEnd = got == 0
        bytes += piece[..<got]
    }
}
