import Foundation

/// The source tree that the tests were built from.
public enum Repository {
    /// The folder of the package: three above this file.
    public static let path = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
}
