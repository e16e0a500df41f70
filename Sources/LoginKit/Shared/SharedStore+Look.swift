import Secrets

// Reading what the engine has, and remembering it.
extension SharedStore {
    /// Returns the engine's value, or the one that this machine remembers: if that is recent, offline, or if the engine is away.
    func present(_ account: AccountID) throws(StoreFault) -> SharedValue? {
        if isOffline { return try remembered(account) }
        if cacheTime > 0, !account.isOfStoreTest, let copy = try memory(account).read().copy,
            let age = copy.moment?.age,
            age < Int64(cacheTime) * 1000
        {
            return try opened(copy.text, account)
        }
        if let away, isAway {
            guard let value = try remembered(account) else { throw away.fault }
            return value
        }
        do {
            let value = try look(account).1?.value
            away = nil
            return value
        } catch  where error.isOfEngine {
            let isKnown = away != nil
            away = (.now(), error)
            guard let value = try remembered(account) else { throw error }
            if !isKnown { warn(error) }
            return value
        }
    }

    func lastRead(_ account: AccountID) throws(StoreFault) -> (secret: Secret, machine: String)? {
        try remembered(account).map { ($0.secret, $0.open.machine) }
    }

    func reserveSpace(for account: AccountID, adding bytes: Int) throws(StoreFault) -> ReservedSpace {
        // Sealed and as base64, twice: in the journal, and as what was read last.
        try memory(account).file.reserveSpace(adding: 2 * bytes)
    }

    /// Whether the engine could not be reached a moment ago, so that it is not waited for again.
    var isAway: Bool { away?.since.age.map { $0 < 10_000 } ?? false }

    /// Returns this machine's value of a login: what the provider gave it, unless somebody was faster, else what was read last.
    func remembered(_ account: AccountID) throws(StoreFault) -> SharedValue? {
        let content = try memory(account).read()
        if let text = content.journal {
            let own = try opened(text, account)
            if own.open.generation > content.mark { return own }
        }
        return try content.copy.map { (copy) throws(StoreFault) in try opened(copy.text, account) }
    }

    func memory(_ account: AccountID) throws(StoreFault) -> SharedMemory {
        SharedMemory(folder: folder, store: name, key: try id(account), mostCounted: mostCounted)
    }

    /// Reads this machine's mark, *then* the value, and raises the mark.
    /// - Throws: `shared`, with `oldCopy`, or `foreignValue` for what is of another account or nobody's making.
    func look(_ account: AccountID) throws(StoreFault) -> (SharedMemory.Content, Found?) {
        let key = try id(account), memory = try memory(account), content = try memory.read()
        guard let item = try engine.get(key) else {
            found[key] = nil
            return (try missing(account, content), nil)
        }
        let value = try opened(item.value, account)
        guard value.open.generation >= content.mark,
            value.open.sequence > content.sequence || content.copy?.text == item.value
        else { throw .shared(name, .oldCopy) }
        let present = Found(value: value, text: item.value, version: item.version)
        found[key] = present
        let isOvertaken = try content.journal.map { (text) throws(StoreFault) in
            try opened(text, account).open.generation <= value.open.generation
        }
        guard content.copy?.text != item.value || cacheTime > 0 || isOvertaken == true else {
            return (content, present)
        }
        return (try memory.update { [self] in note(present, in: &$0, clearing: isOvertaken == true) }, present)
    }

    /// Where the engine has nothing. What a logout leaves may be removed there, a login not.
    private func missing(
        _ account: AccountID, _ content: SharedMemory.Content
    ) throws(StoreFault) -> SharedMemory.Content {
        if let copy = content.copy {
            guard try opened(copy.text, account).open.erased else { throw .shared(name, .oldCopy) }
        } else {
            try checkKey()
        }
        return content
    }

    /// Remembers what was read or put.
    func note(_ present: Found, in content: inout SharedMemory.Content, clearing: Bool) {
        if clearing { content.journal = nil }
        // Another process of this machine may have read a newer one since.
        guard present.value.open.generation >= content.mark, present.value.open.sequence >= content.sequence else {
            return
        }
        (content.mark, content.sequence) = (present.value.open.generation, present.value.open.sequence)
        let moment = cacheTime > 0 ? BootMoment.now() : nil
        content.copy = SharedMemory.Content.Reading(text: present.text, moment: moment)
    }
}
