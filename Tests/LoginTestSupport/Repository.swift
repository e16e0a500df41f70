import Foundation

/// The source tree that the tests were built from.
package enum Repository {
    /// The folder of the package: three above this file.
    package static let path = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
}
