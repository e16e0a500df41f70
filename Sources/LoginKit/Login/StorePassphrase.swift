import LoginCore
import Secrets

/// The passphrase of the encrypted file: out of the file that the environment names, which is read once, or from a person,
/// who may be wrong about it twice.
struct StorePassphrase {
    unowned let context: LoginContext

    /// The number of attempts.
    static let tries = 3

    func first() throws(StoreFault) -> Secret {
        if let file { return try SecretFile.passphrase(file) }
        guard context.mayUnlock else { throw .passphraseMissing(path: context.encryptedFile) }
        return try typed(at: "Passphrase of authctl's encrypted file: ")
    }

    /// - Parameter failures: how many were wrong.
    /// - Returns: `nil` if there is no further one.
    func another(after failures: Int) throws(StoreFault) -> Secret? {
        guard file == nil, context.mayUnlock, failures < Self.tries else { return nil }
        return try typed(at: "Wrong passphrase. Attempt \(failures + 1) of \(Self.tries): ")
    }

    private var file: String? { context.dependencies.environment["AUTHCTL_STORE_PASSPHRASE_FILE"] }

    private func typed(at label: String) throws(StoreFault) -> Secret {
        let typed: Secret?
        do throws(LoginFault) {
            typed = try context.dependencies.dialogue(context.dialogueSettings).askPassphrase(label, confirm: false)
        } catch .store(.passphraseBlank) {
            // Wrong like any other.
            return Secret("")
        } catch .store(let fault) {
            throw fault
        } catch .promptExpired(let seconds) {
            throw .passphraseExpired(seconds: seconds)
        } catch {
            throw .passphraseMissing(path: context.encryptedFile)
        }
        guard let typed else { throw .passphraseCancelled }
        return typed
    }
}
