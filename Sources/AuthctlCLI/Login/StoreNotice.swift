import LoginCore
import LoginStores

/// What a person should know about where their login is kept.
struct StoreNotice {
    let record: AccountRecord?
    let profile: Profile
    let invocation: Invocation

    func say() {
        guard let record else {
            invocation.say("Nothing is kept: the next command has to log in again.")
            return
        }
        switch record.store {
        case .keyring:
            invocation.say(
                """
                Kept in the kernel's keyring until this machine restarts\(end(record)); other users cannot see it, root can.
                To keep it longer: authctl store init file
                """)
        case .plaintext:
            // A person who wrote it into their own configuration knows.
            if invocation.profiles.defaults.store == "plaintext" || isChosenInConfig { return }
            invocation.world.streams.say(
                """
                authctl: warning: the login is kept as plain text in \(invocation.paths.stateFolder), where every \
                program that you run can read it
                """)
        case .file:
            invocation.say("Kept in the encrypted file\(end(record)).")
        case .secretService, .helper:
            invocation.say("Kept in '\(record.store)'\(end(record)).")
        case .none:
            invocation.say("Nothing is kept: the next command has to log in again.")
        }
    }

    private var isChosenInConfig: Bool {
        guard case .config = invocation.profiles.source(of: profile.name) else { return false }
        guard let written = try? invocation.profiles.profile(named: profile.name) else { return false }
        return written.settings.store == "plaintext"
    }

    private func end(_ record: AccountRecord) -> String {
        guard let expires = record.expires else { return "" }
        return ", and the session ends in \(Duration.inWords(invocation.world.clock.seconds(until: expires)))"
    }
}
