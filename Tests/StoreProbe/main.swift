// Another process for the tests of the stores: `StoreProbe VERB STORE FOLDER PROFILE USER [VALUE]`.
//
// Prints what it found. Exit: 0 done or there, 3 not there, 8 the store's fault, which goes to stderr.
import Glibc
@testable import LoginKit
import Secrets

func run(_ arguments: [String]) throws(StoreFault) -> Int32 {
    let folder = arguments[2]
    let desktop = DesktopSession { name in getenv(name).map { String(cString: $0) } }
    let stores = Stores(folder: folder, clock: WallClock { Int64(time(nil)) }, desktop: desktop) {
        Secret("correct horse")
    }
    let account = AccountID(
        profile: arguments[3], origin: Origin(scheme: "https", host: "probe.example", port: 443),
        username: arguments[4])
    if arguments[1] == "registry" {
        try AccountRegistry(folder: folder).update { document in
            document.updateProfile(account.profile, url: "https://probe.example", origin: account.origin) {
                $0.accounts.append(
                    AccountRecord(
                        username: account.username, serverName: nil, origin: account.origin, store: .keyring,
                        kind: .basic, expires: nil, savedAt: 0))
            }
        }
        return 0
    }
    if arguments[0] == "choose" {
        print(try stores.chooser().choose { complain("was skipped: \($0)") }.name)
        return 0
    }
    guard let name = StoreName(arguments[1]) else { return 2 }
    let store = try stores.open(name)
    switch arguments[0] {
    case "init":
        try EncryptedFileStore.create(
            folder: folder, source: .passphrase { Secret("correct horse") }, derivation: .lowest)
        return 0
    case "init-slow":
        // Three seconds and more.
        try EncryptedFileStore.create(
            folder: folder, source: .passphrase { Secret("correct horse") },
            derivation: KeyDerivation(passes: 16, memory: 256 * 1024))
        return 0
    case "save":
        try store.save(Secret(arguments[5]), for: account, expires: nil)
        return 0
    case "save-for-session", "save-for-good":
        let lifetime: KeyringStore.Lifetime = arguments[0] == "save-for-good" ? .untilRestart : .session
        try KeyringStore(clock: WallClock { Int64(time(nil)) }, lifetime: lifetime)
            .save(Secret(arguments[5]), for: account, expires: nil)
        return 0
    case "find":
        guard let secret = try store.find(account) else { return 3 }
        print(secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
        return 0
    case "drop-held-key":
        let clock = WallClock { Int64(time(nil)) }
        let file = EncryptedFileStore(folder: folder) { () throws(StoreFault) in throw .passphraseCancelled }
        return try file.dropHeldKey(clock: clock) ? 0 : 3
    case "contains": return try store.contains(account) ? 0 : 3
    case "erase": return try store.erase(account) ? 0 : 3
    case "test":
        try stores.test(store)
        return 0
    default: return 2
    }
}

func complain(_ text: String) {
    let words = Array("\(text)\n".utf8)
    _ = write(STDERR_FILENO, words, words.count)
}

do throws(StoreFault) {
    exit(try run(Array(CommandLine.arguments.dropFirst())))
} catch {
    complain("\(error)")
    exit(8)
}
