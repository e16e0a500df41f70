import Dispatch
import Glibc

/// Runs an actor's work one after the other on a thread that may wait as long as it likes: a server, a lock and a person block
/// it, and no thread of Swift's own pool.
final class BlockingExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "LoginKit")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job), executor = asUnownedSerialExecutor()
        queue.async {
            withoutBrokenPipes { job.runSynchronously(on: executor) }
        }
    }
}

/// Has a write to a connection that its other end has closed fail, where it would end the process by SIGPIPE (signal(7)): what
/// the process does about that signal is the program's own choice.
private func withoutBrokenPipes(_ body: () -> Void) {
    var pipe = sigset_t(), before = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    body()
    var atOnce = timespec()
    while sigtimedwait(&pipe, nil, &atOnce) > 0 {}
    pthread_sigmask(SIG_SETMASK, &before, nil)
}
