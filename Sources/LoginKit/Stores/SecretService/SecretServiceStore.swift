import CSecret
import Glibc
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
        let attributes = SecretAttributes(account)
        return try link.operation { () throws(StoreFault) in
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
    }

    func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {
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
    func erase(_ account: AccountID) throws(StoreFault) -> Bool {
        let attributes = SecretAttributes(account)
        return try link.operation { () throws(StoreFault) in
            let present = try matches(attributes)
            for item in present { try link.delete(item) }
            let locked = try link.search(attributes).locked
            for item in locked { try link.unlock(item) }
            let unlocked = locked.isEmpty ? [] : try matches(attributes)
            for item in unlocked { try link.delete(item) }
            return !(present + unlocked).isEmpty
        }
    }

    func contains(_ account: AccountID) throws(StoreFault) -> Bool {
        let attributes = SecretAttributes(account)
        return try link.operation { () throws(StoreFault) in
            let found = try link.search(attributes)
            // What a locked item holds is the service's word alone.
            if !found.locked.isEmpty { return true }
            for item in found.unlocked where try link.has(item, attributes) { return true }
            return false
        }
    }

    private func matches(_ attributes: SecretAttributes) throws(StoreFault) -> [String] {
        var items: [String] = []
        for item in try link.search(attributes).unlocked where try link.has(item, attributes) { items.append(item) }
        return items
    }

    /// The default collection.
    private func permanentCollection() throws(StoreFault) -> String {
        guard let home = try link.collection("default"), try link.collection("session") != home else {
            throw .secretService(
                .absent(
                    "the Secret Service has no default keyring",
                    next: "create one (in Passwords and Keys: New, Password keyring; then Set as default), or "))
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

/// The attributes by which an item is found: all of an account, in printable ASCII, and nothing that is secret.
struct SecretAttributes {
    /// Keeps other programs' items apart from ours, whatever else they have in common.
    static let schema = "authctl.Login"

    private let pairs: [(name: String, value: String)]

    init(_ account: AccountID) {
        pairs = [
            ("xdg:schema", Self.schema),
            ("kind", "login"),
            ("profile", PrintableText.encode(account.profile)),
            ("origin", PrintableText.encode(account.origin.description)),
            ("user", PrintableText.encode(account.username)),
        ]
    }

    /// The label that a program shows for an item of the keyring.
    static func label(of account: AccountID) -> String {
        let name = account.username.isEmpty ? "" : SafeText.escaped(account.username) + " at "
        return "authctl: \(SafeText.escaped(account.profile)) (\(name)\(account.origin))"
    }

    /// Lends them to C for the time of `body`.
    func withCArray<Result>(_ body: (UnsafeBufferPointer<csecret_attribute>) -> Result) -> Result {
        let list = pairs.map { csecret_attribute(name: strdup($0.name), value: strdup($0.value)) }
        defer {
            for attribute in list {
                free(UnsafeMutablePointer(mutating: attribute.name))
                free(UnsafeMutablePointer(mutating: attribute.value))
            }
        }
        return list.withUnsafeBufferPointer(body)
    }
}

/// The connection to the Secret Service, and who may be asked to unlock it.
struct DesktopSession {
    /// Whether the service may ask a person, by a dialogue of its own.
    enum Unlocking {
        /// Leaves locked what is locked.
        case never
        /// For so many seconds; `notice` is called before the dialogue appears.
        case asking(seconds: Int, notice: () -> Void)
    }

    let unlocking: Unlocking
    private let usualFolder: String?
    private let variable: (String) -> String?

    /// - Parameters:
    ///   - unlocking: has no effect where there is no display to show a dialogue on.
    ///   - usualFolder: takes the place of `XDG_RUNTIME_DIR` where that is not set: cron, sudo and MCP clients hand on few variables.
    ///   - variable: the environment; a variable that is empty counts as one that is not set.
    init(unlocking: Unlocking = .never, usualFolder: String? = nil, variable: @escaping (String) -> String?) {
        (self.usualFolder, self.variable) = (usualFolder, variable)
        let hasDisplay = variable("WAYLAND_DISPLAY") != nil || variable("DISPLAY") != nil
        self.unlocking = hasDisplay ? unlocking : .never
    }

    /// The folder for this user's sockets (pam_systemd(8)).
    static var usualFolder: String { "/run/user/\(geteuid())" }

    /// No desktop at all.
    static var absent: DesktopSession { DesktopSession { _ in nil } }

    /// Where the session bus is, as `DBUS_SESSION_BUS_ADDRESS` has it; otherwise the user's bus of systemd.
    ///
    /// An address that has a program started ('autolaunch:', 'unixexec:') does not count: a login that begins a desktop
    /// session finds nothing in it. See the D-Bus specification, "Server addresses".
    /// - Throws: for the folder of another user.
    func busAddress() throws(StoreFault) -> String? {
        if let supplied = variable("DBUS_SESSION_BUS_ADDRESS") {
            let addresses = supplied.split(separator: ";").filter { address in
                !["autolaunch:", "unixexec:"].contains { address.hasPrefix($0) }
            }
            return addresses.isEmpty ? nil : addresses.joined(separator: ";")
        }
        guard let folder = variable("XDG_RUNTIME_DIR") ?? usualFolder, access(folder + "/bus", F_OK) == 0 else {
            return nil
        }
        // It belongs to the user whose it is (XDG Base Directory Specification); `su` leaves that of another in place.
        var status = stat()
        guard stat(folder, &status) == 0 else { return nil }
        guard status.st_uid == geteuid() else { throw .secretService(.foreignBus(owner: status.st_uid)) }
        return "unix:path=" + Self.escape(folder + "/bus")
    }

    private static func escape(_ path: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_/.\\*".utf8)
        return Hexadecimal.percentEncoded(path.utf8, where: plain.contains)
    }
}
