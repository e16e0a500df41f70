import Glibc

extension UnsafeRawBufferPointer {
    /// Writes all of the bytes; see write(2). One that would not block is waited for: the other end of a pipe may have
    /// made it so, and the reader sets the pace as it does with a blocking one.
    ///
    /// - Returns: the `errno` of what went wrong; nothing if all of them were written.
    func writeAll(to descriptor: Int32) -> Int32? {
        var rest = self[...]
        while !rest.isEmpty {
            let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written == 0 { return EIO }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                wait(for: POLLOUT, on: descriptor)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}

extension [UInt8] {
    /// Lends the bytes to what takes memory.
    func lend<Failure: Error>(to take: (UnsafeRawBufferPointer) throws(Failure) -> Void) throws(Failure) {
        try withUnsafeBufferPointer { (bytes) throws(Failure) in try take(UnsafeRawBufferPointer(bytes)) }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Reads what is there, at most as much as there is room for; see read(2). A descriptor that would not block is waited
    /// for, as above.
    ///
    /// - Returns: how many bytes; 0 at the end; -1 with `errno` where they cannot be read.
    func readSome(from descriptor: Int32) -> Int {
        while true {
            let count = Glibc.read(descriptor, baseAddress, self.count)
            if count < 0, errno == EAGAIN {
                wait(for: POLLIN, on: descriptor)
            } else if count >= 0 || errno != EINTR {
                return count
            }
        }
    }
}

/// For as long as it takes: the other end sets the pace, as it does where the descriptor blocks.
private func wait(for events: Int32, on descriptor: Int32) {
    var place = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    poll(&place, 1, -1)
}
