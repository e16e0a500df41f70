@testable import LoginKit

/// Three machines that share a login, an engine and a provider, in one state: everything that may happen next is one of its `moves`.
struct SharedWorld: Hashable {
    /// How the provider takes a refresh token that was used before.
    enum Provider: Hashable, CaseIterable {
        /// As if it had not been: the same answer once more.
        case withGrace
        /// It is refused, and what was given in its place stays good.
        case withoutGrace
    }

    struct Machine: Hashable {
        var mark = 0
        /// The generation and the token that the provider gave.
        var journal: [Int]?
        var process: SharedRefresh
        var effect: SharedRefresh.Effect
        /// The token that the process has read in the engine, and the one that the provider gave it.
        var read = 0
        var token = 0
        /// The version and holder of the lock that this machine has seen run out.
        var overdue: Int?
        var outcome: SharedRefresh.Outcome?

        init(_ name: String) {
            process = SharedRefresh(machine: name)
            effect = process.begin()
        }
    }

    /// What went wrong so far, each as often as it may.
    struct Faults: Hashable {
        var crashes = 0
        var expiries = 0
        var cuts = 0
        /// Answers of the provider that nobody has.
        var lost = 0
    }

    let provider: Provider
    var machines = ["m1", "m2", "m3"].map { Machine($0) }
    var value = SharedRefresh.Value(version: 1, generation: 0)
    /// The token in the engine, and the provider's newest one.
    var token = 0
    var newest = 0
    /// The generations that were refreshed, one entry for each request.
    var refreshes: [Int] = []
    var faults = Faults()
    var limit = Faults()

    enum Move {
        case step(Int)
        /// As `step`, but the engine or the provider cannot be reached; `isDone` if it did what it was asked all the same.
        case cut(Int, isDone: Bool)
        case crash(Int)
        case expire(Int)
    }

    var moves: [Move] {
        machines.indices.flatMap { index -> [Move] in
            let machine = machines[index]
            guard machine.outcome == nil else { return [] }
            var moves: [Move] = machine.effect == .wait && !canGoOn(machine) ? [] : [.step(index)]
            if faults.cuts < limit.cuts {
                switch machine.effect {
                case .look: moves.append(.cut(index, isDone: false))
                case .putLock, .putRefusal, .putSession, .refresh:
                    moves += [.cut(index, isDone: false), .cut(index, isDone: true)]
                default: break
                }
            }
            if faults.crashes < limit.crashes { moves.append(.crash(index)) }
            if faults.expiries < limit.expiries, value.holder != nil, machine.overdue != value.version {
                moves.append(.expire(index))
            }
            return moves
        }
    }

    /// Whether there is something for one that waits: another value, or a lock that has run out.
    private func canGoOn(_ machine: Machine) -> Bool { value.holder == nil || machine.overdue == value.version }

    private static func name(_ index: Int) -> String { "m\(index + 1)" }

    func after(_ move: Move) -> SharedWorld {
        var next = self
        switch move {
        case .crash(let index):
            if case .writeJournal = machines[index].effect { next.faults.lost += 1 }
            next.faults.crashes += 1
            next.machines[index].restart(Self.name(index))
        case .expire(let index):
            next.faults.expiries += 1
            next.machines[index].overdue = value.version
        case .step(let index): next.perform(index)
        case .cut(let index, let isDone):
            next.faults.cuts += 1
            if isDone { next.perform(index, isHeard: false) } else { next.fail(index) }
        }
        return next
    }

    private mutating func fail(_ index: Int) {
        if case .refresh = machines[index].effect { tell(index, .unanswered) } else { tell(index, .away) }
    }

    private mutating func tell(_ index: Int, _ event: SharedRefresh.Event) {
        let effect = machines[index].process.handle(event)
        machines[index].effect = effect
        if case .end(let outcome) = effect { machines[index].outcome = outcome }
    }

    private mutating func perform(_ index: Int, isHeard: Bool = true) {
        var event = SharedRefresh.Event.contending
        switch machines[index].effect {
        case .look:
            let look = SharedRefresh.Look(
                mark: machines[index].mark, value: value, journal: machines[index].journal?.first,
                lockIsOver: machines[index].overdue == value.version, isOver: value.generation == 0)
            machines[index].mark = max(machines[index].mark, value.generation)
            machines[index].read = token
            event = .looked(look)
        case .contend: event = .contending
        case .putLock(let over, let unfinished):
            event = swap(over) { ($0.value.holder, $0.value.unfinished) = (Self.name(index), unfinished) }
        case .putRefusal(let over):
            event = swap(over) { ($0.value.holder, $0.value.isRefused) = (nil, true) }
        case .checkTime: event = machines.contains { $0.overdue == value.version } ? .late : .inTime
        case .refresh(let generation):
            refreshes.append(generation)
            event = answer(index)
        case .writeJournal(let generation):
            machines[index].journal = [generation, machines[index].token]
            event = .written
        case .putSession(let over, let generation):
            let token = machines[index].journal?.last ?? 0
            event = swap(over) {
                $0.value = SharedRefresh.Value(version: over.version, generation: generation)
                $0.token = token
            }
        case .dropJournal:
            machines[index].journal = nil
            event = .dropped
        case .wait: event = .waited
        case .end: break
        }
        if isHeard { tell(index, event) } else { fail(index) }
        if !isHeard, event == .refreshed { faults.lost += 1 }
    }

    private mutating func swap(
        _ over: SharedRefresh.Value, _ change: (inout SharedWorld) -> Void
    ) -> SharedRefresh.Event {
        guard value.version == over.version else { return .conflict }
        change(&self)
        value.version += 1
        return .put(version: value.version)
    }

    private mutating func answer(_ index: Int) -> SharedRefresh.Event {
        if machines[index].read == newest {
            newest += 1
        } else if provider == .withoutGrace {
            return .refused
        }
        machines[index].token = newest
        return .refreshed
    }
}

extension SharedWorld.Machine {
    /// The process is gone; what is on the disk stays.
    mutating func restart(_ name: String) {
        process = SharedRefresh(machine: name)
        (effect, read, token, outcome) = (process.begin(), 0, 0, nil)
    }
}
