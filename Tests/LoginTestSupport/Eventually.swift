import Foundation

/// Waits until something holds, for as long as a busy machine may need: what comes true late is no failure, and a test
/// that looks at once fails where others have the processor.
/// - Parameter seconds: after which it is given up.
/// - Returns: whether it held.
func eventually(within seconds: Double = 60, _ holds: () throws -> Bool) rethrows -> Bool {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while try !holds() {
        guard deadline.timeIntervalSinceNow > 0 else { return false }
        usleep(10_000)
    }
    return true
}
