import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Synchronization
import Testing

/// Machines that share logins in a folder, by the helper among the examples: each machine is a state folder.
final class SharedMachines {
    let folder: TemporaryFolder
    let name = StoreName.shared("folder")
    private let environment: ProgramEnvironment

    init(_ folder: TemporaryFolder = TemporaryFolder()) throws {
        self.folder = folder
        let engine = "\(folder.parent)/engine"
        try FileManager.default.createDirectory(atPath: engine, withIntermediateDirectories: true)
        try folder.makeKeyFile("\(folder.parent)/key")
        environment = ProgramEnvironment([
            "PATH": "\(Repository.path)/Examples/store-helpers:/usr/bin:/bin", "AUTHCTL_SHARED_FOLDER": engine,
        ])
    }

    var engine: String { "\(folder.parent)/engine" }
    var key: String { "\(folder.parent)/key" }

    var helper: SharedHelper { SharedHelper(store: name, environment: environment) }

    /// The stores of a machine whose key file, if it has one, is at this path.
    func stores(_ machine: String, key: String) -> SharedStores {
        let settings = SharedStores.Settings(keyFile: key) { (_, _) throws(StoreFault) in
            throw .unavailable(.etcd, problem: "no etcd here")
        }
        return SharedStores(
            settings, folder: "\(folder.path)/\(machine)", clock: .fixed, environment: environment)
    }

    func machine(
        _ name: String, key: String? = nil, lockTime: Int = 90, engine: (any SharedEngine)? = nil,
        clock: WallClock = WallClock { Int64(time(nil)) }
    ) throws -> SharedStore {
        SharedStore(
            self.name, engine: engine ?? helper,
            key: try SharedKey(path: key ?? self.key), folder: "\(folder.path)/\(name)",
            clock: clock, lockTime: lockTime)
    }

    /// The values in the engine, by the names of their files.
    var values: [String: String] {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: engine).filter { !$0.hasPrefix(".") }
            return try Dictionary(
                uniqueKeysWithValues: names.map { ($0, try String(contentsOfFile: "\(engine)/\($0)", encoding: .utf8)) }
            )
        }
    }

    /// Has every request fail, or not any more.
    func isAway(_ isAway: Bool) throws {
        let other = engine + "-away"
        try FileManager.default.moveItem(atPath: isAway ? engine : other, toPath: isAway ? other : engine)
    }

    func remove(_ key: String) throws {
        try FileManager.default.removeItem(atPath: "\(engine)/\(key.replacing("/", with: "_"))")
    }

    /// A program that always prints the same, or never ends.
    func helper(answering answer: [String: String]?) throws -> SharedHelper {
        let bin = "\(folder.parent)/bin", path = "\(bin)/authctl-store-folder"
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        let json = try answer.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        let script = json.map { "#!/bin/sh\ncat <<'END'\n\($0)\nEND\n" } ?? "#!/bin/sh\nexec sleep 60\n"
        try script.write(toFile: path + ".text", atomically: false, encoding: .utf8)
        // A program that this process had open for writing could be busy in a child of another test (ETXTBSY).
        #expect(try Program.run(["cp", path + ".text", path]).status == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return SharedHelper(store: name, environment: ProgramEnvironment(["PATH": "\(bin):/usr/bin:/bin"]))
    }

    func put(_ text: String, in name: String) throws {
        try text.write(toFile: "\(engine)/\(name)", atomically: true, encoding: .utf8)
    }
}

/// The same engine, which knows how often it was read.
final class WatchedEngine: SharedEngine, @unchecked Sendable {
    private let engine: SharedHelper
    /// Whether it replaces whatever there is.
    private let isCareless: Bool
    private let reads = Mutex(0)

    init(_ engine: SharedHelper, isCareless: Bool = false) { (self.engine, self.isCareless) = (engine, isCareless) }

    var largest: Int { engine.largest }

    func get(_ key: String) throws(StoreFault) -> SharedItem? {
        reads.withLock { $0 += 1 }
        return try engine.get(key)
    }

