import Glibc

/// Measures the processor time of this thread, in which a busy machine does not count.
/// - Returns: what `body` returns, and its time in seconds.
func withProcessorTime<Value>(_ body: () throws -> Value) rethrows -> (value: Value, seconds: Double) {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = now(), value = try body()
    return (value, now() - start)
}
