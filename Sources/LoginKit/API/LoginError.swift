public import LoginCore

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

        /// The number that `authctl` exits with, from 1 to 15.
        public var exitStatus: Int32 { exitCode.rawValue }
        /// The name that `authctl --json` prints, such as `login-required`.
        public var description: String { exitCode.name }
    }

    let fault: LoginFault

    init(_ fault: LoginFault) { self.fault = fault }

    /// The kind of failure.
    public var code: Code { Code(exitCode: fault.exitCode) }
    /// A description of what happened: part of a sentence in English, without control characters.
    public var message: String { fault.message(about: ErrorContext()).what }
    /// Advice, as part of a sentence; `nil` if there is none.
    public var advice: String? {
        let next = fault.message(about: ErrorContext()).next
        return next.isEmpty ? nil : next
    }
    /// The message alone.
    public var description: String { message }

    /// Runs a step of the library and turns its fault into the error that programs catch.
    static func catching<Result>(_ step: () throws(LoginFault) -> Result) throws(LoginError) -> Result {
        do throws(LoginFault) { return try step() } catch { throw LoginError(error) }
    }
}

extension RetryRequest {
    /// The failure that kept the credential from being judged.
    public var error: LoginError { LoginError(fault) }
}
