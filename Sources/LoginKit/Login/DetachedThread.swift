import Glibc

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
