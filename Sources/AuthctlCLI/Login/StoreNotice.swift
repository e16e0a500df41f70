import LoginKit

extension Invocation {
    /// Tells the person where their login is kept, and for how long.
    func sayWhereKept(_ record: AccountRecord?, _ run: LoginRun) {
        if let record { sayLength(record, run) }
        guard let record, record.store != StoreName.none else {
            return say("The login was not stored: the next command has to log in again.")
        }
        switch record.store {
        case .keyring:
            let isForSession = run.request.persistence(of: run.profile) == .session
            let until = isForSession ? "this session ends, or this machine restarts" : "this machine restarts"
            say(
                "Stored in the kernel's keyring until \(until)\(end(record, run)); other users cannot see it, root can."
            )
            if !isForSession, let tip = tip(record, run) { say(tip) }
        case .plaintext, .none:
            // Said before it was written: `warn`.
            break
        case .file:
            say("Stored in the encrypted file\(end(record, run)).")
        case .secretService, .helper, .shared:
            say("Stored in '\(record.store)'\(end(record, run)).")
        }
    }

    /// No store keeps what the service itself will end today.
    func tip(_ record: AccountRecord, _ run: LoginRun) -> String? {
        if let expires = record.expires, context.dependencies.clock.seconds(until: expires) < 86_400 { return nil }
        let isSetUp: Bool
        do {
            isSetUp = try context.stores().hasEncryptedFile()
        } catch {
            return nil
        }
        guard isSetUp else {
            return "To keep it longer: authctl store init file, then authctl store move keyring file"
        }
        // Whoever named the keyring had no other store considered.
        guard run.request.store(of: run.profile) == nil else { return nil }
        return "The encrypted file was skipped: its passphrase was not available (AUTHCTL_STORE_PASSPHRASE_FILE)."
    }

    /// A service may grant another length than was asked for.
    private func sayLength(_ record: AccountRecord, _ run: LoginRun) {
        guard let asked = run.request.ttl, run.profile.usesTTL, let expires = record.expires else { return }
        let granted = context.dependencies.clock.seconds(until: expires)
        guard abs(granted - Int64(asked)) > max(2, Int64(asked) / 20) else { return }
        say("The service granted \(Duration.inWords(granted)) instead of the requested \(asked) seconds.")
    }

    private func end(_ record: AccountRecord, _ run: LoginRun) -> String {
        guard let expires = record.expires else { return "" }
        if context.accounts.refreshes(record, of: run.profile) { return ", and the session is refreshed automatically" }
        return ", and the session expires in \(Duration.inWords(context.dependencies.clock.seconds(until: expires)))"
    }
}
