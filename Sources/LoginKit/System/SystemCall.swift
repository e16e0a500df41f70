import Glibc

/// Returns the name that this machine gives itself (gethostname(2)).
func ownHostName() -> String {
    var name = [CChar](repeating: 0, count: 65)
    guard gethostname(&name, name.count - 1) == 0 else { return "unknown" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// A file descriptor that closes itself.
struct Descriptor: ~Copyable {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    func status(path: String) throws(StoreFault) -> stat {
        var status = stat()
        try checkCall("fstat", path: path, fstat(number, &status))
        return status
    }

    /// Writes all bytes, however many calls that takes.
    func write(_ bytes: UnsafeRawBufferPointer, path: String) throws(StoreFault) {
        if let errno = bytes.writeAll(to: number) { throw .system(call: "write", path: path, errno: errno) }
    }

    /// Reads until `buffer` is full or the file ends.
    /// - Returns: the number of bytes.
    func read(into buffer: UnsafeMutableRawBufferPointer, path: String) throws(StoreFault) -> Int {
        var done = 0
        while done < buffer.count {
            let count = UnsafeMutableRawBufferPointer(rebasing: buffer[done...]).readSome(from: number)
            guard count >= 0 else { throw .system(call: "read", path: path, errno: errno) }
            if count == 0 { break }
            done += count
        }
        return done
    }
}

/// - Throws: `system` with the current `errno` if `result` is negative.
@discardableResult
func checkCall(_ call: String, path: String, _ result: Int32) throws(StoreFault) -> Int32 {
    guard result < 0 else { return result }
    throw .system(call: call, path: path, errno: errno)
}

/// The names in an open folder (readdir(3)), up to a fault, which is in `errno` afterwards; else that is 0.
func entryNames(of folder: OpaquePointer) -> [String] {
    var names: [String] = []
    while true {
        errno = 0
        guard let entry = readdir(folder) else { return names }
        names.append(String(upToNUL: entry.pointee.d_name))
    }
}

/// Opens a file that somebody has named, to read it: no FIFO is waited for, and no terminal becomes this process's own.
package func openNamed(_ path: String) -> Int32 {
    retrying { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
}

/// The text of a small file that the kernel keeps, such as one of proc(5).
/// - Returns: `nil` if it cannot be read.
func systemText(of path: String) -> String? {
    let number = retrying { open(path, O_RDONLY | O_CLOEXEC) }
    guard number >= 0 else { return nil }
    defer { close(number) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = bytes.withUnsafeMutableBytes { $0.readSome(from: number) }
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
}

/// Makes a call again for as long as a signal interrupts it.
func retrying(_ call: () -> Int32) -> Int32 {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

/// Waits until one of the descriptors has something to read; see poll(2).
/// - Returns: how many have; 0 when the time is up.
@discardableResult
func waitForInput(_ descriptors: [Int32], milliseconds: Int32) -> Int32 {
    var waiting = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    return poll(&waiting, nfds_t(waiting.count), milliseconds)
}

/// The port that a socket is bound to; both families have it at the same place.
/// - Returns: `nil` with the current `errno` where the kernel does not tell.
func boundPort(of socket: Int32) -> Int? {
    var address = sockaddr_in6(), size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = withUnsafeMutableBytes(of: &address) { bytes in
        bytes.withMemoryRebound(to: sockaddr.self) { getsockname(socket, $0.baseAddress, &size) }
    }
    return result == 0 ? Int(in_port_t(bigEndian: address.sin6_port)) : nil
}

extension String {
    /// C's array of characters, up to its NUL.
    init(upToNUL characters: some Any) {
        self = withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
