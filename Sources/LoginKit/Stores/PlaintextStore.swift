import FoundationEssentials
import Secrets

/// Keeps secrets readable in a file: for people who say so by name, and for nobody else.
struct PlaintextStore: CredentialStore {
    /// The name of the file in the state folder.
    static let fileName = "plaintext.json"
    /// In bytes, for the whole file.
    fileprivate static let limit = 8 * 1024 * 1024
    /// In bytes.
    static let largestSecret = 1024 * 1024
    static let version = 1

    let file: SafeFile
    private let memory: FileMemory<PlaintextTable>?

    /// - Parameters:
    ///   - folder: the state folder, an absolute path.
    ///   - wait: how long a change waits for another process at most, in seconds.
    ///   - remembers: whether a file that has not changed is not read again.
    init(folder: String, wait: Int = 10, remembers: Bool = false) {
        self.memory = remembers ? FileMemory() : nil
        self.file = SafeFile(folder: folder, name: Self.fileName, limit: Self.limit, wait: wait)
    }

    var name: StoreName { .plaintext }

    private struct Content: Codable {
        let version: Int
        var entries: [Entry]

        init(version: Int, entries: [Entry]) {
            (self.version, self.entries) = (version, entries)
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: FormKey.self)
            version = try members.decode(Int.self, forKey: "version")
            let isOurs = version == PlaintextStore.version
            entries = isOurs ? try members.decode([Entry].self, forKey: "entries") : []
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

    func find(_ account: AccountID) throws(StoreFault) -> Secret? {
        guard let text = try table()?.text(of: account) else { return nil }
        guard let secret = Base64.decode(text) else { throw .damaged(path: file.path, problem: "bad base64") }
        return secret
    }

    func contains(_ account: AccountID) throws(StoreFault) -> Bool {
        try table()?.contains(account) ?? false
    }

    private func table() throws(StoreFault) -> PlaintextTable? {
        try file.read(through: memory) { (bytes) throws(StoreFault) in
            PlaintextTable(try content(bytes).entries.map { ($0.account, $0.secret) })
        }
    }

    private func content(_ bytes: Secret?) throws(StoreFault) -> Content {
        guard let bytes else { return Content(version: Self.version, entries: []) }
        guard let content = SecretJSON.decode(Content.self, from: bytes), content.version >= Self.version else {
            throw .damaged(path: file.path, problem: "it was not written by authctl")
        }
        guard content.version == Self.version else { throw .newerVersion(path: file.path) }
        return content
    }
}

extension PlaintextStore: FileStore {
    func change(
        _ accounts: [AccountID], to secret: (AccountID) throws(StoreFault) -> Secret?
    ) throws(StoreFault) -> Set<AccountID> {
        var present: Set<AccountID> = [], added: [Entry] = []
        for account in accounts {
            guard let secret = try secret(account) else { continue }
            guard secret.count <= Self.largestSecret else { throw .tooLarge(.plaintext, limit: Self.largestSecret) }
            added.append(Entry(account, secret: Base64.encode(secret)))
        }
        let meant = Set(accounts)
        memory?.forget()
        // Also where the file has nothing of them: a save that was killed may have left it in one beside.
        try file.update(creating: !added.isEmpty) { (bytes) throws(StoreFault) in
            var content = try content(bytes)
            present = Set(content.entries.lazy.map(\.account).filter(meant.contains))
            if present.isEmpty, added.isEmpty { return nil }
            content.entries.removeAll { meant.contains($0.account) }
            content.entries += added
            return try file.json(content)
        }
        return present
    }

    func reserveSpace(for account: AccountID, adding bytes: Int) throws(StoreFault) -> ReservedSpace {
        // In base64.
        try file.reserveSpace(adding: bytes * 4 / 3)
    }
}

/// The content of the plain file in memory: which accounts there are, and all their secrets in one guarded block.
struct PlaintextTable: Sendable {
    private var places: [AccountID: Range<Int>]
    /// The secrets in base64, one after the other.
    private let texts: Secret

    init(_ entries: [(account: AccountID, text: String)]) {
        places = Dictionary(minimumCapacity: entries.count)
        var texts = SecretBuilder(limit: PlaintextStore.limit)
        for (account, text) in entries {
            let place = texts.count..<texts.count + text.utf8.count
            places[account] = places[account] ?? place
            texts.append(text)
        }
        guard let texts = texts.finish() else { preconditionFailure("more than its file can have") }
        self.texts = texts
    }

    func contains(_ account: AccountID) -> Bool { places[account] != nil }

    /// The secret of an account in base64.
    func text(of account: AccountID) -> String? {
        places[account].map { place in texts.withUnsafeBytes { String(decoding: $0[place], as: UTF8.self) } }
    }
}
