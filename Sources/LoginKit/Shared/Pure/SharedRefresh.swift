/// The refresh of a login that several machines share through a compare-and-swap engine (such as etcd), as one process of one
/// machine performs it.
///
/// It has no clock, no engine and no session: it is told what was found, and returns the next step. The value in the engine has a
/// generation, which every refresh raises by one, and the lock of whoever refreshes it. The invariants: at most one refresh in a
/// generation unless a lock has run out, and no newer session overwritten by an older one.
struct SharedRefresh: Equatable, Hashable, Sendable {
    /// The next step.
    enum Effect: Equatable, Hashable, Sendable {
        /// Read the mark, then the value, and raise the mark to the value's generation.
        case look
        /// Take the right to refresh on this machine, for which its processes queue.
        case contend
        /// Write this machine into the value as its holder, if it still has this version.
        case putLock(over: Value, unfinished: String?)
        /// Write into the value that the provider has refused it, without a lock, if it still has this version.
        case putRefusal(over: Value)
        /// Look at the clock: a third of the lock may be gone since it was put.
        case checkTime
        /// Ask the provider.
        case refresh(generation: Int)
        /// Write what the provider gave into this machine's journal, and have it synced.
        case writeJournal(generation: Int)
        /// Put the session of the journal, without a lock, if the value still has this version.
        case putSession(over: Value, generation: Int)
        /// Remove the journal: the engine has what is in it, or something newer.
        case dropJournal
        /// Wait until the value changes or its lock has run out.
        case wait
        case end(Outcome)
    }

    /// The outcome of the refresh.
    enum Outcome: Equatable, Hashable, Sendable {
        /// Use the session of this generation.
        case use(generation: Int)
        case loggedOut
        /// The value is older than one that this machine has seen: a copy was put back.
        case oldCopy
        /// The engine cannot be reached, and the session cannot be used any longer.
        case away
        /// The provider refuses; `unfinished` is the machine that died during an earlier refresh, if any.
        case refused(unfinished: String?)
        /// The provider did not respond.
        case unanswered
    }

    /// An event: the result of a step.
    enum Event: Equatable, Hashable, Sendable {
        case looked(Look)
        case away
        case contending
        /// The value has this version now.
        case put(version: Int)
        case conflict
        case inTime
        case late
        case refreshed
        case refused
        case unanswered
        case written
        case unwritten
        case dropped
        case waited
    }

    private enum Step: Equatable, Hashable, Sendable {
        case looking
        case contending
        case locking(Value)
        case timing(Value)
        case refusing(Value)
        case judging(Value)
        case refreshing(Value)
        case writing(Value)
        case putting(Value, generation: Int)
        case dropping(then: Int?)
        case waiting
        case ended
    }

    private let machine: String
    private var step = Step.looking
    /// Whether this process has the machine's right to refresh.
    private var isContender = false
    /// Whether this process has put the machine's lock.
    private var hasLocked = false
    /// The machine that began a refresh before and did not end it.
    private var unfinished: String?

    /// - Parameter machine: its unique name.
    init(machine: String) { self.machine = machine }

    func begin() -> Effect { .look }

