import Glibc
@testable import LoginKit
import Secrets
@testable import LoginTestSupport
import Testing

/// A store that the contract is tried on: the real thing, in a folder of its own.
enum StoreUnderTest: String, CaseIterable, CustomTestStringConvertible {
    case secretService, keyring, file, fileWithKeyFile, plaintext, shared

    var testDescription: String { rawValue }

    func make(in folder: TemporaryFolder) throws -> any CredentialStore {
        switch self {
        case .secretService: return try SecretServiceStore(session: PrivateDesktop.shared.get().session)
        case .keyring: return KeyringStore(clock: WallClock { Int64(time(nil)) })
        case .plaintext: return PlaintextStore(folder: folder.path, remembers: true)
        case .shared: return try SharedMachines(folder).machine("m1")
        case .file:
            let ask: () throws(StoreFault) -> Secret = { Secret("correct horse") }
            try EncryptedFileStore.create(folder: folder.path, source: .passphrase(ask), derivation: .lowest)
            return EncryptedFileStore(folder: folder.path, remembers: true, passphrase: ask)
        case .fileWithKeyFile:
            let path = "\(folder.parent)/key"
            try folder.makeKeyFile(path)
            try EncryptedFileStore.create(folder: folder.path, source: .keyFile(path: path))
            return EncryptedFileStore(folder: folder.path, remembers: true) { () throws(StoreFault) in
                throw .passphraseMissing(path: path)
            }
        }
    }

    /// What the account registry calls it.
    var name: StoreName {
        switch self {
        case .keyring: .keyring
        case .file, .fileWithKeyFile: .file
        case .plaintext: .plaintext
        case .secretService: .secretService
        case .shared: .shared("folder")
        }
    }

    var isHere: Bool {
        switch self {
        case .keyring: Need.keyring
        case .secretService: Need.secretService
        case .file, .fileWithKeyFile, .plaintext: true
        case .shared: Need.jq
        }
    }
}

/// What every store promises, one by one.
enum Clause: String, CaseIterable, CustomTestStringConvertible {
    case emptyAtFirst = "has nothing at first"
    case findsWhatWasSaved = "finds what was saved"
    case exactNames = "finds by exactly profile, origin and user name"
    case overwrites = "puts a new secret in the place of the old one"
    case erasesOne = "erases one and keeps the others"
    case erasesOnce = "has nothing to erase a second time"
    case emptyUsername = "knows an empty user name"
    case unicodeNames = "holds two spellings of a letter apart"
    case oddNames = "takes separators, line ends and NUL in names"
    case longNames = "finds, and erases, what has names of hundreds of bytes"
    case neighbouringNames = "does not confuse names that share their letters"
    case longSecret = "keeps 30 KB"
    case binarySecret = "keeps any bytes"
    case oneByte = "keeps a single byte"
    case containsWithoutReading = "tells whether there is one"
    case expiry = "accepts an expiry, and another one, and none"
    case passesTheTest = "passes a write-read-delete"

    var testDescription: String { rawValue }
}

struct StoreContract {
    let store: any CredentialStore
    /// Differs in every run, since the keyring is shared with everything else on the machine.
    let profile = "contract-\(UInt64.random(in: 0 ... .max))"

    func id(_ username: String = "alice", profile: String? = nil, origin: Origin = .example) -> AccountID {
        AccountID(profile: profile ?? self.profile, origin: origin, username: username)
    }

    func expect(_ clause: Clause) throws {
        switch clause {
        case .emptyAtFirst:
            #expect(try store.find(id()) == nil)
            #expect(try !store.contains(id()))
        case .findsWhatWasSaved: try keeps([(id(), Secret("s3cret"))])
        case .exactNames: try exactNames()
        case .overwrites:
            try keeps([(id(), Secret("first, and longer"))], erasing: false)
            try keeps([(id(), Secret("second"))])
        case .erasesOne: try erasesOne()
        case .erasesOnce:
            try store.save(Secret("x"), for: id(), expires: nil)
            #expect(try store.erase(id()))
            #expect(try !store.erase(id()))
            #expect(try store.find(id()) == nil)
        case .emptyUsername: try keeps([(id(""), Secret("none")), (id("a"), Secret("some"))])
        case .unicodeNames: try keeps([(id("caf\u{E9}"), Secret("one")), (id("cafe\u{301}"), Secret("two"))])
        case .oddNames: try keeps(oddNames.map { (id($0), Secret("of \($0)")) })
        case .longNames:
            let long = String(repeating: "\u{540D}", count: 60)
            try keeps([(id(long), Secret("one")), (id(long + "x"), Secret("two"))])
            #expect(try !store.contains(id(long)))
        case .neighbouringNames: try keeps(neighbours.map { ($0, Secret("\($0.profile)|\($0.username)")) })
        case .longSecret: try longSecret()
        case .binarySecret: try keeps([(id(), Secret(count: 1024) { for i in 0..<1024 { $0[i] = UInt8(i & 255) } })])
        case .oneByte: try keeps([(id(), Secret("\0"))])
        case .containsWithoutReading:
            try store.save(Secret("x"), for: id(), expires: nil)
            #expect(try store.contains(id()))
            try store.erase(id())
            #expect(try !store.contains(id()))
        case .expiry: try expiry()
        case .passesTheTest: try StoreTest(folder: "/state").run(on: store)
        }
    }

