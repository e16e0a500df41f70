package import Secrets

/// The code of a second factor that was given beforehand. It is read when it is needed, and no sooner: it may come from a
/// program.
package final class SuppliedCode {
    /// Whether it is sent with the password, since the server does not say by itself that it wants one.
    package let isSentAtOnce: Bool
    /// Whether it was not taken yet.
    package var isThere: Bool { read != nil }
    private var read: (() throws(LoginFault) -> Secret)?

    /// - Parameter read: called once at most.
    package init(isSentAtOnce: Bool, read: @escaping () throws(LoginFault) -> Secret) {
        self.isSentAtOnce = isSentAtOnce
        self.read = read
    }

    /// - Returns: `nil` once it was taken, since a code works once.
    func take() throws(LoginFault) -> Secret? {
        let read = read
        self.read = nil
        return try read?()
    }
}