    mutating func handle(_ event: Event) -> Effect {
        switch (step, event) {
        case (.looking, .looked(let look)): return judge(look)
        case (.looking, .away): return end(.away)
        case (.contending, .contending):
            isContender = true
            // Another process of this machine may have refreshed it meanwhile.
            return go(.looking, .look)
        case (.locking(let value), .put(let version)):
            hasLocked = true
            let held = Value(
                version: version, generation: value.generation, holder: machine, unfinished: unfinished)
            return go(.timing(held), .checkTime)
        case (.timing(let held), .inTime): return go(.refreshing(held), .refresh(generation: held.generation))
        case (.refreshing(let held), .refreshed):
            return go(.writing(held), .writeJournal(generation: held.generation + 1))
        // Where another machine may come back with the session, it is not ended for all.
        case (.refreshing(let held), .refused):
            return held.unfinished == nil ? go(.judging(held), .look) : go(.refusing(held), .putRefusal(over: held))
        // Whoever thought that this lock was over may have the session by now.
        case (.judging(let held), .looked(let look)):
            guard look.value.generation == held.generation, look.value.holder == machine else { return judge(look) }
            guard held.unfinished == nil else { return go(.refusing(look.value), .putRefusal(over: look.value)) }
            return end(.refused(unfinished: nil))
        case (.judging(let held), .away): return end(.refused(unfinished: held.unfinished))
        // The details beside it may be others, and the lock still this machine's.
        case (.refusing(let held), .conflict): return go(.judging(held), .look)
        case (.refusing(let held), .put), (.refusing(let held), .away):
            return end(.refused(unfinished: held.unfinished))
        case (.refreshing, .unanswered): return end(.unanswered)
        // Without a journal it is put all the same; a machine that dies now has lost it.
        case (.writing(let held), .written), (.writing(let held), .unwritten):
            return put(held.generation + 1, over: held)
        case (.putting(_, let generation), .put): return go(.dropping(then: generation), .dropJournal)
        // The journal is pushed by whoever looks next.
        case (.putting(_, let generation), .away): return end(.use(generation: generation))
        case (.dropping(let generation?), .dropped): return end(.use(generation: generation))
        case (.locking, .conflict), (.locking, .away), (.timing, .late), (.putting, .conflict),
            (.dropping(nil), .dropped), (.waiting, .waited):
            return go(.looking, .look)
        default: preconditionFailure("\(event) does not follow \(step)")
        }
    }

    private mutating func judge(_ look: Look) -> Effect {
        let value = look.value
        guard value.generation >= look.mark else { return end(.oldCopy) }
        if let journal = look.journal {
            guard isContender else { return go(.contending, .contend) }
            // A session that is newer, of whichever machine, has taken its place.
            if journal <= value.generation { return go(.dropping(then: nil), .dropJournal) }
            return put(journal, over: value)
        }
        guard !value.isErased else { return end(.loggedOut) }
        guard look.isOver else { return end(.use(generation: value.generation)) }
        guard isContender else { return go(.contending, .contend) }
        if value.isRefused { return end(.refused(unfinished: value.unfinished)) }
        unfinished = value.unfinished
        if let holder = value.holder, holder != machine || !hasLocked {
            guard look.lockIsOver || holder == machine else { return go(.waiting, .wait) }
            unfinished = unfinished ?? holder
        }
        return go(.locking(value), .putLock(over: value, unfinished: unfinished))
    }

    private mutating func put(_ generation: Int, over value: Value) -> Effect {
        go(.putting(value, generation: generation), .putSession(over: value, generation: generation))
    }

    private mutating func end(_ outcome: Outcome) -> Effect { go(.ended, .end(outcome)) }

    private mutating func go(_ next: Step, _ effect: Effect) -> Effect {
        step = next
        return effect
    }
}

extension SharedRefresh {
    /// The engine's value for a login, unsealed.
    struct Value: Equatable, Hashable, Sendable {
        /// The engine's version of the value, for the next compare-and-swap.
        var version: Int
        /// The number of sessions so far.
        var generation: Int
        /// The machine that is refreshing it.
        var holder: String?
        /// The first machine that began a refresh of this generation and did not end it: it may have the next session.
        var unfinished: String?
        /// Whether the provider has refused a refresh after that one: nobody asks it again.
        var isRefused = false
        /// Whether somebody has logged out: the value only tells that the sessions of earlier generations are over.
        var isErased = false
    }

    /// The result of a look at this machine and then at the engine.
    struct Look: Equatable, Hashable, Sendable {
        /// The highest generation that this machine has seen, read before the value.
        var mark: Int
        var value: Value
        /// The generation of a session that the provider has given to this machine, and that did not reach the engine.
        var journal: Int?
        /// Whether the value's lock has run out, by this machine's clock since it first saw the lock.
        var lockIsOver = false
        /// Whether the session in it has to be refreshed.
        var isOver: Bool
    }
}
