@testable import LoginKit
import Synchronization

/// What `TransportSettings.whileWaiting` was called with.
final class Told: Sendable {
    private let kept = Mutex<[WaitForAnswer]>([])

    var all: [WaitForAnswer] { kept.withLock { $0 } }

    var seconds: [Double] {
        all.compactMap { if case .waiting(let seconds) = $0 { seconds } else { nil } }
    }

    func add(_ wait: WaitForAnswer) { kept.withLock { $0.append(wait) } }
}
