import Foundation

/// The source tree that the tests were built from.
enum Repository {
    /// The folder of the package: three above this file.
    static let path = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// The path of a script below `Tests/TestServers`.
    static func testServer(_ name: String) -> String { "\(path)/Tests/TestServers/\(name)" }

    /// Such a script itself.
    static func text(ofTestServer name: String) throws -> String {
        try String(contentsOfFile: testServer(name), encoding: .utf8)
    }
}
