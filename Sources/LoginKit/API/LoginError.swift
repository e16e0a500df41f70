/// A login, request or logout that did not succeed.
///
/// Compare `code`, and show `message` and `advice` to people. A later version may add codes, so a `switch` needs a `default`:
///
///     } catch let error as LoginError where error.code == .loginRequired {
///         print(error.message)
///     }
public struct LoginError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure, one for each exit code of `authctl`; authctl(1), EXIT STATUS, explains them.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        let exitCode: ExitCode

        /// A failure that no other code describes.
        public static let failure = Code(exitCode: .failure)
        /// The call, the profile or the configuration is wrong.
        public static let usage = Code(exitCode: .usage)
        /// The service refused the credential.
        public static let rejected = Code(exitCode: .rejected)
        /// There is no usable session, and the delegate cannot or will not log in.
        public static let loginRequired = Code(exitCode: .loginRequired)
        /// The person cancelled.
        public static let cancelled = Code(exitCode: .cancelled)
        /// There was no response, or a broken one; no credential was judged.
        public static let network = Code(exitCode: .network)
        /// A certificate, plain http, a weaker method or another origin was not accepted.
        public static let untrusted = Code(exitCode: .untrusted)
        /// The store is missing, damaged, unsafe or timed out.
        public static let store = Code(exitCode: .store)
        /// The code of a second factor is missing or was refused.
        public static let secondFactor = Code(exitCode: .secondFactor)
        /// The session is good, but the account has no permission.
        public static let forbidden = Code(exitCode: .forbidden)
        /// The service is overloaded or failed; try again later.
        public static let busy = Code(exitCode: .busy)
        /// The person did not answer in time.
        public static let expired = Code(exitCode: .expired)
        /// Another process held a lock for too long.
        public static let locked = Code(exitCode: .locked)
        /// The login was deleted here, but the service could not end the session.
        public static let partial = Code(exitCode: .partial)

        /// Where the message's own advice is for a shell.
        fileprivate var advice: String? {
            switch exitCode {
            case .rejected, .loginRequired: "log in again, with a delegate that can be asked"
            case .network, .busy: "try again later"
            case .untrusted: "have the delegate accept the certificate, or correct the profile"
            case .store: "unlock the store, or name another one in the profile"
            case .secondFactor: "have the delegate answer with a code"
            case .forbidden: "ask the service for permission"
            case .expired: "start again"
            case .locked: "try again when the other process has ended"
            case .partial: "end the session at the service"
            case .ok, .failure, .usage, .cancelled, .http: nil
            }
        }

        /// The number that `authctl` exits with, from 1 to 15.
        public var exitStatus: Int32 { exitCode.rawValue }
        /// The name that `authctl --json` prints, such as `login-required`.
        public var description: String { exitCode.name }
    }

    /// The fault that it was made from; `nil` for an error that a program has made.
    let fault: LoginFault?
    /// The kind of failure.
    public let code: Code
    /// A description of what happened: part of a sentence in English, without control characters.
    public let message: String
    /// The next step for the program or its user, as part of a sentence; `nil` if there is none. It names no command and no
    /// option of `authctl`.
    public let advice: String?

    init(_ fault: LoginFault) {
        let words = fault.message()
        (self.fault, code, message) = (fault, Code(exitCode: fault.exitCode), words.what)
        let isForShell = ["authctl", "AUTHCTL_", "--", "-u "].contains { words.next.contains($0) }
        advice = words.next.isEmpty || isForShell ? code.advice : words.next
    }

    /// Makes an error without a failed login, for tests.
    public init(_ code: Code, message: String, advice: String? = nil) {
        (fault, self.code, self.message, self.advice) = (nil, code, message, advice)
    }

    /// The message alone.
    public var description: String { message }

    /// Runs a step of the library and turns its fault into the error that programs catch.
    static func catching<Result>(_ step: () throws(LoginFault) -> Result) throws(LoginError) -> Result {
        do { return try step() } catch { throw LoginError(error) }
    }
}

extension RetryRequest {
    /// The failure that kept the credential from being judged.
    public var error: LoginError { LoginError(fault) }
}
