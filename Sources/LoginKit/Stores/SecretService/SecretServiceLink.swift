import CSecret
import Glibc
import Secrets
import Synchronization

/// The connection to the Secret Service of one process, with the service's answers turned into facts.
///
/// Made at the first operation and kept for the next ones. A service that did not answer once is not waited for again.
final class SecretServiceLink {
    /// Seconds per operation, not counting prompts.
    static let limit = 3

    /// Several threads may use the connection, one after the other.
    private let lock = Mutex(())
    private let session: DesktopSession
    private let service: OpaquePointer
    private var isSilent = false
    /// The outcome of the dialogue, where it was not unlocked: nobody is asked twice.
    private var refusal: SecretServiceFault?

    init(_ session: DesktopSession) {
        self.session = session
        self.service = csecret_new()
    }

    deinit {
        csecret_close(service)
    }

    /// Runs one operation, which has to be done in time.
    func operation<Result: Sendable>(
        _ body: () throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        try lock.withLock { (_) throws(StoreFault) in
            try begin()
            return try body()
        }
    }

    func begin() throws(StoreFault) {
        guard !isSilent else { throw .timedOut(.secretService, seconds: Self.limit) }
        csecret_begin(service, Int32(Self.limit * 1000))
        guard let address = try session.busAddress() else {
            throw .secretService(
                .absent(
                    "the store 'secret-service' needs a session bus, but there is none",
                    details: [
                        "DBUS_SESSION_BUS_ADDRESS does not name one, and there is none in $XDG_RUNTIME_DIR, or in /run/user/UID "
                            + "without that variable"
                    ]))
        }
        try check(csecret_open(service, address))
    }

    /// - Returns: the object paths of the items with these attributes, of what is unlocked and of what is locked.
    func search(_ attributes: SecretAttributes) throws(StoreFault) -> (unlocked: [String], locked: [String]) {
        var unlocked: UnsafeMutablePointer<CChar>?
        var locked: UnsafeMutablePointer<CChar>?
        try check(attributes.withCArray { csecret_search(service, $0.baseAddress, $0.count, &unlocked, &locked) })
        return (
            taken(unlocked).split(separator: " ").map(String.init), taken(locked).split(separator: " ").map(String.init)
        )
    }

    /// - Returns: the object path of the collection with this alias, if there is one.
    func collection(_ alias: String) throws(StoreFault) -> String? {
        var path: UnsafeMutablePointer<CChar>?
        guard try exists(csecret_collection(service, alias, &path)) else { return nil }
        return taken(path)
    }

    func isLocked(_ collection: String) throws(StoreFault) -> Bool {
        var locked = false
        try check(csecret_is_locked(service, collection, &locked))
        return locked
    }

    /// - Returns: whether the item is there with exactly these values.
    func has(_ item: String, _ attributes: SecretAttributes) throws(StoreFault) -> Bool {
        var has = false
        return try exists(attributes.withCArray { csecret_has(service, item, $0.baseAddress, $0.count, &has) }) && has
    }

    /// - Returns: `nil` if the item was deleted meanwhile.
    func read(_ item: String) throws(StoreFault) -> Secret? {
        var secret: Secret?
        let outcome = withUnsafeMutablePointer(to: &secret) { place in
            csecret_read(
                service, item,
                { bytes, count, place in
                    let copy = Secret(copying: UnsafeRawBufferPointer(start: bytes, count: count))
                    place?.assumingMemoryBound(to: Secret?.self).pointee = copy
                }, place)
        }
        return try exists(outcome) ? secret : nil
    }

    /// - Returns: whether the item was still there.
    func replace(_ item: String, with secret: Secret) throws(StoreFault) -> Bool {
        try exists(secret.withUnsafeBytes { csecret_replace(service, item, $0.baseAddress, $0.count) })
    }

    func create(
        in collection: String, label: String, _ attributes: SecretAttributes, _ secret: Secret
    ) throws(StoreFault) {
        var prompt: UnsafeMutablePointer<CChar>?
        let outcome = attributes.withCArray { list in
            secret.withUnsafeBytes {
                csecret_create(
                    service, collection, label, list.baseAddress, list.count, $0.baseAddress, $0.count, &prompt)
            }
        }
        try finish(outcome, taken(prompt))
    }