    func put(_ value: String, for key: String, over version: String?) throws(StoreFault) -> String? {
        try engine.put(value, for: key, over: isCareless ? try engine.get(key)?.version : version)
    }

    /// Waits until somebody has read it so often that it can only be waiting for a change.
    func isWatched() -> Bool {
        let before = reads.withLock { $0 }
        return eventually { reads.withLock { $0 } > before + 2 }
    }
}

/// A call on a thread of its own.
final class Waiting<Value>: @unchecked Sendable {
    private let end = DispatchSemaphore(value: 0)
    private var outcome: Result<Value, any Error>?

    init(_ call: @escaping () throws -> Value) {
        nonisolated(unsafe) let call = call
        Thread.detachNewThread { [self] in
            outcome = Result { try call() }
            end.signal()
        }
    }

    func result() throws -> Value {
        end.wait()
        return try #require(outcome).get()
    }
}

@Suite(.onOwnThreads, .enabled(if: Need.jq, "the example of a folder needs jq")) struct SharedStoreTests {
    let machines: SharedMachines
    let ann = AccountID.some("work", "ann"), bob = AccountID.some("work", "bob")

    init() throws { machines = try SharedMachines() }

    @Test func `a login of one machine is found by another, and a logout ends it for both`() throws {
        let one = try machines.machine("m1"), other = try machines.machine("m2")
        try one.save(Secret("first"), for: ann, expires: nil)
        #expect(try other.find(ann) == Secret("first"))
        try other.save(Secret("second"), for: ann, expires: nil)
        #expect(try one.find(ann) == Secret("second"))
        #expect(try one.erase(ann))
        #expect(try other.find(ann) == nil)
        #expect(try !other.erase(ann))
    }

    @Test func `the engine has no name, no origin and no secret in clear, and one length for all of 200 bytes`() throws
    {
        let one = try machines.machine("m1")
        try one.save(Secret("CANARY-" + String(repeating: "x", count: 193)), for: ann, expires: nil)
        try one.save(Secret("CANARY"), for: bob, expires: nil)
        let values = try machines.values
        // The two, who of them was the last, and what another key does not open.
        #expect(values.count == 4)
        #expect(Set(values.filter { $0.key != "authctl_key" }.map(\.value.count)).count == 1)
        for (name, value) in values {
            let decoded = value.split(separator: ".").compactMap { Data(base64Encoded: String($0)) }
            let clear = name + value + decoded.map { String(decoding: $0, as: UTF8.self) }.joined()
            for hidden in ["CANARY", "work", "ann", "bob", "example"] { #expect(!clear.contains(hidden), "\(clear)") }
        }
    }

    @Test func `an old value that is put back is refused and stays, and a login is the way out`() throws {
        let one = try machines.machine("m1")
        try one.save(Secret("first"), for: ann, expires: nil)
        let (file, old) = try #require(try value(of: ann, one))
        try one.save(Secret("second"), for: ann, expires: nil)
        try machines.put(old, in: file)
        #expect(throws: StoreFault.shared(machines.name, .oldCopy)) { try one.find(ann) }
        #expect(throws: StoreFault.shared(machines.name, .oldCopy)) {
            try one.beginRefresh(of: ann, ifStill: Secret("second"))
        }
        #expect(try machines.values[file] == old)
        try one.save(Secret("third"), for: ann, expires: nil)
        #expect(try one.find(ann) == Secret("third"))
    }

    @Test func `an old value of the same session is refused, too`() throws {
        let one = try machines.machine("m1"), other = try machines.machine("m2")
        try one.save(Secret("first"), for: ann, expires: nil)
        let (file, old) = try #require(try value(of: ann, one))
        #expect(try begin(one, "first") == .mine)
        #expect(try other.find(ann) == Secret("first"))
        try machines.put(old, in: file)
        // Without its lock another machine would refresh, too.
        #expect(throws: StoreFault.shared(machines.name, .oldCopy)) {
            try other.beginRefresh(of: ann, ifStill: Secret("first"))
        }
        #expect(throws: StoreFault.shared(machines.name, .oldCopy)) { try one.find(ann) }
    }

    @Test func `a login on any machine is newer than what all have seen of an engine that was restored`() throws {
        let one = try machines.machine("m1"), other = try machines.machine("m2")
        try other.save(Secret("first"), for: ann, expires: nil)
        let (file, first) = try #require(try value(of: ann, other))
        // A login, and some refreshes.
        try one.save(Secret("first"), for: ann, expires: nil)
        for _ in 1...3 {
            #expect(try begin(one, "first") == .mine)
            #expect(try one.keep(Secret("first"), over: Secret("first"), for: ann))
        }
        try one.save(Secret("first"), for: ann, expires: nil)
        try machines.put(first, in: file)
        #expect(throws: StoreFault.shared(machines.name, .oldCopy)) { try one.find(ann) }
        // It has seen nothing of that, and does not log in within the same second.
        let later = try machines.machine("m2", clock: WallClock { Int64(time(nil)) + 10 })
        try later.save(Secret("second"), for: ann, expires: nil)
        #expect(try one.find(ann) == Secret("second"))
    }

    @Test func `a machine that is offline shows what it has read last, and asks no engine`() throws {
        let one = try machines.machine("m1")
        try one.save(Secret("first"), for: ann, expires: nil)
        try machines.isAway(true)
        let offline = try machines.machine("m1"), stranger = try machines.machine("m2")
        (offline.isOffline, stranger.isOffline) = (true, true)
        offline.warn = { Issue.record("\($0)") }
        #expect(try offline.find(ann) == Secret("first"))
        #expect(try stranger.find(ann) == nil)
    }

    @Test func `a history that goes on from an old value is refused by whoever has seen the other one`() throws {
        let one = try machines.machine("m1"), other = try machines.machine("m2")
        try one.save(Secret("first"), for: ann, expires: nil)
        let (file, old) = try #require(try value(of: ann, one))
        #expect(try other.find(ann) == Secret("first"))
        try one.erase(ann)
        try machines.put(old, in: file)
        // As many puts as the first machine has seen, and then more.
        for _ in 0..<3 {
            #expect(try begin(other, "first") == .mine)
            #expect(throws: StoreFault.shared(machines.name, .oldCopy)) { try one.find(ann) }
            other.cancelRefresh(of: ann)
            #expect(throws: StoreFault.shared(machines.name, .oldCopy)) { try one.find(ann) }
        }
    }

    @Test func `a logout is put where the engine hides the login`() throws {
        let one = try machines.machine("m1"), other = try machines.machine("m2")
        try one.save(Secret("first"), for: ann, expires: nil)
        let (file, live) = try #require(try value(of: ann, one))
        #expect(try other.find(ann) == Secret("first"))
        try machines.remove(try one.id(ann))
        #expect(try one.erase(ann))
        #expect(try other.find(ann) == nil)
        try machines.put(live, in: file)
        #expect(throws: StoreFault.shared(machines.name, .oldCopy)) { try one.find(ann) }
    }

    @Test func `what another machine has saved is neither replaced by a move nor erased as a copy`() throws {
        let one = try machines.machine("m1"), other = try machines.machine("m2")
        try other.save(Secret("of m2"), for: ann, expires: nil)
        let fault = #expect(throws: StoreFault.self) { try one.saveUnlessTaken(Secret("of m1"), for: ann) }
        #expect(fault.map { LoginFault.store($0).exitCode } == .store)
        try one.eraseOwn(ann)
        #expect(try one.find(ann) == Secret("of m2"))
        try other.eraseOwn(ann)
        #expect(try one.find(ann) == nil)
        try one.saveUnlessTaken(Secret("of m1"), for: ann)
        #expect(try other.find(ann) == Secret("of m1"))
    }

    @Test func `a refusal is put although another machine has changed the details meanwhile`() throws {
        let one = try machines.machine("m1", lockTime: 3), other = try machines.machine("m2", lockTime: 3)
        let third = try machines.machine("m3")
        try one.save(Secret("first"), for: ann, expires: nil)
        #expect(try begin(one, "first") == .mine)
        let name = try one.machineName()
        #expect(try begin(other, "first") == .mine)
        #expect(try third.amend(Secret("first"), as: Secret("first, noted"), for: ann))
        #expect(try other.refuse(Secret("first"), for: ann) == .unfinished(machine: name))
        #expect(try third.beginRefresh(of: ann, ifStill: Secret("first, noted")) == .unfinished(machine: name))
        // Without another machine before it ends the login, and one that was not sent leaves no lock.
        try third.save(Secret("second"), for: ann, expires: nil)
        #expect(try begin(third, "second") == .mine)
        #expect(try one.amend(Secret("second"), as: Secret("second, noted"), for: ann))
        third.cancelRefresh(of: ann)
        #expect(try begin(one, "second, noted") == .mine)
        #expect(try third.amend(Secret("second, noted"), as: Secret("second, noted twice"), for: ann))
        #expect(try one.refuse(Secret("second, noted"), for: ann) == .ended)
        #expect(try third.find(ann) == nil)
    }

    @Test func `an engine that replaces a value of another version does not pass its test`() throws {
        let test = StoreTest(folder: "/state"), store = try machines.machine("m1")
        let careless = try machines.machine("m2", engine: WatchedEngine(machines.helper, isCareless: true))
        let fault = #expect(throws: StoreFault.self) { try test.run(on: careless) }
        #expect(fault == .unavailable(machines.name, problem: "a value was replaced though it had another version"))
        try test.run(on: store)
        // Reading its item replaces nothing.
        try store.save(test.secret, for: test.account, expires: nil)
        let item = try machines.helper.get(store.id(test.account))
        #expect(try store.find(test.account) == test.secret)
        #expect(try machines.helper.get(store.id(test.account)) == item)
    }

    /// The file of the engine that has an account's login, and what is in it.
    private func value(of account: AccountID, _ store: SharedStore) throws -> (String, String)? {
        let name = try store.id(account).replacing("/", with: "_")
        return try machines.values[name].map { (name, $0) }
    }

    @Test func `another account's value, a truncated one and another key are refused, and nothing is overwritten`()
        throws
    {
        let one = try machines.machine("m1")
        try one.save(Secret("of ann"), for: ann, expires: nil)
        try one.save(Secret("of bob"), for: bob, expires: nil)
        let (file, first) = try #require(try value(of: ann, one)), (_, second) = try #require(try value(of: bob, one))
        let truncated = String(first.dropLast(9))
        for wrong in [second, truncated, first.replacing("1.", with: "1.A", maxReplacements: 1), "1\nnothing"] {
            try machines.put(wrong, in: file)
            let fault = StoreFault.shared(machines.name, .foreignValue(key: try one.id(ann)))
            #expect(throws: fault, "\(wrong)") { try one.find(ann) }
            #expect(throws: fault, "\(wrong)") { try one.save(Secret("x"), for: ann, expires: nil) }
            #expect(throws: fault, "\(wrong)") { try one.erase(ann) }
            #expect(try machines.values[file] == wrong)
        }
        try machines.put(first, in: file)
        let path = machines.key + "2"
        try machines.folder.makeKeyFile(path)
        let stranger = try machines.machine("m3", key: path)
        let fault = StoreFault.shared(machines.name, .otherKey(path: path))
        #expect(throws: fault) { try stranger.find(ann) }
        #expect(throws: fault) { try stranger.save(Secret("x"), for: ann, expires: nil) }
    }

    @Test func `a made-up generation is damage of one machine's memory or of one value, and is not counted on from`()
        throws
    {
        let one = try machines.machine("m1"), other = try machines.machine("m2"), made = (1 << 53) - 1
        try one.save(Secret("first"), for: ann, expires: nil)
        #expect(try other.find(ann) == Secret("first"))
        let (file, first) = try #require(try value(of: ann, one)), memory = try one.memory(ann)
        let damage = StoreFault.damaged(path: memory.file.path, problem: "it was not written by authctl")
        for member in [\SharedMemory.Content.mark, \.sequence] {
            let before = try memory.read()
            try memory.update { $0[keyPath: member] = made }
            #expect(throws: damage) { try one.find(ann) }
            #expect(throws: damage) { try one.save(Secret("second"), for: ann, expires: nil) }
            #expect(try machines.values[file] == first)
            #expect(try other.find(ann) == Secret("first"))
            // As the message says.
            try FileManager.default.removeItem(atPath: memory.file.path)
            try memory.update { $0 = before }
        }
        try one.save(Secret("second"), for: ann, expires: nil)
        #expect(try other.find(ann) == Secret("second"))
        // By somebody who has the key.
        let open = SharedValue.Open(generation: made, machine: "m3", saved: 0, erased: false)
        let text = SharedValue(open, Secret("third")).text(for: ann, key: one.key)
        try machines.put("\(first.prefix { $0 != "\n" })\n\(text)\n", in: file)
        let foreign = StoreFault.shared(machines.name, .foreignValue(key: try one.id(ann)))
        for machine in [one, other] {
            #expect(throws: foreign) { try machine.find(ann) }
            #expect(throws: foreign) { try machine.save(Secret("fourth"), for: ann, expires: nil) }
        }
        try machines.remove(try one.id(ann))
        try one.save(Secret("fourth"), for: ann, expires: nil)
        #expect(try other.find(ann) == Secret("fourth"))
    }

    @Test func `one machine makes the key, and the others are told to copy it`() throws {
        let keys = (1...3).map { "\(machines.folder.parent)/m\($0)/key" }
        let missing = StoreFault.shared(machines.name, .keyMissing(path: keys[0]))
        #expect(throws: missing) { try machines.stores("m1", key: keys[0]).open(machines.name) }
        try machines.stores("m1", key: keys[0]).makeKey(of: machines.name)
        let isThere = LoginFault.store(.alreadySetUp(machines.name, path: keys[0]))
        #expect(throws: isThere) { try machines.stores("m1", key: keys[0]).makeKey(of: machines.name) }
        let other = LoginFault.store(.shared(machines.name, .otherKey(path: keys[1])))
        #expect(throws: other) { try machines.stores("m2", key: keys[1]).makeKey(of: machines.name) }
        #expect(!FileManager.default.fileExists(atPath: keys[1]))
        // The first login is on a machine that has copied it.
        try machines.machine("m2", key: keys[0]).save(Secret("first"), for: ann, expires: nil)
        #expect(try machines.machine("m1", key: keys[0]).find(ann) == Secret("first"))
        try machines.isAway(true)
        #expect(throws: LoginFault.self) { try machines.stores("m3", key: keys[2]).makeKey(of: machines.name) }
        #expect(!FileManager.default.fileExists(atPath: keys[2]))
    }

    @Test
    func `a login that somebody has removed from the engine is no logout, and what a logout leaves may be removed`()
        throws
    {
        let one = try machines.machine("m1")
        try one.save(Secret("first"), for: ann, expires: nil)
        try machines.remove(try one.id(ann))
        #expect(throws: StoreFault.shared(machines.name, .oldCopy)) { try one.find(ann) }
        try one.save(Secret("second"), for: ann, expires: nil)
        try one.erase(ann)
        try machines.remove(try one.id(ann))
        #expect(try one.find(ann) == nil)
    }

    @Test func `a lock that was seen long ago says nothing of another one with the engine's same version`() throws {
        let one = try machines.machine("m1", lockTime: 1), other = try machines.machine("m2")
        try one.save(Secret("first"), for: ann, expires: nil)
        func isOver() throws -> Bool { try other.lookForRefresh(ann, Secret("first"), false).lockIsOver }
        #expect(try begin(one, "first") == .mine)
        let (file, first) = try #require(try value(of: ann, one))
        #expect(try !isOver())
        #expect(try eventually { try isOver() })
        one.cancelRefresh(of: ann)
        #expect(try begin(one, "first") == .mine)
        let (_, second) = try #require(try value(of: ann, one))
        let version = first.split(separator: "\n")[0], sealed = second.split(separator: "\n")[1]
        try machines.put("\(version)\n\(sealed)\n", in: file)
        #expect(try !isOver())
    }

    @Test(arguments: ["1'\n\\! id", "x[$(id)]", "-1", "", String(repeating: "1", count: 129)])
    func `an engine's version that could inject a shell command, SQL or an option is refused`(version: String) throws {
        let helper = try machines.helper(answering: ["value": "1.a.b", "version": version])
        #expect(throws: StoreFault.helper(machines.name, notUnderstood: "get")) { try helper.get("authctl/x") }
        #expect(throws: StoreFault.helper(machines.name, notUnderstood: "put")) {
            try helper.put("1.a.b", for: "authctl/x", over: nil)
        }
    }

    @Test func `a helper that hangs is an engine that is away`() throws {
        var helper = try machines.helper(answering: nil)
        helper.patience = 1
        let fault = #expect(throws: StoreFault.self) { try helper.get("authctl/x") }
        #expect(fault.map { LoginFault.store($0).exitCode } == .network)
    }

    @Test func `a refresh whose answer was not heard does not keep the next one of the same process from being sent`()
        throws
    {
        let one = try machines.machine("m1")
        try one.save(Secret("first"), for: ann, expires: nil)
        #expect(try begin(one, "first") == .mine)
        #expect(try begin(one, "first") == .mine)
        #expect(try one.refuse(Secret("first"), for: ann) == .unfinished(machine: one.machineName()))
    }

    @Test func `a session in the journal is not used once somebody has logged out`() throws {
        let one = try machines.machine("m1"), other = try machines.machine("m2")
        try one.save(Secret("first"), for: ann, expires: nil)
        #expect(try begin(one, "first") == .mine)
        try machines.isAway(true)
        #expect(try one.keep(Secret("second"), over: Secret("first"), for: ann))
        #expect(try one.find(ann) == Secret("second"))
        try machines.isAway(false)
        // The lock is still there, and the next login takes its place.
        try other.save(Secret("third"), for: ann, expires: nil)
        try other.erase(ann)
        let next = try machines.machine("m1")
        #expect(try next.find(ann) == nil)
        try machines.isAway(true)
        #expect(try next.find(ann) == nil)
    }

    private func begin(_ store: SharedStore, _ known: String) throws -> SharedRight {
        let right = try store.beginRefresh(of: ann, ifStill: Secret(known)), lockTime = store.lockTime
        guard right == .mine else { return right }
        // The lock is short for those who wait; a busy machine may take as long as it wants.
        store.lockTime = 90
        #expect(try store.isInTime(ann))
        store.lockTime = lockTime
        return right
    }

    @Test func `a refresh is one machine's, and the others wait for it and get its session`() throws {
        let engine = WatchedEngine(machines.helper)
        let one = try machines.machine("m1"), other = try machines.machine("m2", engine: engine)
        try one.save(Secret("first"), for: ann, expires: nil)
        #expect(try begin(one, "first") == .mine)
        let waiting = Waiting { [ann] in try other.beginRefresh(of: ann, ifStill: Secret("first")) }
        #expect(engine.isWatched())
        #expect(try one.keep(Secret("second"), over: Secret("first"), for: ann))
        #expect(try waiting.result() == .changed)
        #expect(try other.find(ann) == Secret("second"))
    }

    @Test func `a lock whose holder is gone runs out by the clock of whoever waits`() throws {
        let one = try machines.machine("m1", lockTime: 3), other = try machines.machine("m2", lockTime: 3)
        try one.save(Secret("first"), for: ann, expires: nil)
        #expect(try begin(one, "first") == .mine)
        #expect(try begin(other, "first") == .mine)
        #expect(try other.keep(Secret("second"), over: Secret("first"), for: ann))
        // The first comes back, and finds a newer one in the place of its own.
        #expect(try !one.keep(Secret("late"), over: Secret("first"), for: ann))
        #expect(try one.find(ann) == Secret("second"))
    }

    @Test func `a refusal after a refresh that another machine began ends nothing, and its journal is the way out`()
        throws
    {
        let one = try machines.machine("m1", lockTime: 3), other = try machines.machine("m2", lockTime: 3)
        try one.save(Secret("first"), for: ann, expires: nil)
        #expect(try begin(one, "first") == .mine)
        let name = try one.machineName()
        #expect(try begin(other, "first") == .mine)
        #expect(try other.refuse(Secret("first"), for: ann) == .unfinished(machine: name))
        // Nobody asks again, and whoever has another proof may.
        #expect(try other.beginRefresh(of: ann, ifStill: Secret("first")) == .unfinished(machine: name))
        #expect(try other.beginRefresh(of: ann, ifStill: Secret("first"), hasOtherProof: true) == .mine)
        other.cancelRefresh(of: ann)
        #expect(try one.keep(Secret("second"), over: Secret("first"), for: ann))
        #expect(try other.find(ann) == Secret("second"))
    }

    @Test func `a refusal with no other machine before ends the login for all`() throws {
        let one = try machines.machine("m1"), other = try machines.machine("m2")
        try one.save(Secret("first"), for: ann, expires: nil)
        #expect(try begin(one, "first") == .mine)
        #expect(try one.refuse(Secret("first"), for: ann) == .ended)
        #expect(try other.find(ann) == nil)
    }

    @Test func `a refresh that was not sent leaves no lock`() throws {
        let one = try machines.machine("m1"), other = try machines.machine("m2")
        try one.save(Secret("first"), for: ann, expires: nil)
        #expect(try begin(one, "first") == .mine)
        one.cancelRefresh(of: ann)
        #expect(try begin(other, "first") == .mine)
    }

    @Test func `a session that does not reach the engine is put there by whoever refreshes next on the machine`() throws
    {
        let one = try machines.machine("m1"), other = try machines.machine("m2")
        try one.save(Secret("first"), for: ann, expires: nil)
        #expect(try begin(one, "first") == .mine)
        try machines.isAway(true)
        #expect(try one.keep(Secret("second"), over: Secret("first"), for: ann))
        try machines.isAway(false)
        let next = try machines.machine("m1")
        #expect(try next.beginRefresh(of: ann, ifStill: Secret("first")) == .changed)
        #expect(try other.find(ann) == Secret("second"))
    }

    @Test func `a login is used as it was read last while the engine is away, and is not refreshed then`() throws {
        let one = try machines.machine("m1"), other = try machines.machine("m2")
        try one.save(Secret("first"), for: ann, expires: nil)
        var told = 0
        one.warn = { _ in told += 1 }
        try machines.isAway(true)
        #expect(try one.find(ann) == Secret("first"))
        #expect(told == 1)
        for action in [
            { _ = try one.beginRefresh(of: self.ann, ifStill: Secret("first")) }, { _ = try other.find(self.ann) },
            { _ = try one.erase(self.ann) },
        ] {
            let fault = #expect(throws: StoreFault.self, performing: action)
            #expect(fault.map { LoginFault.store($0).exitCode } == .network)
        }
    }

    @Test func `a login is read once in the time of the cache, and a refresh reads it anew`() throws {
        let one = try machines.machine("m1"), other = try machines.machine("m2")
        try other.save(Secret("first"), for: ann, expires: nil)
        one.cacheTime = 30
        #expect(try one.find(ann) == Secret("first"))
        try other.save(Secret("second"), for: ann, expires: nil)
        #expect(try one.find(ann) == Secret("first"))
        #expect(try one.beginRefresh(of: ann, ifStill: Secret("first")) == .changed)
        #expect(try one.find(ann) == Secret("second"))
    }

    @Test func `the account that logged in last is known to a machine that comes later`() throws {
        let one = try machines.machine("m1"), other = try machines.machine("m2")
        #expect(try other.lastAccount(of: "work", at: ann.origin) == nil)
        try one.save(Secret("of ann"), for: ann, expires: nil)
        try one.save(Secret("of bob"), for: bob, expires: nil)
        #expect(try other.lastAccount(of: "work", at: ann.origin) == bob)
        #expect(try other.lastAccount(of: "home", at: ann.origin) == nil)
    }
}
