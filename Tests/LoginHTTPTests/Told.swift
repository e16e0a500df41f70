@testable import LoginKit
import Synchronization

/// What `TransportSettings.whileWaiting` was called with.
final class Told: Sendable {
    private let kept = Mutex<[ResponseTimeout]>([])

    var all: [ResponseTimeout] { kept.withLock { $0 } }

    var seconds: [Double] {
        all.compactMap { if case .waiting(let seconds) = $0 { seconds } else { nil } }
    }

    func add(_ wait: ResponseTimeout) { kept.withLock { $0.append(wait) } }
}
