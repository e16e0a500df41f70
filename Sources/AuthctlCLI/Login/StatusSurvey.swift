import LoginCore
import LoginWords
import LoginKit
import LoginStores

/// One account, or a profile without any.
struct StatusRow: Encodable {
    let profile: String
    let origin: String?
    let username: String?
    let active: Bool
    let method: String
    let store: String?
    let expires: Int64?
    /// Whether authctl gets a new session by itself when this one has ended.
    let refreshes: Bool
    /// How the account stands; only `ok` can be used.
    let code: ExitCode
    /// What was done to find out.
    let check: Check
    /// The file of the authorities, where they are not the system's.
    let authorities: String?
    /// The fingerprint of the certificate that a person accepted for the origin.
    let trusted: String?

    /// How a usable account was looked at, as `status` names it.
    enum Check: String {
        /// The service was asked.
        case verified
        /// The service has nothing that could be asked.
        case unverified
        /// Nothing was asked.
        case stored
    }

    /// Whether it is about an account, not about a profile without any.
    var hasAccount: Bool { store != nil }

    /// The check, or the name of what is wrong.
    var state: String { code == .ok ? check.rawValue : code.name }

    private enum CodingKeys: String, CodingKey {
        case profile, origin, username, active, method, store, expires, state, exit, authorities, trusted
        case refreshes = "renews"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(profile, forKey: .profile)
        try container.encodeIfPresent(origin, forKey: .origin)
        try container.encodeIfPresent(username, forKey: .username)
        try container.encode(active, forKey: .active)
        try container.encode(method, forKey: .method)
        try container.encodeIfPresent(store, forKey: .store)
        try container.encodeIfPresent(expires, forKey: .expires)
        if expires != nil { try container.encode(refreshes, forKey: .refreshes) }
        try container.encode(state, forKey: .state)
        try container.encode(code.rawValue, forKey: .exit)
        try container.encodeIfPresent(authorities, forKey: .authorities)
        try container.encodeIfPresent(trusted, forKey: .trusted)
    }
}

/// Finds out how the accounts of one profile stand.
struct StatusSurvey {
    let invocation: Invocation
    let asksServer: Bool

    func rows(_ name: String) throws(LoginError) -> [StatusRow] {
        let profile: Profile, known: ProfileRecord?
        do throws(LoginError) {
            profile = try invocation.context.profile(named: name)
            known = try invocation.context.record(of: profile)
        } catch {
            // One profile that cannot be read does not hide the others.
            invocation.say("authctl: \(error.message(about: ErrorContext(profile: name)).what)")
            return [row(name, nil, nil, nil, error)]
        }
        guard let record = known, case let accounts = accounts(of: record), !accounts.isEmpty else {
            return [row(name, profile, known, nil, .loginRequired(LoginNeed(why: .nothingStored)))]
        }
        var rows: [StatusRow] = []
        let trusted = try invocation.context.document().exception(for: record.origin)?.fingerprint
        for account in accounts {
            rows.append(row(name, profile, record, account, try problem(profile, account), trusted))
        }
        return rows.sorted { $0.active && !$1.active }
    }

    /// With `-u`, the one that goes by this name.
    private func accounts(of record: ProfileRecord) -> [AccountRecord] {
        guard let name = invocation.options.username else {
            return record.accounts.filter { $0.origin == record.origin }
        }
        return record.account(named: name).map { [$0] } ?? []
    }

    private func problem(_ profile: Profile, _ account: AccountRecord) throws(LoginError) -> LoginError? {
        do throws(LoginError) {
            guard asksServer else {
                if let problem = try invocation.context.problem(with: account, of: profile.name) { throw problem }
                return nil
            }
            // A session that is past its end may still be renewed.
            _ = try SessionVerifier(invocation.context, profile, username: account.username).identity()
            return nil
        } catch {
            return tell(error, profile)
        }
    }

    private func check(_ profile: Profile?) -> StatusRow.Check {
        guard asksServer else { return .stored }
        return profile?.verify == nil ? .unverified : .verified
    }

    /// Says what the name of the code does not tell: which store and what it wants, that a clock has to be set, or that
    /// somebody else got the session.
    private func tell(_ error: LoginError, _ profile: Profile) -> LoginError {
        if error.isBeyondItsCode {
            invocation.say("authctl: \(error.message(about: ErrorContext(profile: profile.name)).what)")
        }
        return error
    }

    /// Of what has no end, nobody asks.
    private func refreshes(_ account: AccountRecord?, _ profile: Profile?) -> Bool {
        guard let account, let profile, account.expires != nil else { return false }
        return invocation.context.refreshes(account, of: profile)
    }

    private func row(
        _ name: String, _ profile: Profile?, _ record: ProfileRecord?, _ account: AccountRecord?, _ error: LoginError?,
        _ trusted: Fingerprint? = nil
    ) -> StatusRow {
        let active = record?.activeUsername
        let isActive = account.map { active?.isSame(as: $0.username) ?? false } ?? false
        let methods = profile?.methods.map(\.rawValue).joined(separator: ", ")
        return StatusRow(
            profile: name, origin: record?.origin.description, username: account?.identity.displayName,
            active: isActive, method: record?.pinnedMethod?.rawValue ?? methods ?? "?",
            store: account?.store.description, expires: account?.expires, refreshes: refreshes(account, profile),
            code: error?.exitCode ?? .ok, check: check(profile), authorities: profile?.settings.caFile,
            trusted: trusted?.description)
    }
}

extension LoginError {
    fileprivate var isBeyondItsCode: Bool {
        if case .store = self { return true }
        guard case .loginRequired(let need) = self else { return false }
        if case .clockSetBack = need.why { return true }
        if case .refreshedForAnother = need.why { return true }
        return false
    }
}
