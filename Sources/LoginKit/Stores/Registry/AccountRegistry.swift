import FoundationEssentials
import Glibc
package import LoginCore
import Secrets

/// `state.json` in the state folder: which profiles and accounts there are, without secrets.
package struct AccountRegistry: Sendable {
    /// The name of the file in the state folder.
    package static let fileName = "state.json"

    let file: SafeFile
    let isCancelled: @Sendable () -> Bool
    private let memory: FileMemory<AccountRegistryDocument>?
    /// Whether a file of a newer version may be read, as far as it can be understood. It is never changed.
    var readsNewer = false

    /// - Parameters:
    ///   - folder: the state folder, an absolute path. It is made at the first change.
    ///   - wait: how long a change waits for another process at most, in seconds.
    ///   - remembers: whether a file that has not changed is not read again.
    ///   - isCancelled: asked while another process refreshes a session: whether nobody waits for that any more.
    init(
        folder: String, wait: Int = 10, remembers: Bool = false,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        self.isCancelled = isCancelled
        self.file = SafeFile(folder: folder, name: Self.fileName, limit: 8 * 1024 * 1024, wait: wait)
        self.memory = remembers ? FileMemory() : nil
    }

    /// The present state, without a lock; empty if there is no file.
    /// - Throws: `newerVersion`, unless `readsNewer`; `damaged` for anything else that is not our document.
    package func read() throws(StoreFault) -> AccountRegistryDocument {
        let document = try file.readPublic(through: memory) { (bytes) throws(StoreFault) in try decode(bytes) }
        guard let document else { return AccountRegistryDocument() }
        if document.isNewer, !readsNewer { throw .newerVersion(path: file.path) }
        return document
    }

    /// Changes the state under the lock. Nothing is written if `body` changes nothing.
    /// - Returns: the state afterwards.
    /// - Throws: `locked` if another process changes it for too long; `newerVersion` or `damaged`, with the file left alone.
    @discardableResult
    package func update(_ body: (inout AccountRegistryDocument) -> Void) throws(StoreFault) -> AccountRegistryDocument {
        var document = AccountRegistryDocument()
        memory?.forget()
        try file.update { (bytes) throws(StoreFault) in
            document =
                try bytes.map { (bytes) throws(StoreFault) in
                    try decode(bytes.withUnsafeBytes { Array($0) })
                } ?? AccountRegistryDocument()
            if document.isNewer { throw .newerVersion(path: file.path) }
            let before = document
            body(&document)
            return document == before ? nil : try encode(document)
        }
        return document
    }

    private func decode(_ bytes: [UInt8]) throws(StoreFault) -> AccountRegistryDocument {
        do {
            return try bytes.withUnsafeBytes { try JSONForm.decode(AccountRegistryDocument.self, from: $0) }
        } catch is AccountRegistryDocument.NewerVersion {
            throw .newerVersion(path: file.path)
        } catch {
            throw .damaged(path: file.path, problem: "it was not written by authctl")
        }
    }

    private func encode(_ document: AccountRegistryDocument) throws(StoreFault) -> Secret {
        let encoder = JSONEncoder()
        // For people who look into it, and for steady tests.
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(document).withUnsafeBytes { Secret(copying: $0) }
        } catch {
            throw .damaged(path: file.path, problem: "it cannot be written as JSON")
        }
    }
}
