import LoginCore
import Secrets

/// The key of the encrypted file, held in the kernel's keyring for a time after a person gave the passphrase, so that it is
/// asked for once.
///
/// Held is the file's own key, not the passphrase: it opens nothing else, and needs no derivation. A keyring that cannot be
/// used holds nothing; the passphrase is then asked for each time.
struct HeldKey {
    /// From the moment at which the passphrase was given.
    let seconds: Int
    let clock: WallClock

    /// - Returns: `nil` if it is not held any more.
    func find(for header: VaultHeader) -> Secret? {
        do throws(StoreFault) {
            // Any program of the user may have put something else there.
            guard let key = try keyring.find(Self.account(header)), key.count == Cipher.keyCount else { return nil }
            return key
        } catch {
            return nil
        }
    }

    func hold(_ key: Secret, for header: VaultHeader) {
        do throws(StoreFault) {
            try keyring.save(key, for: Self.account(header), timeout: UInt32(clamping: max(1, seconds)))
        } catch {
            return
        }
    }

    /// - Returns: whether there was one.
    static func drop(for header: VaultHeader, clock: WallClock) throws(StoreFault) -> Bool {
        do throws(StoreFault) {
            return try KeyringStore(clock: clock).erase(account(header))
        } catch .unavailable {
            return false
        }
    }

    private var keyring: KeyringStore { KeyringStore(clock: clock, lifetime: .untilRestart) }

    /// Belongs to no login: no server has a name in `.invalid` (RFC 6761). The salt is another one for each file.
    private static func account(_ header: VaultHeader) -> AccountID {
        AccountID(
            profile: "authctl encrypted file", origin: Origin(scheme: "https", host: "file.invalid", port: 443),
            username: Hexadecimal.text(header.salt))
    }
}