    /// An item that is gone already is no fault.
    func delete(_ item: String) throws(StoreFault) {
        var prompt: UnsafeMutablePointer<CChar>?
        let outcome = csecret_delete(service, item, &prompt)
        if outcome != .CSECRET_NOTHING { try finish(outcome, taken(prompt)) }
    }

    /// Unlocks a collection, or the one that an item is in, if a person may be asked.
    func unlock(_ object: String) throws(StoreFault) {
        guard case .asking = session.unlocking else { throw .secretService(.locked) }
        if let refusal { throw .secretService(refusal) }
        var prompt: UnsafeMutablePointer<CChar>?
        let outcome = csecret_unlock(service, object, &prompt)
        do {
            try finish(outcome, taken(prompt))
        } catch .secretService(let fault) {
            if fault.isAnswer { refusal = fault }
            throw .secretService(fault)
        }
    }

    /// Does what a prompt stands in the way of. The operation has its full time again afterwards.
    private func finish(_ outcome: csecret_outcome, _ prompt: String) throws(StoreFault) {
        guard outcome == .CSECRET_PROMPT_NEEDED else { return try check(outcome) }
        guard case .asking(let seconds, let notice) = session.unlocking else { throw .secretService(.promptNeeded) }
        notice()
        let answer = csecret_prompt(service, prompt, Int32(clamping: Int64(seconds) * 1000))
        csecret_begin(service, Int32(Self.limit * 1000))
        if answer == .CSECRET_UNANSWERED { throw .secretService(.promptExpired(seconds: seconds)) }
        try check(answer)
    }

    private func taken(_ text: UnsafeMutablePointer<CChar>?) -> String {
        defer { free(text) }
        return text.map { String(cString: $0) } ?? ""
    }

    private func exists(_ outcome: csecret_outcome) throws(StoreFault) -> Bool {
        if outcome == .CSECRET_NOTHING { return false }
        try check(outcome)
        return true
    }

    private func check(_ outcome: csecret_outcome) throws(StoreFault) {
        let words = csecret_words(service).map { String(cString: $0) } ?? "", reason = SafeText.escaped(words)
        switch outcome {
        case .CSECRET_DONE: return
        case .CSECRET_NO_LIBRARY:
            throw .secretService(
                .absent(
                    "the store 'secret-service' needs libsecret, which could not be loaded: \(reason)",
                    next: "install libsecret (Debian: libsecret-1-0), or "))
        case .CSECRET_NO_BUS:
            throw .secretService(
                .absent(
                    "could not connect to the session bus: \(reason)", next: "check DBUS_SESSION_BUS_ADDRESS, or "))
        case .CSECRET_FOREIGN_BUS: throw .secretService(.foreignBus(owner: UInt32(words)))
        case .CSECRET_NO_SERVICE:
            throw .secretService(
                .absent(
                    "no Secret Service is running on the session bus, and none can be started",
                    next: "start one (gnome-keyring, KWallet, KeePassXC), or "))
        case .CSECRET_TIMED_OUT:
            isSilent = true
            throw .timedOut(.secretService, seconds: Self.limit)
        case .CSECRET_LOCKED: throw .secretService(.locked)
        case .CSECRET_PROMPT_NEEDED: throw .secretService(.promptNeeded)
        case .CSECRET_DISMISSED: throw .secretService(.dismissed)
        case .CSECRET_ENDED:
            throw .secretService(.absent("the Secret Service exited during the request", next: "try again, or "))
        case .CSECRET_DENIED:
            throw .secretService(.absent("this process may not use the Secret Service: \(reason)"))
        case .CSECRET_NOTHING, .CSECRET_UNANSWERED, .CSECRET_FAILED: throw .secretService(.failed(words))
        @unknown default: throw .secretService(.failed(words))
        }
    }
}

extension SecretServiceFault {
    /// Whether it is what a person answered, or did not.
    fileprivate var isAnswer: Bool {
        switch self {
        case .dismissed, .promptExpired: true
        case .absent, .foreignBus, .locked, .promptNeeded, .failed: false
        }
    }
}