    private func keeps(_ items: [(AccountID, Secret)], erasing: Bool = true) throws {
        for (account, secret) in items { try store.save(secret, for: account, expires: nil) }
        for (account, secret) in items { #expect(try store.find(account) == secret) }
        guard erasing else { return }
        for (account, _) in items { #expect(try store.erase(account)) }
    }

    private func longSecret() throws {
        let long = Secret(String(repeating: "0123456789", count: 3000))
        guard store.name != .keyring || Need.roomyKeyQuota else {
            // More than this user's quota: a fault then, and the old secret stays.
            try store.save(Secret("old"), for: id(), expires: nil)
            #expect(throws: StoreFault.self) { try store.save(long, for: id(), expires: nil) }
            #expect(try store.find(id()) == Secret("old"))
            #expect(try store.erase(id()))
            return
        }
        try keeps([(id(), long)])
    }

    private func exactNames() throws {
        try store.save(Secret("x"), for: id(), expires: nil)
        let others = [
            id("Alice"), id("alice "), id("alic"), id(""), id(profile: profile + "2"),
            id(origin: Origin(scheme: "http", host: "probe.example", port: 443)),
            id(origin: Origin(scheme: "https", host: "probe.example", port: 8443)),
            id(origin: Origin(scheme: "https", host: "sub.probe.example", port: 443)),
        ]
        for other in others { #expect(try store.find(other) == nil) }
        #expect(try store.erase(id()))
    }

    private func erasesOne() throws {
        try store.save(Secret("a"), for: id("a"), expires: nil)
        try store.save(Secret("b"), for: id("b"), expires: nil)
        #expect(try store.erase(id("a")))
        #expect(try store.find(id("a")) == nil)
        #expect(try store.find(id("b")) == Secret("b"))
        #expect(try store.erase(id("b")))
    }

    private func expiry() throws {
        let now = Int64(time(nil))
        for expires in [now + 3600, Int64.max, now + 60, nil] {
            try store.save(Secret("x"), for: id(), expires: expires)
            #expect(try store.find(id()) == Secret("x"))
        }
        // Over already: it may be gone or not, but there is no fault.
        try store.save(Secret("x"), for: id(), expires: now - 60)
        try store.erase(id())
    }

    private var oddNames: [String] {
        [
            "a/b", "a:b", "a b", "a%20b", "a\nb", "a\r\nb", "a\0b", "a", "\"a\"", "a\\b", "😀", " ", "%", "\u{1B}[2J",
            "a@b",
        ]
    }

    private var neighbours: [AccountID] {
        [
            id("c", profile: profile + " b"), id("b c", profile: profile), id("bc", profile: profile),
            id("", profile: profile + "bc"), id("%62 c", profile: profile),
        ]
    }
}

@Suite(.onOwnThreads) struct StoreContractTests {
    @Test(arguments: StoreUnderTest.allCases.filter(\.isHere), Clause.allCases)
    func `every store keeps the contract`(store: StoreUnderTest, clause: Clause) throws {
        let folder = TemporaryFolder()
        try StoreContract(store: store.make(in: folder)).expect(clause)
    }

    @Test func `none keeps nothing and says so`() throws {
        let store = NoStore()
        try store.save(Secret("x"), for: .some(), expires: nil)
        #expect(try store.find(.some()) == nil)
        #expect(try !store.contains(.some()))
        #expect(try !store.erase(.some()))
        try StoreTest(folder: "/state").run(on: store)
    }

    @Test(.enabled(if: Need.keyring && Need.secretService, "a store cannot be tried here"))
    func `the keyring and the Secret Service are among the stores that were tried`() {
        let missing = StoreUnderTest.allCases.filter { !$0.isHere }
        #expect(missing.isEmpty)
    }
}
