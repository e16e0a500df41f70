internal import FoundationEssentials
package import LoginCore
package import Secrets

/// Keeps secrets readable in a file: for people who say so by name, and for nobody else.
package struct PlaintextStore: CredentialStore {
    /// Of the file in the state folder.
    package static let fileName = "plaintext.json"
    /// In bytes.
    static let largestSecret = 1024 * 1024
    static let version = 1

    private let file: SafeFile

    /// - Parameters:
    ///   - folder: the state folder, an absolute path.
    ///   - wait: how long a change waits for another process at most, in seconds.
    package init(folder: String, wait: Int = 10) {
        self.file = SafeFile(folder: folder, name: Self.fileName, limit: 8 * 1024 * 1024, wait: wait)
    }

    package var name: StoreName { .plaintext }

    private struct Content: Codable {
        let version: Int
        var entries: [Entry]

        init(version: Int, entries: [Entry]) {
            (self.version, self.entries) = (version, entries)
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: FormKey.self)
            version = try members.decode(Int.self, forKey: "version")
            entries = try members.decode([Entry].self, forKey: "entries")
        }
    }

    private struct Entry: Codable {
        let profile: String
        let origin: Origin
        let username: String
        /// In base64.
        let secret: String

        var account: AccountID { AccountID(profile: profile, origin: origin, username: username) }

        init(_ account: AccountID, secret: String) {
            (profile, origin, username) = (account.profile, account.origin, account.username)
            self.secret = secret
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: FormKey.self)
            profile = try members.decode(String.self, forKey: "profile")
            origin = try members.decode(Origin.self, forKey: "origin")
            username = try members.decode(String.self, forKey: "username")
            secret = try members.decode(String.self, forKey: "secret")
        }
    }

    package func find(_ account: AccountID) throws(StoreFault) -> Secret? {
        guard let entry = try content(file.read()).entries.first(where: { $0.account == account }) else { return nil }
        guard let secret = Base64.decode(entry.secret) else { throw .damaged(path: file.path, problem: "bad base64") }
        return secret
    }

    package func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {
        guard secret.count <= Self.largestSecret else { throw .tooLarge(.plaintext, limit: Self.largestSecret) }
        try file.update { (bytes) throws(StoreFault) in
            var content = try content(bytes)
            content.entries.removeAll { $0.account == account }
            content.entries.append(Entry(account, secret: Base64.encode(secret)))
            return try encoded(content)
        }
    }

    @discardableResult
    package func erase(_ account: AccountID) throws(StoreFault) -> Bool {
        var found = false
        // Also where the file has nothing of the account: a save that was killed may have left it in one beside.
        try file.update(creating: false) { (bytes) throws(StoreFault) in
            var content = try content(bytes)
            let before = content.entries.count
            content.entries.removeAll { $0.account == account }
            found = content.entries.count < before
            return found ? try encoded(content) : nil
        }
        return found
    }

    /// Removes what saves that were killed have left.
    package func sweep() throws(StoreFault) { try file.sweep() }

    package func contains(_ account: AccountID) throws(StoreFault) -> Bool {
        try content(file.read()).entries.contains { $0.account == account }
    }

    private func content(_ bytes: Secret?) throws(StoreFault) -> Content {
        guard let bytes else { return Content(version: Self.version, entries: []) }
        guard let content = SecretJSON.decode(Content.self, from: bytes), content.version == Self.version else {
            throw .damaged(path: file.path, problem: "it was not written by this version of authctl")
        }
        return content
    }

    private func encoded(_ content: Content) throws(StoreFault) -> Secret {
        do throws(SecretJSON.EncodingError) {
            return try SecretJSON.encode(content)
        } catch {
            throw .damaged(path: file.path, problem: "it cannot be written as JSON")
        }
    }
}
