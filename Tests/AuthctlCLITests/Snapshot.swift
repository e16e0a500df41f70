import Foundation
import Testing

/// Texts that are kept beside the tests, in `Snapshots/NAME.txt`, so that a change of them is seen in a review.
///
/// `AUTHCTL_RECORD=1` writes them anew; the run that records fails, so that nobody records by accident.
enum Snapshot {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Snapshots")

    static func expect(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let file = folder.appending(path: "\(name).txt")
        if ProcessInfo.processInfo.environment["AUTHCTL_RECORD"] == "1" {
            try Data(text.utf8).write(to: file)
            Issue.record("recorded \(name).txt", sourceLocation: sourceLocation)
            return
        }
        let kept = try? String(contentsOf: file, encoding: .utf8)
        #expect(text == kept, "AUTHCTL_RECORD=1 records \(name).txt anew", sourceLocation: sourceLocation)
    }
}
