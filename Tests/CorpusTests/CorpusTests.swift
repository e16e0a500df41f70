import Foundation
import Testing

/// What fuzzing began with and what it found, through the same functions.
struct `The corpus of make fuzz` {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

    @Test(arguments: HostileReader.allCases) func `the corpus of make fuzz is read without harm`(reader: HostileReader)
        throws
    {
        let files = try FileManager.default.contentsOfDirectory(
            at: Self.folder.appending(path: reader.rawValue), includingPropertiesForKeys: nil)
        #expect(files.count >= 5)
        for file in files {
            let bytes = try Data(contentsOf: file)
            bytes.withUnsafeBytes { reader.read($0) }
            // Cut short at every place, too.
            for end in stride(from: 0, to: min(bytes.count, 2000), by: 7) {
                bytes.prefix(end).withUnsafeBytes { reader.read($0) }
            }
        }
    }
}
