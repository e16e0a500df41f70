import Glibc
import Secrets

/// A refresh that this process has begun, and its next step.
struct BegunRefresh {
    var steps: SharedRefresh
    var effect: SharedRefresh.Effect
    /// When the lock was put.
    var lockedAt = BootMoment.now()
    /// The number of times that a machine which stood still may begin it again.
    var triesLeft = 8
    private let begunAt = BootMoment.now()

    init(of machine: String) {
        steps = SharedRefresh(machine: machine)
        effect = steps.begin()
    }

    /// Whether it has taken so many seconds, including any wait for others.
    func isOver(after seconds: Int) -> Bool { begunAt.age.map { $0 > Int64(seconds) * 1000 } ?? true }

    mutating func handle(_ event: SharedRefresh.Event) { effect = steps.handle(event) }
}

// One refresh for all machines: what `SharedRefresh` asks for, done in the engine and on the disk.
extension SharedStore {
    func beginRefresh(
        of account: AccountID, ifStill known: Secret, hasOtherProof: Bool = false
    ) throws(StoreFault) -> SharedRight {
        if let away, isAway { throw away.fault }
        let key = try id(account), machine = try machineName()
        // One that was sent, and whose answer was not heard, is over.
        let late = refreshes.removeValue(forKey: key).flatMap { $0.effect == .look ? $0 : nil }
        var refresh = late ?? BegunRefresh(of: machine)
        while true {
            switch refresh.effect {
            case .look: refresh.handle(.looked(try lookForRefresh(account, known, hasOtherProof)))
            // The caller has the lock of this machine.
            case .contend: refresh.handle(.contending)
            case .putLock(_, let unfinished):
                try checkTime(refresh)
                refresh.lockedAt = BootMoment.now()
                let lock = SharedValue.Open.Lock(machine: machine, seconds: lockTime)
                refresh.handle(
                    try event(of: change(account) { ($0.refreshing, $0.unfinished) = (lock, unfinished) }))
            case .checkTime:
                refreshes[key] = refresh
                return .mine
            case .putSession:
                try checkTime(refresh)
                refresh.handle(try event(of: pushJournal(account)))
            case .dropJournal:
                try memory(account).update { $0.journal = nil }
                refresh.handle(.dropped)
            case .wait:
                try checkTime(refresh)
                usleep(Self.pause)
                refresh.handle(.waited)
            case .end(.oldCopy): throw .shared(name, .oldCopy)
            case .end(.refused(let machine?)): return .unfinished(machine: machine)
            case .end: return .changed
            case .refresh, .writeJournal, .putRefusal: preconditionFailure("no refresh was sent")
            }
        }
    }

    /// Takes the lock of a login that is to be moved away, so that no other machine refreshes it meanwhile: until it is erased, or
    /// `cancelRefresh`.
    func lockForMove(of account: AccountID) throws(StoreFault) {
        let key = try id(account)
        cacheTime = 0
        for _ in 1...Self.mostTries {
            guard let secret = try find(account) else { return }
            switch try beginRefresh(of: account, ifStill: secret) {
            case .changed: continue
            case .unfinished(let machine): throw unfinished(machine)
            case .mine:
                if let machine = found[key]?.value.open.unfinished {
                    cancelRefresh(of: account)
                    throw unfinished(machine)
                }
                // Nothing is sent that could be sent a little later: it is moved now or not at all.
                refreshes[key]?.triesLeft = 1
                return
            }
        }
        throw lockedTooLong
    }

    /// Returns a fault: the session may be used up, and the next one, which a logout would end, in that machine's journal.
    private func unfinished(_ machine: String) -> StoreFault {
        .unavailable(name, problem: "the machine '\(machine)' began to refresh this login and did not end it")
    }

    private var lockedTooLong: StoreFault { .locked(path: "\(name)", seconds: 30 + 3 * lockTime) }

    /// The pause between two looks at a lock that somebody else has, in microseconds.
    private static let pause: UInt32 = 500_000

    /// Throws once the lock's holder and the next one have had their time: then something is wrong with the engine.
    private func checkTime(_ refresh: BegunRefresh) throws(StoreFault) {
        guard refresh.isOver(after: 30 + 3 * lockTime) else { return }
        throw lockedTooLong
    }

    func hasBegunRefresh(of account: AccountID) throws(StoreFault) -> Bool {
        guard case .refresh? = refreshes[try id(account)]?.effect else { return false }
        return true
    }

