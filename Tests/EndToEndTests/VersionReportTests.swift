import Foundation
@testable import LoginTestSupport
import Testing

/// `authctl --version --verbose`, which a report of a fault begins with.
struct VersionReportTests {
    @Test func `every library that the source opens is named with its file, or as not installed`() throws {
        let run = try Installation().run("--version", "--verbose")
        let lines = run.output.split(separator: "\n")
        #expect(run.code == 0 && lines.first?.hasPrefix("authctl ") == true, "\(run.output)\(run.error)")
        let found = Dictionary(
            uniqueKeysWithValues: lines.dropFirst().map { line in
                let words = line.split(separator: " ", maxSplits: 1).map(String.init)
                return (words[0], words.count == 2 ? words[1] : "")
            })
        for (name, file) in found where file != "(not installed)" {
            #expect(FileManager.default.fileExists(atPath: file), "\(name): \(file)")
        }
        #expect(found["libcurl.so.4"]?.hasPrefix("/") == true && found["libc.so.6"]?.hasPrefix("/") == true)
        let stems = Set(found.keys.map { $0.prefix { $0 != "." } })
        let sources = FileManager.default.enumerator(atPath: Repository.path + "/Sources")
        while let name = sources?.nextObject() as? String {
            guard name.hasSuffix(".c") || name.hasSuffix(".swift") else { continue }
            let text = try String(contentsOfFile: Repository.path + "/Sources/" + name, encoding: .utf8)
            for match in text.matches(of: /"(lib[a-z0-9_+-]+)\.so\.[0-9]+"/) {
                #expect(stems.contains(match.1), "\(name) opens \(match.0)")
            }
        }
    }
}
