import CProcess
import Glibc

/// A lock that can be waited at until something has changed: pthread_mutex_lock(3) and pthread_cond_wait(3).
final class Monitor: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let change: UnsafeMutablePointer<pthread_cond_t>

    init() {
        mutex = .allocate(capacity: 1)
        change = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // Not the time of day, which may be set.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(change, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(change)
        pthread_mutex_destroy(mutex)
        change.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` while nobody else has the lock.
    func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    func lock() { pthread_mutex_lock(mutex) }

    func unlock() { pthread_mutex_unlock(mutex) }

    /// Lets go of the lock until somebody tells of a change; to be called with the lock.
    /// - Parameter milliseconds: no longer than that.
    func wait(_ milliseconds: Int = 1000) {
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let nanoseconds = end.tv_nsec + milliseconds * 1_000_000
        end.tv_sec += nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        pthread_cond_timedwait(change, mutex, &end)
    }

    /// Wakes everybody who waits.
    func tell() { pthread_cond_broadcast(change) }
}

/// pthread_create(3) for a closure.
///
/// Dispatch tries for ever where a thread cannot be had (`RLIMIT_NPROC`, `RLIMIT_DATA`); this says so at once, and whoever asks
/// has to do without.
enum DetachedThread {
    /// Bytes, whatever limit the shell has set: the default of 8 MiB would count in full towards `RLIMIT_DATA`.
    private static let stackSize = 2 << 20

    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that has every signal blocked: they are for the main thread.
    /// - Returns: whether there is one.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let work = Unmanaged.passRetained(Work(body))
        var (thread, all, before) = (pthread_t(), sigset_t(), sigset_t())
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        pthread_attr_init(attributes)
        pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(attributes, stackSize)
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        let problem = pthread_create(
            &thread, attributes,
            { context in
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        pthread_sigmask(SIG_SETMASK, &before, nil)
        pthread_attr_destroy(attributes)
        attributes.deallocate()
        if problem != 0 { work.release() }
        return problem == 0
    }
}

/// Threads that somebody waits for.
final class CountedThreads: @unchecked Sendable {
    private let monitor = Monitor()
    private var running = 0

    /// The number of those that have not ended yet.
    var count: Int { monitor.locked { running } }

    /// - Returns: whether there is one.
    func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        monitor.locked { running += 1 }
        let isStarted = DetachedThread.start { [self] in
            body()
            leave()
        }
        if !isStarted { leave() }
        return isStarted
    }

    /// Waits until all have ended.
    func wait() {
        monitor.locked { while running > 0 { monitor.wait() } }
    }

    private func leave() {
        monitor.locked {
            running -= 1
            monitor.tell()
        }
    }
}
