import Secrets

/// The life of one account's login, in git's words: fill, approve, reject. Requests about the login go through it, too, since other
/// threads, processes and machines may send the same.
///
/// Of a secret that was not judged, nothing is said.
protocol LoginKeeper {
    /// Makes sure, before a person is asked for anything, that what they type can be kept.
    func prepareStore() throws(LoginFault)

    /// Reads the stored login.
    func fill() throws(LoginFault) -> StoredLogin

    /// Logs in with a credential and has the verify endpoint confirm it.
    /// - Parameter code: of a second factor, where it is asked for together with the password.
    /// - Throws: `LoginFault.rejected` only if the server refused the credential.
    func begin(_ credential: Credential, code: Secret?) throws(LoginFault) -> LoginStep

    /// Goes on with a login that wants a second factor. After a code that was refused, it may be gone on with once more.
    /// - Parameter code: `nil` if an approval on another device is waited for.
    /// - Throws: `LoginFault.rejected` only if the server refused the code.
    func resume(_ partial: any PartialLogin, code: Secret?) throws(LoginFault) -> LoginStep

    /// Asks the verify endpoint about a session that is already there.
    /// - Returns: the same session, with whatever the server refreshed in it.
    /// - Throws: `LoginFault.rejected` only if the server refused the session.
    func verify(_ session: Session, username: String) throws(LoginFault) -> Login

    /// Exchanges a session for a new one; the old one may be used up then.
    /// - Returns: `nil` if there is nothing to refresh it with.
    /// - Throws: `LoginFault.rejected` only if the server refused to refresh it.
    func refresh(_ session: Session, username: String) throws(LoginFault) -> Session?

    /// Keeps a login that the verify endpoint confirmed, or a session that the service gave in the place of another.
    func approve(_ login: Login, _ approval: Approval) throws(LoginFault)

    /// Lets go of what other processes may wait for, since a person is asked next.
    func beginWaiting()

    /// Whether another process has stored something else since this was read, so that the person need not be asked.
    func hasChanged(since stored: StoredLogin) throws(LoginFault) -> Bool

    /// Takes note that the server refused: a session is erased, a password is marked and not sent again by itself.
    func reject(_ part: StoredLogin.Part) throws(LoginFault)

    /// Keeps what a person accepted, once the login it was accepted for has succeeded.
    func remember(_ exception: TrustedCertificate) throws(LoginFault)
}

/// The effect of an approval on the account.
package enum Approval: Equatable, Sendable {
    /// A person logged in, by this method: the account becomes the active one, in the store that was prepared.
    case login(AuthenticationMethod)
    /// The service refreshed the session: it takes the place of the old one in its own store, and nothing else changes.
    case refresh
}

/// The service as one profile describes it, for what comes before a credential is sent.
protocol Authenticator {
    /// Asks the verify endpoint without credentials, before a person is asked for any: whether it refuses such a
    /// request, and for which protection space it wants which method.
    func prepare() throws(LoginFault) -> ProtectionSpace

    /// Takes what is sent with every request from now on: it was asked for once, and is stored.
    func hold(_ extraSecrets: [CredentialField: Secret])

    /// The values that the last login or refresh returned for later requests, kept with the session.
    var takenForLater: [CredentialField: Secret] { get }

    /// From now on the server's certificate is good where the exception covers it.
    func trust(_ exception: TrustedCertificate)
}

/// The result of one step of a login.
enum LoginStep {
    case accepted(Login)
    case refused(Refusal)
    /// The credential was taken or not judged, and verify gives the same response as without a login.
    case unconfirmed(UnconfirmedLogin)
    /// The credential is good, and the server wants a code; with its own words, unescaped.
    case needsCode(words: String?, any PartialLogin)
    /// It waits for an approval on another device, and is to be asked again after so many seconds; the request lasted `took` seconds.
    case pending(seconds: Int, took: Int, any PartialLogin)
}

/// A login that wants a second factor, in the hands of whoever began it. What it holds is secret: it stays with the loop, and
/// nothing of it is stored.
protocol PartialLogin {}

/// A person at a terminal, or a program in their place.
package protocol Prompt {
    /// Puts one question.
    func ask(_ question: Question) throws(LoginFault) -> Answer

    /// Shows that the server is being asked; nothing takes the notice away again.
    func showWaiting(_ notice: String?)

    /// Lets so many seconds pass, and shows that an approval on another device is waited for.
    func wait(seconds: Int) throws(LoginFault)

    /// Waits until no other process asks the same person, and has others wait until `endTurn`.
    /// - Throws: `promptExpired`; nothing is to be ended then.
    func takeTurn() throws(LoginFault)

    func endTurn()
}

extension Prompt {
    /// For who asks nobody.
    func takeTurn() throws(LoginFault) {}

    func endTurn() {}
}

/// A person's consent elsewhere, as at an authorization server, instead of a credential that they type.
protocol ConsentSource {
    /// Whether the person can be asked anything beside it.
    var mayAsk: Bool { get }

    /// Has the person consent.
    /// - Parameter asked: secrets of the client, which the person was asked for before.
    func credential(_ asked: [CredentialField: Secret]) throws(LoginFault) -> Credential
}

/// Tells whose session a refresh returned, as far as the response says.
struct RefreshOwner: Equatable, Sendable {
    /// The user name in the answer, where the profile says its place.
    var named: String?
    /// The subjects of the token before and after the refresh, where both name one (RFC 7519, section 4.1.2).
    var subjects: Subjects?

    /// The subjects of two tokens.
    struct Subjects: Equatable, Sendable {
        /// The subject of the token that was refreshed.
        let old: String
        /// The subject of the token that took its place.
        let new: String

        /// - Returns: `nil` unless both are known.
        init?(old: String?, new: String?) {
            guard let old, let new else { return nil }
            (self.old, self.new) = (old, new)
        }
    }

    /// Compares with what is known of the account. A name is held against the server's own: what was typed may be an address
    /// for what the server calls otherwise.
    /// - Returns: who it was and who it is now; `nil` if it is the same person, or nothing tells.
    func otherPerson(than known: Identity) -> Replacement? {
        let renamed = Identity(username: known.username, serverName: named)
        if let other = Replacement(of: known, by: renamed) { return other }
        guard let subjects else { return nil }
        return Replacement(
            of: Identity(username: known.username, serverName: subjects.old),
            by: Identity(username: known.username, serverName: subjects.new))
    }
}

/// A refusal outside of a login.
struct RefusedLogin: Equatable, Sendable {
    /// The credential that was sent with the refused request.
    let session: Session
    /// The server's refusal.
    let refusal: Refusal
}
