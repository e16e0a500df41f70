import CSecret
import Glibc
import LoginCore

/// The attributes by which an item is found: all of an account, in printable ASCII, and nothing that is secret.
struct SecretAttributes {
    /// Keeps other programs' items apart from ours, whatever else they have in common.
    static let schema = "authctl.Login"

    private let pairs: [(name: String, value: String)]

    init(_ account: AccountID) {
        pairs = [
            ("xdg:schema", Self.schema),
            ("kind", "login"),
            ("profile", PrintableText.encode(account.profile)),
            ("origin", PrintableText.encode(account.origin.description)),
            ("user", PrintableText.encode(account.username)),
        ]
    }

    /// The label that a program shows for an item of the keyring.
    static func label(of account: AccountID) -> String {
        let name = account.username.isEmpty ? "" : SafeText.escaped(account.username) + " at "
        return "authctl: \(SafeText.escaped(account.profile)) (\(name)\(account.origin))"
    }

    /// Lends them to C for the time of `body`.
    func withCArray<Result>(_ body: (UnsafeBufferPointer<csecret_attribute>) -> Result) -> Result {
        let list = pairs.map { csecret_attribute(name: strdup($0.name), value: strdup($0.value)) }
        defer {
            for attribute in list {
                free(UnsafeMutablePointer(mutating: attribute.name))
                free(UnsafeMutablePointer(mutating: attribute.value))
            }
        }
        return list.withUnsafeBufferPointer(body)
    }
}
