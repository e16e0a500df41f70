import LoginCore
import LoginKit

/// Describes a stored login in sentences, without its secret.
struct ExplainedAccount {
    private let account: AccountRecord
    private let clock: WallClock

    init(_ account: AccountRecord, _ clock: WallClock) { (self.account, self.clock) = (account, clock) }

    /// - Parameter stored: `nil` if it was not read.
    func login(_ stored: StoredLogin?) -> String {
        let name = account.username.isEmpty ? "" : " \(SafeText.name(account.username))"
        let passed = clock.seconds(since: account.savedAt)
        let age = passed < 0 ? "" : " \(Duration.inWords(passed)) ago"
        let parts = [kind(stored), end, refresh(stored), extras].compactMap { $0 }
        return "account\(name), stored in '\(account.store)'\(age): \(parts.joined(separator: "; "))."
    }

    /// The issuer and the scope of the grant.
    func granted(_ stored: StoredLogin) -> String? {
        guard let terms = stored.session?.terms else { return nil }
        let scope = terms.scope.map { ", for the scope \(SafeText.quoted($0))" } ?? ""
        let server = (terms.issuer ?? terms.tokenEndpoint).prefix { $0 != "?" }
        return "by \(SafeText.line(String(server)))\(scope)."
    }

    private func kind(_ stored: StoredLogin?) -> String {
        if let stored, stored.session == nil, stored.credential == nil, !account.passwordRefused {
            return "the store has nothing of it that can be used"
        }
        return switch account.kind {
        case .basic, .digest: "user name and password"
        case .token: "a token"
        case .cookies: "session cookies"
        case .ticket: "a Kerberos ticket, which is kept elsewhere"
        case .certificate: "a client certificate"
        }
    }

    private var end: String? {
        account.expires.map {
            clock.isOver($0)
                ? "expired \(Duration.inWords(clock.seconds(since: $0))) ago"
                : "expires in \(Duration.inWords(clock.seconds(until: $0)))"
        }
    }

    private func refresh(_ stored: StoredLogin?) -> String? {
        guard case .token(let token) = stored?.session else { return nil }
        return token.refreshToken == nil
            ? "no refresh token" : "a refresh token, by which it is refreshed when it expires"
    }

    private var extras: String? {
        if account.passwordRefused { return "the server refused the password before" }
        return account.keepsPassword ? "the password is stored, too" : nil
    }
}