    func isInTime(_ account: AccountID) throws(StoreFault) -> Bool {
        let key = try id(account)
        guard var refresh = refreshes[key], refresh.effect == .checkTime else { return false }
        let age = refresh.lockedAt.age ?? .max, isInTime = age < Int64(lockTime) * 1000 / 3
        refresh.handle(isInTime ? .inTime : .late)
        if !isInTime { refresh.triesLeft -= 1 }
        refreshes[key] = refresh
        guard refresh.triesLeft > 0 else { throw lockedTooLong }
        return isInTime
    }

    /// Keeps a session in the place of the one that was read: by the refresh that this process has begun, or where nobody has
    /// changed it.
    /// - Returns: whether it is in use now; `false` where somebody else has put a newer one meanwhile.
    func keep(_ secret: Secret, over old: Secret, for account: AccountID) throws(StoreFault) -> Bool {
        let key = try id(account)
        guard var refresh = refreshes.removeValue(forKey: key), case .refresh = refresh.effect else {
            return try replace(old, with: secret, for: account)
        }
        refresh.handle(.refreshed)
        var tries = 0, value = SharedValue(try open(generation: 1), secret), problem: StoreFault?
        while true {
            switch refresh.effect {
            case .writeJournal(let generation):
                // On this machine first, and synced: the provider gives it once. A full disk is no reason to lose it.
                value = SharedValue(try open(generation: generation), secret)
                let text = value.text(for: account, key: self.key), memory = try memory(account)
                problem = fault { () throws(StoreFault) in try memory.update { $0.journal = text } }
                refresh.handle(problem == nil ? .written : .unwritten)
            case .putSession:
                tries += 1
                do throws(StoreFault) {
                    guard tries < Self.mostTries else { throw StoreFault.shared(name, .engineAway(words: nil)) }
                    refresh.handle(try event(of: push(value, account)))
                } catch  where error.isOfEngine {
                    if let problem { throw problem }
                    // It is in the journal, and gets there with the next refresh.
                    return true
                }
            case .dropJournal:
                try memory(account).update { $0.journal = nil }
                refresh.handle(.dropped)
            case .look: refresh.handle(.looked(try lookForRefresh(account, secret, false)))
            case .contend: refresh.handle(.contending)
            case .end(.use): return found[key]?.value.secret == secret
            case .end(.oldCopy): throw .shared(name, .oldCopy)
            case .end, .putLock, .putRefusal, .checkTime, .refresh, .wait: return false
            }
        }
    }

    func refuse(_ old: Secret, for account: AccountID) throws(StoreFault) -> SharedRefusal {
        let key = try id(account)
        guard var refresh = refreshes.removeValue(forKey: key), case .refresh = refresh.effect else {
            return try replace(old, with: nil, for: account) ? .ended : .changed
        }
        refresh.handle(.refused)
        while true {
            switch refresh.effect {
            case .putRefusal:
                do {
                    refresh.handle(try event(of: change(account) { ($0.refreshing, $0.refused) = (nil, true) }))
                } catch  where error.isOfEngine {
                    refresh.handle(.away)
                }
            case .look: refresh.handle(.looked(try lookForRefresh(account, old, false)))
            case .end(.refused(nil)):
                // Its details may be others by now.
                let refused = found[key]?.value.open.generation
                let isErased = try put(account) { (generation, present) throws(StoreFault) in
                    guard let present, !present.open.erased, present.open.generation == refused else { return nil }
                    return SharedValue(try open(generation: generation, erased: true))
                }
                return isErased ? .ended : .changed
            case .end(.refused(let machine?)): return .unfinished(machine: machine)
            case .end(.oldCopy): throw .shared(name, .oldCopy)
            case .end, .contend, .putLock, .checkTime, .refresh, .writeJournal, .putSession, .dropJournal, .wait:
                return .changed
            }
        }
    }

    func cancelRefresh(of account: AccountID) {
        // Where that fails the lock runs out.
        fault { () throws(StoreFault) in
            let key = try id(account), machine = try machineName()
            guard refreshes.removeValue(forKey: key) != nil else { return }
            for _ in 1...Self.mostTries {
                guard found[key]?.value.open.refreshing?.machine == machine else { return }
                if try change(account, { $0.refreshing = nil }) { return }
                // Another machine may have changed the details beside it.
                _ = try look(account)
            }
        }
    }
}
