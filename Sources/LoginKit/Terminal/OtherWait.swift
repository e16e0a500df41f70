/// The events that the same thread waits for together with the keyboard.
struct OtherWait: Sendable {
    /// Whatever has something to read; no more than 15.
    let descriptors: [Int32]
    /// When it is time for something else.
    let due: ContinuousClock.Instant?

    var isDue: Bool { due.map { $0 <= .now } ?? false }

    var millisecondsLeft: Int32 { due?.millisecondsLeft ?? .max }
}

extension ContinuousClock.Instant {
    /// The milliseconds until then, rounded up; 0 once it is past.
    var millisecondsLeft: Int32 {
        Int32(max(0, min(((self - .now) / .milliseconds(1)).rounded(.up), Double(Int32.max))))
    }
}
