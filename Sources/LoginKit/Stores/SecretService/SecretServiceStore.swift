import LoginCore
import Secrets

/// Keeps secrets in the desktop's keyring: GNOME Keyring, KWallet, KeePassXC, whatever offers the Secret Service on the
/// session bus. See the Secret Service API: <https://specifications.freedesktop.org/secret-service/>.
///
/// New items go to the default collection. Every operation ends within `SecretServiceLink.limit` seconds; only a
/// dialogue that the `DesktopSession` allows waits for a person.
struct SecretServiceStore: CredentialStore {
    /// In bytes.
    static let largestSecret = 1024 * 1024

    private let link: SecretServiceLink

    /// - Parameter session: how the service is reached; nothing is opened before the first operation.
    init(session: DesktopSession) {
        self.link = SecretServiceLink(session)
    }

    var name: StoreName { .secretService }

    func find(_ account: AccountID) throws(StoreFault) -> Secret? {
        try link.operation { () throws(StoreFault) in try read(SecretAttributes(account)) }
    }

    private func read(_ attributes: SecretAttributes) throws(StoreFault) -> Secret? {
        var found = try link.search(attributes)
        if let locked = try first(of: found.locked, before: found.unlocked) {
            try link.unlock(locked)
            found = try link.search(attributes)
        }
        for item in try ordered(found.unlocked) where try link.has(item, attributes) {
            if let secret = try link.read(item) { return secret }
        }
        return nil
    }

    package func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {
        guard secret.count <= Self.largestSecret else { throw .tooLarge(.secretService, limit: Self.largestSecret) }
        try link.operation { () throws(StoreFault) in try write(secret, for: account) }
    }

    private func write(_ secret: Secret, for account: AccountID) throws(StoreFault) {
        let attributes = SecretAttributes(account)
        let home = try permanentCollection()
        if try link.isLocked(home) { try link.unlock(home) }
        let present = try matches(attributes)
        var kept: String?
        // In place, so that a reader always finds one and a fault leaves the old one.
        for item in present where kept == nil && Self.isIn(home, item) {
            if try link.replace(item, with: secret) { kept = item }
        }
        if kept == nil { try link.create(in: home, label: SecretAttributes.label(of: account), attributes, secret) }
        for item in present where item != kept { try link.delete(item) }
    }

    @discardableResult
    package func erase(_ account: AccountID) throws(StoreFault) -> Bool {
        try link.operation { () throws(StoreFault) in try delete(SecretAttributes(account)) }
    }

    private func delete(_ attributes: SecretAttributes) throws(StoreFault) -> Bool {
        let present = try matches(attributes)
        for item in present { try link.delete(item) }
        let locked = try link.search(attributes).locked
        for item in locked { try link.unlock(item) }
        let unlocked = locked.isEmpty ? [] : try matches(attributes)
        for item in unlocked { try link.delete(item) }
        return !(present + unlocked).isEmpty
    }

    func contains(_ account: AccountID) throws(StoreFault) -> Bool {
        try link.operation { () throws(StoreFault) in try lists(SecretAttributes(account)) }
    }

    private func lists(_ attributes: SecretAttributes) throws(StoreFault) -> Bool {
        let found = try link.search(attributes)
        // What a locked item holds is the service's word alone.
        if !found.locked.isEmpty { return true }
        for item in found.unlocked where try link.has(item, attributes) { return true }
        return false
    }

    private func matches(_ attributes: SecretAttributes) throws(StoreFault) -> [String] {
        var items: [String] = []
        for item in try link.search(attributes).unlocked where try link.has(item, attributes) { items.append(item) }
        return items
    }

    /// The default collection.
    private func permanentCollection() throws(StoreFault) -> String {
        guard let home = try link.collection("default"), try link.collection("session") != home else {
            throw .secretService(.noDefaultCollection)
        }
        return home
    }

    /// Puts the items of the default collection first: a copy elsewhere is older.
    private func ordered(_ items: [String]) throws(StoreFault) -> [String] {
        guard items.count > 1, let home = try link.collection("default") else { return items }
        return items.filter { Self.isIn(home, $0) } + items.filter { !Self.isIn(home, $0) }
    }

    /// A locked item that goes before what is unlocked.
    private func first(of locked: [String], before unlocked: [String]) throws(StoreFault) -> String? {
        guard let item = try ordered(locked).first else { return nil }
        let best = try ordered([item] + unlocked).first
        return best == item ? item : nil
    }

    private static func isIn(_ collection: String, _ item: String) -> Bool { item.hasPrefix(collection + "/") }
}
