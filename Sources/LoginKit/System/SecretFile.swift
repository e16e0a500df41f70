import Glibc
import Secrets

/// Reads a secret from a descriptor or a file: its first line, with nothing but the line end taken away.
package enum SecretFile {
    /// Longer secrets are refused, in bytes.
    static let limit = 64 << 10

    /// The reason that there is no secret.
    package enum Problem: Error, Equatable {
        case cannotRead(errno: Int32)
        case tooLong
        case furtherLines
        case tookTooLong
    }

    /// - Parameters:
    ///   - firstLineOnly: take the first of several lines, where several would else be refused.
    ///   - waiting: for a descriptor that may never end; nothing waits as long as it takes.
    static func read(
        _ descriptor: Int32, firstLineOnly: Bool = false, waiting wait: InputWait? = nil
    ) throws(Problem) -> Secret {
        var builder = SecretBuilder(limit: limit)
        var lineEnded = false
        var skipped = 0
        try eachByte(of: descriptor, waiting: wait) { (byte) throws(Problem) in
            if lineEnded {
                guard firstLineOnly else { throw .furtherLines }
                skipped += 1
                guard skipped <= limit else { throw .tooLong }
            } else if byte == UInt8(ascii: "\n") {
                lineEnded = true
            } else {
                guard builder.append(byte) else { throw .tooLong }
            }
            return true
        }
        guard let secret = builder.finish() else { throw .tooLong }
        return secret.withoutCarriageReturn(if: lineEnded)
    }

    /// Reads the secret from the bytes of a file.
    static func soleLine(of text: Secret) throws(Problem) -> Secret {
        let lines = text.withUnsafeBytes { $0.count { $0 == UInt8(ascii: "\n") } }
        let isEnded = text.withUnsafeBytes { $0.last == UInt8(ascii: "\n") }
        guard lines == (isEnded ? 1 : 0) else { throw .furtherLines }
        guard isEnded else { return text }
        let line = text.withUnsafeBytes { Secret(copying: UnsafeRawBufferPointer(rebasing: $0.dropLast())) }
        return line.withoutCarriageReturn(if: true)
    }

    /// All of it, with its line ends.
    static func all(of descriptor: Int32, limit: Int, waiting wait: InputWait?) throws(Problem) -> Secret {
        var builder = SecretBuilder(limit: limit)
        try eachByte(of: descriptor, waiting: wait) { builder.append($0) }
        guard let text = builder.finish() else { throw .tooLong }
        return text
    }

    /// Byte by byte, since nothing after the end is wanted in memory.
    /// - Parameter take: says whether more is wanted.
    package static func eachByte(
        of descriptor: Int32, waiting wait: InputWait?, _ take: (UInt8) throws(Problem) -> Bool
    ) throws(Problem) {
        var byte: UInt8 = 0
        defer { explicit_bzero(&byte, 1) }
        while try wait?.isReady() ?? true {
            let count = withUnsafeMutableBytes(of: &byte) { $0.readSome(from: descriptor) }
            guard count >= 0 else { throw .cannotRead(errno: errno) }
            guard count > 0, try take(byte) else { return }
        }
    }

    /// - Parameters:
    ///   - deadline: for a pipe in the place of a file, which may never have a writer, or never an end.
    ///   - tellMode: is told the rights that others have to the file, and should not.
    static func read(
        path: String, firstLineOnly: Bool = false, until deadline: ContinuousClock.Instant = usualDeadline,
        tellMode: (UInt32) -> Void = { _ in }
    ) throws(Problem) -> Secret {
        let descriptor = try opened(path)
        defer { close(descriptor) }
        if let mode = carelessMode(of: descriptor, path) { tellMode(mode) }
        let wait = InputWait(descriptor: descriptor, deadline: deadline)
        return try read(descriptor, firstLineOnly: firstLineOnly, waiting: wait)
    }

    /// The passphrase of the encrypted file. Who reads it opens that file, so it is held to the same rules as a key.
    package static func passphrase(_ path: String) throws(StoreFault) -> Secret {
        let secret: Secret?
        do {
            let descriptor = try opened(path)
            defer { close(descriptor) }
            let wait = InputWait(descriptor: descriptor, deadline: usualDeadline)
            secret = isOpenToOthers(descriptor) ? nil : try read(descriptor, waiting: wait)
        } catch {
            throw .other(
                "cannot read the passphrase from \(SafeText.escaped(path)): \(SafeText.escaped(error.words))",
                next: "check AUTHCTL_STORE_PASSPHRASE_FILE")
        }
        guard let secret else {
            throw .unsafeFile(path: path, problem: "other users have access to it (fix: chmod 600)")
        }
        guard !secret.isEmpty else { throw .passphraseBlank }
        return secret
    }

    private static var usualDeadline: ContinuousClock.Instant { .now + .seconds(PasswordCommand.patience) }

    private static func opened(_ path: String) throws(Problem) -> Int32 {
        let descriptor = openNamed(path)
        guard descriptor >= 0 else { throw .cannotRead(errno: errno) }
        return descriptor
    }

    private static func isOpenToOthers(_ descriptor: Int32) -> Bool {
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { return true }
        return information.isWithinReach && information.isOpenToOthers
    }

    /// The rights of a file that its owner should have closed to others.
    ///
    /// No warning for a file of root's that a group may read, as systemd hands one to a service; nor on a file system that nobody
    /// can write to, since a container's secrets have the mode that its runtime gives them; nor for what was opened by
    /// somebody else.
    private static func carelessMode(of descriptor: Int32, _ path: String) -> UInt32? {
        var (information, system) = (stat(), statvfs())
        guard !["/dev/fd/", "/dev/stdin", "/proc/self/fd/"].contains(where: { path.hasPrefix($0) }),
            fstat(descriptor, &information) == 0, information.isWithinReach,
            information.st_mode & (information.st_uid == 0 ? 0o027 : 0o077) != 0,
            fstatvfs(descriptor, &system) == 0, system.f_flag & UInt(ST_RDONLY) == 0
        else { return nil }
        return information.st_mode & 0o7777
    }
}

