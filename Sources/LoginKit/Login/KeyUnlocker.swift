import LoginCore
import Secrets

/// Opens a private key that may be encrypted: by the passphrase that was given, else the kept one, else one that a person types.
///
/// Whether a passphrase opens a key is known without any server, so it is no step of the login: a key that cannot be
/// opened ends the command before anything is connected.
struct KeyUnlocker {
    let context: LoginContext
    let request: LoginRequest
    /// The key's file, for the question.
    let file: String
    /// The passphrase that was given for this key.
    let supplied: Secret?
    let mayAsk: Bool

    /// Returns the open key.
    /// - Parameters:
    ///   - kept: the passphrase of an earlier login, asked for only if it is needed.
    ///   - open: returns `nil` where a passphrase is needed, and throws `wrongPassphrase`.
    /// - Throws: `usage` for a wrong passphrase that was given; `loginRequired` where nobody can be asked.
    func unlock<Key>(
        kept: () throws(LoginFault) -> Secret?, open: (Secret?) throws(LoginFault) -> Key?
    ) throws(LoginFault) -> Key {
        if let key = try open(nil) { return key }
        if let supplied, let key = try open(supplied) { return key }
        if let kept = try kept() {
            do throws(LoginFault) {
                if let key = try open(kept) { return key }
            } catch .usage(.clientCertificate(.wrongPassphrase)) {
                // The key has another passphrase since: ask, if somebody may be asked.
            }
        }
        return try ask(open)
    }

    private func ask<Key>(_ open: (Secret?) throws(LoginFault) -> Key?) throws(LoginFault) -> Key {
        guard mayAsk else { throw .loginRequired(LoginNeed(why: .keyLocked(file: file))) }
        let dialogue = context.dependencies.dialogue(context.dialogueSettings(request))
        var label = "Passphrase of \(SafeText.escaped(file)): "
        for attempt in 1...request.policy.maxAttempts {
            guard let typed = try passphrase(dialogue, label) else { throw .cancelled }
            do throws(LoginFault) {
                if let key = try open(typed) { return key }
            } catch .usage(.clientCertificate(.wrongPassphrase)) where attempt < request.policy.maxAttempts {
                label = "Wrong passphrase. Passphrase of \(SafeText.escaped(file)): "
            }
        }
        throw .usage(.clientCertificate(.wrongPassphrase(file: file)))
    }

    private func passphrase(_ dialogue: any Dialogue, _ label: String) throws(LoginFault) -> Secret? {
        do throws(LoginFault) {
            return try dialogue.askPassphrase(label, confirm: false)
        } catch .store(.passphraseBlank) {
            return Secret("")
        }
    }
}
