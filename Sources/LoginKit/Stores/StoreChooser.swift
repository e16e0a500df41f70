/// Chooses the store of a new login, before a person is asked for anything.
package struct StoreChooser {
    /// One line of `store list`.
    package struct Finding: Equatable, Sendable {
        /// As `--store` takes it.
        package let name: StoreName
        /// Whether it outlives the machine's next start.
        package let isPermanent: Bool
        /// The reason why it is not usable; absent if it is.
        package let fault: StoreFault?
        /// Whether `auto` takes it.
        package let isChosen: Bool
    }

    /// The stores that `auto` considers, in its order.
    let candidates: [StoreName]
    /// Opens a store for a new login by its name, untested.
    let open: (StoreName) throws(StoreFault) -> any CredentialStore
    /// Opens the store for what is to end with the session.
    let forSession: () -> any CredentialStore
    /// Tries a store before it is chosen.
    let test: (any CredentialStore) throws(StoreFault) -> Void
    /// Tries a store as far as that can be done without asking anybody.
    let check: (any CredentialStore) throws(StoreFault) -> Void

    /// The store for a new login. It has passed a write-read-delete.
    /// - Parameters:
    ///   - name: the store that was named; `nil` for `auto`.
    ///   - persistence: what was asked for; `nil` if it was not said.
    ///   - passing: is told of what `auto` passes over.
    /// - Throws: the fault of a named store; for `auto` `noneWorks`, or the fault of one that is there but broken.
    ///   `cannotBePermanent` if `permanent` was asked for and only the keyring works, or it or `none` was named.
    package func choose(
        _ name: StoreName? = nil, persistence: Persistence? = nil, passing: (UnusableStore) -> Void = { _ in }
    ) throws(StoreFault) -> any CredentialStore {
        if persistence == Persistence.none { return NoStore() }
        if name == StoreName.none {
            if persistence == .permanent { throw .cannotBePermanent(.none) }
            return NoStore()
        }
        if persistence == .session {
            if let name, name != .keyring {
                throw .unavailable(name, problem: "it keeps logins permanently; for one session use 'keyring'")
            }
            return try tested(forSession())
        }
        guard let name else { return try automatic(permanentOnly: persistence == .permanent, passing) }
        if name == .keyring, persistence == .permanent { throw .cannotBePermanent(.keyring) }
        return try tested(open(name))
    }

    private func automatic(
        permanentOnly: Bool, _ passing: (UnusableStore) -> Void
    ) throws(StoreFault) -> any CredentialStore {
        var unusable: [UnusableStore] = []
        for name in candidates {
            do throws(StoreFault) {
                let store = try tested(open(name))
                if permanentOnly, !name.outlivesRestart { throw .cannotBePermanent(name) }
                return store
            } catch {
                guard error.isAbsence else { throw error }
                let passed = UnusableStore(name: name, fault: error)
                passing(passed)
                unusable.append(passed)
            }
        }
        throw .noneWorks(unusable)
    }

    /// Every store that `auto` considers, as far as can be seen without asking anybody for a passphrase.
    package func survey() -> [Finding] {
        var isOpen = true
        return candidates.map { name in
            let fault = fault { () throws(StoreFault) in try check(open(name)) }
            defer { if fault.map({ !$0.isAbsence }) ?? true { isOpen = false } }
            return Finding(
                name: name, isPermanent: name.outlivesRestart, fault: fault, isChosen: isOpen && fault == nil)
        }
    }

    private func tested(_ store: any CredentialStore) throws(StoreFault) -> any CredentialStore {
        try test(store)
        return store
    }
}

extension StoreName {
    fileprivate var outlivesRestart: Bool { self != .keyring }
}

extension StoreFault {
    /// Whether the store is just not to be had here, so that `auto` looks further. One that is there and broken is for
    /// the person to mend: to pass it over in silence would hide it.
    var isAbsence: Bool {
        switch self {
        case .secretService(let fault): fault.isAbsence
        case .unavailable, .notSetUp, .timedOut, .passphraseMissing: true
        case .noneWorks, .locked, .wrongPassphraseOrDamaged, .damaged, .newerVersion, .noSpace, .unsafeFile,
            .alreadySetUp, .system, .tooLarge,
            .namesTooLong, .cannotBePermanent, .passphraseCancelled, .passphraseBlank, .passphraseExpired,
            .helper, .shared, .usage, .other:
            false
        }
    }
}
