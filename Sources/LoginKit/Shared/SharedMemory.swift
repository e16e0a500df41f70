import Glibc
import Secrets

/// One machine's memory of one shared login, in a file of its state folder: without it, an old copy that somebody puts back
/// cannot be told from the newest.
struct SharedMemory {
    /// In bytes: it has up to three values.
    private static let limit = 4 << 20

    struct Content: Codable, Equatable {
        /// A value as this machine has read it.
        struct Reading: Codable, Equatable {
            /// Sealed, as the engine has it: its version may be the same for another one.
            let text: String
            /// When it was read, where that is of use.
            let moment: BootMoment?

            init(text: String, moment: BootMoment?) { (self.text, self.moment) = (text, moment) }

            init(from decoder: any Decoder) throws {
                let members = try decoder.container(keyedBy: FormKey.self)
                text = try members.decode(String.self, forKey: "text")
                moment = try members.decodeIfPresent(BootMoment.self, forKey: "moment")
            }
        }

        /// The highest generation that was seen here.
        var mark = 0
        /// The highest `SharedValue.Open.sequence` that was seen here.
        var sequence = 0
        /// The value that was read last, which is used while the engine is away.
        var copy: Reading?
        /// A lock that somebody else has, and when this machine first saw it: no two clocks are compared.
        var lock: Reading?
        /// A value that has to get into the engine: the provider has given the session in it to this machine. Sealed, as the
        /// engine would have it.
        var journal: String?

        init() {}

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: FormKey.self)
            mark = Int(try members.decodeCount(forKey: "mark"))
            sequence = Int(try members.decodeCount(forKey: "sequence"))
            copy = try members.decodeIfPresent(Reading.self, forKey: "copy")
            lock = try members.decodeIfPresent(Reading.self, forKey: "lock")
            journal = try members.decodeIfPresent(String.self, forKey: "journal")
        }
    }

    let file: SafeFile
    private let mostCounted: Int

    /// - Parameters:
    ///   - folder: the state folder, an absolute path.
    ///   - store: the one that it is about: two stores may have one key.
    ///   - key: the login's in the engine.
    ///   - mostCounted: the highest generation that there can be.
    init(folder: String, store: StoreName, key: String, mostCounted: Int) {
        self.mostCounted = mostCounted
        let name = "\(store.program ?? "")-\(key.split(separator: "/").last ?? "").json"
        file = SafeFile(folder: "\(folder)/shared", name: name, limit: Self.limit, wait: SafeFile.usualWait)
    }

    func read() throws(StoreFault) -> Content { try content(try file.read()) }

    /// Changes the memory and saves it to disk; writes nothing if nothing changes.
    @discardableResult
    func update(_ change: (inout Content) -> Void) throws(StoreFault) -> Content {
        var result = Content()
        try file.update { (bytes) throws(StoreFault) in
            let before = try content(bytes)
            result = before
            change(&result)
            return result == before ? nil : try file.json(result)
        }
        return result
    }

    private func content(_ bytes: Secret?) throws(StoreFault) -> Content {
        guard let bytes else { return Content() }
        guard let content = SecretJSON.decode(Content.self, from: bytes),
            max(content.mark, content.sequence) <= mostCounted
        else {
            throw .damaged(path: file.path, problem: "it was not written by authctl")
        }
        return content
    }
}

extension KeyedDecodingContainer {
    /// A number that is counted or subtracted from, and that authctl never writes below 0 or above 2^53.
    fileprivate func decodeCount(forKey key: Key) throws -> Int64 {
        let number = try decode(Int64.self, forKey: key)
        guard (0...1 << 53).contains(number) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "out of range")
        }
        return number
    }
}

/// A moment by the clock of this boot, which nobody sets and which counts a laptop's sleep.
struct BootMoment: Codable, Equatable {
    /// The ID of the boot (proc(5), random/boot_id).
    let boot: String
    /// In milliseconds (CLOCK_BOOTTIME).
    let milliseconds: Int64

    init(boot: String, milliseconds: Int64) { (self.boot, self.milliseconds) = (boot, milliseconds) }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FormKey.self)
        boot = try members.decode(String.self, forKey: "boot")
        milliseconds = try members.decodeCount(forKey: "milliseconds")
    }

    static func now() -> BootMoment {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return BootMoment(boot: id, milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The time since then, in milliseconds; `nil` if the machine was restarted since, or the state folder is another's.
    var age: Int64? {
        let now = Self.now()
        return now.boot == boot && now.milliseconds >= milliseconds ? now.milliseconds - milliseconds : nil
    }

    private static let id = String((systemText(of: "/proc/sys/kernel/random/boot_id") ?? "").prefix(36))
}