extension stat {
    /// A pipe is between two processes, and a file without a name is within reach of its user alone.
    fileprivate var isWithinReach: Bool { st_mode & S_IFMT == S_IFREG && st_nlink > 0 }
}

extension Secret {
    /// A line that ended with CR LF, without the CR.
    fileprivate func withoutCarriageReturn(if lineEnded: Bool) -> Secret {
        withUnsafeBytes { bytes in
            guard lineEnded, bytes.last == UInt8(ascii: "\r") else { return self }
            return Secret(copying: UnsafeRawBufferPointer(rebasing: bytes.dropLast()))
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Writes all of the bytes; see write(2). One that would not block is waited for: the other end of a pipe may have
    /// made it so, and the reader sets the pace as it does with a blocking one.
    ///
    /// - Parameter seconds: how long one wait may take; `nil` for as long as it takes.
    /// - Returns: the `errno` of what went wrong, `ETIMEDOUT` for a wait that took too long; `nil` if all of them were
    ///   written.
    package func writeAll(to descriptor: Int32, within seconds: Int? = nil) -> Int32? {
        var rest = self[...]
        while !rest.isEmpty {
            let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written == 0 { return EIO }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                guard wait(for: POLLOUT, on: descriptor, within: seconds) else { return ETIMEDOUT }
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}

extension [UInt8] {
    /// Lends the bytes to what takes memory.
    package func lend<Failure: Error>(to take: (UnsafeRawBufferPointer) throws(Failure) -> Void) throws(Failure) {
        try withUnsafeBufferPointer { (bytes) throws(Failure) in try take(UnsafeRawBufferPointer(bytes)) }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Reads what is there, at most as much as there is room for; see read(2). A descriptor that would not block is waited
    /// for, as above.
    ///
    /// - Parameter seconds: how long one wait may take; `nil` for as long as it takes. With it, a pipe that nobody has
    ///   opened for writing yet is waited for as well.
    /// - Returns: how many bytes; 0 at the end; -1 with `errno` where they cannot be read, `ETIMEDOUT` for a wait that took
    ///   too long.
    package func readSome(from descriptor: Int32, within seconds: Int? = nil) -> Int {
        while true {
            if seconds != nil, !wait(for: POLLIN, on: descriptor, within: seconds) {
                errno = ETIMEDOUT
                return -1
            }
            let count = Glibc.read(descriptor, baseAddress, self.count)
            if count < 0, errno == EAGAIN {
                _ = wait(for: POLLIN, on: descriptor, within: seconds)
            } else if count >= 0 || errno != EINTR {
                return count
            }
        }
    }
}

/// Without `seconds` for as long as it takes: the other end sets the pace, as it does where the descriptor blocks.
/// - Returns: whether the other end is ready, or gone.
private func wait(for events: Int32, on descriptor: Int32, within seconds: Int?) -> Bool {
    var place = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    guard let seconds else {
        poll(&place, 1, -1)
        return true
    }
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
        let left = (deadline - .now) / .milliseconds(1)
        guard left > 0 else { return false }
        let count = poll(&place, 1, Int32(min(left.rounded(.up), 60_000)))
        if count > 0 || (count < 0 && errno != EINTR) { return true }
    }
}

/// Waits for a descriptor that may never have anything to read.
package struct InputWait {
    let descriptor: Int32
    let deadline: ContinuousClock.Instant
    /// Whether nothing more will come, although the descriptor does not say so.
    let isOver: () -> Bool

    package init(descriptor: Int32, deadline: ContinuousClock.Instant, isOver: @escaping () -> Bool = { false }) {
        (self.descriptor, self.deadline, self.isOver) = (descriptor, deadline, isOver)
    }

    /// Milliseconds between two calls of `isOver`.
    private static let interval: Int32 = 50

    /// - Returns: whether a read will not block: there are bytes, or the end. Nothing more comes where it is false.
    func isReady() throws(SecretFile.Problem) -> Bool {
        while true {
            let wasOver = isOver()
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&ready, 1, wasOver ? 0 : Self.interval)
            if count > 0 { return true }
            if count < 0 && errno != EINTR { throw .cannotRead(errno: errno) }
            // What was written before the end is there to be read.
            if count == 0 && wasOver { return false }
            if ContinuousClock.now >= deadline { throw .tookTooLong }
        }
    }
}

extension SecretFile.Problem {
    /// The fault, in words.
    var words: String {
        switch self {
        case .cannotRead(let errno): "it cannot be read: \(SystemWords.of(errno))"
        case .tooLong: "it is longer than \(SecretFile.limit) bytes"
        case .tookTooLong: "it did not end within \(PasswordCommand.patience) seconds"
        case .furtherLines: "it has more than one line"
        }
    }
}
