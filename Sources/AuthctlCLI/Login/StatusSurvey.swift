import LoginCore
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
    /// `verified`, `stored`, or the name of what is wrong.
    let state: String
    let exit: Int32
    let authorities: String?
    /// The fingerprint of the certificate that a person accepted for the origin.
    let trusted: String?

    var code: ExitCode { ExitCode(rawValue: exit) ?? .failure }
}

/// Finds out how the accounts of one profile stand.
struct StatusSurvey {
    let invocation: Invocation
    let asksServer: Bool

    func rows(_ name: String) throws(LoginError) -> [StatusRow] {
        let profile: Profile
        do throws(LoginError) {
            profile = try invocation.profile(named: name)
        } catch {
            // One profile that cannot be read does not hide the others.
            invocation.say("authctl: \(error.message(about: Topic(profile: name)).what)")
            return [row(name, nil, nil, nil, error)]
        }
        guard let record = try invocation.document().profile(name), record.url == profile.url else {
            return [row(name, profile, nil, nil, .loginRequired(LoginNeed(why: .nothingStored)))]
        }
        let accounts = record.accounts.filter { $0.origin == record.origin }
        if accounts.isEmpty {
            return [row(name, profile, record, nil, .loginRequired(LoginNeed(why: .nothingStored)))]
        }
        var rows: [StatusRow] = []
        let trusted = try invocation.document().exception(for: record.origin)?.fingerprint
        for account in accounts {
            rows.append(row(name, profile, record, account, try problem(profile, account), trusted))
        }
        return rows.sorted { $0.active && !$1.active }
    }

    private func problem(_ profile: Profile, _ account: AccountRecord) throws(LoginError) -> LoginError? {
        do throws(LoginError) {
            guard asksServer else { return try invocation.problem(with: account, of: profile.name) }
            // A session that is past its end may still be renewed.
            _ = try StoredCheck(invocation, profile, username: account.username).identity()
            return nil
        } catch {
            return error
        }
    }

    private func row(
        _ name: String, _ profile: Profile?, _ record: ProfileRecord?, _ account: AccountRecord?, _ error: LoginError?,
        _ trusted: Fingerprint? = nil
    ) -> StatusRow {
        let isActive = account.map { $0.username == record?.activeUsername } ?? false
        let methods = profile?.methods.map(\.rawValue).joined(separator: ", ")
        return StatusRow(
            profile: name, origin: record?.origin.description, username: account?.identity.displayName,
            active: isActive, method: record?.pinnedMethod?.rawValue ?? methods ?? "?",
            store: account?.store.description, expires: account?.expires,
            state: error?.exitCode.name ?? (asksServer ? "verified" : "stored"),
            exit: error?.exitCode.rawValue ?? 0, authorities: profile?.settings.caFile,
            trusted: trusted?.description)
    }
}
