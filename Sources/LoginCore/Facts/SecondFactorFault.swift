/// A second factor that was missing or refused.
package enum SecondFactorFault: Equatable, Sendable {
    /// A code is wanted, and no person could be asked; with the server's own words, unescaped.
    case required(words: String?)
    /// The code was refused, or the approval was.
    case refused(Refusal)
    /// The server wants one, and the profile does not say how it is sent.
    case notDescribed(words: String?)
}
