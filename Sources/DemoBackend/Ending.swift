import Dispatch
import Foundation

/// What ends the server: SIGTERM, SIGINT and, if asked, the end of stdin.
struct Ending {
    /// Finishes when it is time to end.
    let moment: AsyncStream<Void>
    /// They only work while somebody holds them.
    private let sources: [any DispatchSourceSignal]

    init(withInput: Bool) {
        let (moment, continuation) = AsyncStream<Void>.makeStream()
        self.moment = moment
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.finish() }
            source.resume()
            return source
        }
        guard withInput else { return }
        Thread.detachNewThread {
            while let data = try? FileHandle.standardInput.read(upToCount: 4096), !data.isEmpty {}
            continuation.finish()
        }
    }
}
