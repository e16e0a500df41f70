import Foundation

extension Process {
    /// Starts the program with no signal blocked. Swift's concurrency threads block all signals, and a child inherits
    /// that: without this, SIGTERM would not reach it.
    func runUnblocked() throws {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }
}

extension Pipe {
    /// A pipe that other children, started at the same time by other tests, do not hold open.
    static func closedOnExec() -> Pipe {
        let pipe = Pipe()
        for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        return pipe
    }
}
