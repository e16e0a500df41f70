import Secrets

/// The folder of the profiles that authctl made; written as carefully as a store, though nothing in it is secret, since
/// it says where passwords are sent.
package struct ProfileFolder: Sendable {
    /// The largest file, in bytes.
    private static let limit = 1 << 20

    /// Absolute.
    private let path: String

    package init(_ paths: Paths) { path = paths.generatedProfiles }

    /// Puts a file in place, whole or not at all.
    func write(_ text: String, name: String) throws(StoreFault) {
        try file(name).update { _ in Secret(text) }
    }

    /// Puts a new file in place.
    /// - Returns: whether it is new; one that is there already is left as it is.
    func create(_ text: String, name: String) throws(StoreFault) -> Bool {
        var isNew = false
        try file(name).update { present in
            isNew = present == nil
            return isNew ? Secret(text) : nil
        }
        return isNew
    }

    /// - Returns: whether there was one.
    @discardableResult
    package func remove(_ name: String) throws(StoreFault) -> Bool {
        try file(name).remove()
    }

    private func file(_ name: String) -> SafeFile {
        SafeFile(folder: path, name: name, limit: Self.limit, wait: SafeFile.usualWait, privacy: .readable)
    }
}
