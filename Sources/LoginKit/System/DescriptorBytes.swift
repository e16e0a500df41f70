import Glibc

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
