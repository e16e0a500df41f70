import LoginCore
import Secrets

// The single steps of a refresh.
extension SharedStore {
    /// The engine's versions mean nothing to the steps, which only compare what they looked at.
    func event(of wasPut: Bool) -> SharedRefresh.Event { wasPut ? .put(version: 0) : .conflict }

    func lookForRefresh(
        _ account: AccountID, _ known: Secret, _ hasOtherProof: Bool
    ) throws(StoreFault) -> SharedRefresh.Look {
        let (content, found) = try look(account)
        guard let found else {
            // Nothing is there any more, as after a logout.
            let nothing = SharedRefresh.Value(version: 0, generation: content.mark, isErased: true)
            return SharedRefresh.Look(
                mark: content.mark, value: nothing, journal: try journal(content, account)?.open.generation,
                isOver: true)
        }
        let open = found.value.open
        let value = SharedRefresh.Value(
            version: 0, generation: open.generation, holder: open.refreshing?.machine, unfinished: open.unfinished,
            isRefused: open.refused && !hasOtherProof, isErased: open.erased)
        return SharedRefresh.Look(
            mark: content.mark, value: value, journal: try journal(content, account)?.open.generation,
            lockIsOver: try isOver(open.refreshing, found.text, content, account),
            isOver: !open.erased && found.value.secret == known)
    }

    private func journal(_ content: SharedMemory.Content, _ account: AccountID) throws(StoreFault) -> SharedValue? {
        try content.journal.map { (text) throws(StoreFault) in try opened(text, account) }
    }

    /// Whether a lock has run out by this machine's own clock, since it first saw this lock.
    private func isOver(
        _ lock: SharedValue.Open.Lock?, _ text: String, _ content: SharedMemory.Content, _ account: AccountID
    ) throws(StoreFault) -> Bool {
        guard let lock, lock.machine != (try machineName()) else { return false }
        if let seen = content.lock, seen.text == text, let age = seen.moment?.age {
            return age > Int64(lock.patience) * 1000
        }
        try memory(account).update { $0.lock = SharedMemory.Content.Reading(text: text, moment: .now()) }
        return false
    }

    func putLock(_ account: AccountID, after unfinished: String?) throws(StoreFault) -> Bool {
        let lock = SharedValue.Open.Lock(machine: try machineName(), seconds: lockTime)
        return try change(account) { ($0.refreshing, $0.unfinished) = (lock, unfinished) }
    }

    func putRefusal(_ account: AccountID) throws(StoreFault) -> Bool {
        try change(account) { ($0.refreshing, $0.refused) = (nil, true) }
    }

    /// Puts what was read last with something else beside it.
    /// - Returns: whether it was still there.
    func change(_ account: AccountID, _ body: (inout SharedValue.Open) -> Void) throws(StoreFault) -> Bool {
        guard let present = found[try id(account)] else { return false }
        var open = present.value.open
        body(&open)
        return try swap(account, SharedValue(open, present.value.secret), over: present)
    }

    /// Puts the session of this machine's journal.
    func pushJournal(_ account: AccountID) throws(StoreFault) -> Bool {
        guard let value = try journal(try memory(account).read(), account) else { return false }
        return try push(value, account)
    }

    /// Puts a session that the provider has given to this machine.
    func push(_ value: SharedValue, _ account: AccountID) throws(StoreFault) -> Bool {
        try swap(account, value, over: found[try id(account)])
    }
}
