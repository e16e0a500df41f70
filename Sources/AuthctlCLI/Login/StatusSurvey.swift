import LoginKit

/// Finds out how the accounts of some profiles stand.
struct StatusSurvey {
    let invocation: Invocation
    let asksServer: Bool

    /// The rows of these profiles, in their order. The services are asked eight at a time.
    func rows(_ names: [String]) throws(LoginFault) -> [StatusRow] {
        var remarks = Remarks()
        let found = try names.map { (name) throws(LoginFault) in try find(name, &remarks) }
        let asked = found.flatMap { found in
            found.accounts.compactMap { account in found.profile.map { ($0, account) } }
        }
        if asksServer, asked.count > 1 { invocation.context.accounts.unlock(asked.map { ($0.name, $1) }) }
        let problems =
            asksServer ? invocation.context.concurrently(asked, problem) : asked.map { problem(invocation.context, $0) }
        var next = problems.makeIterator(), rows: [StatusRow] = []
        for found in found {
            let those = try self.rows(of: found) {
                guard let error = next.next() ?? nil else { return nil }
                if error.isBeyondItsCode { remarks.add(error, about: found.name) }
                return error
            }
            rows += those.filter(\.active) + those.filter { !$0.active }
        }
        for line in remarks.lines { invocation.say("authctl: \(line)") }
        return rows
    }

    /// A profile and its accounts; why there are none, where there are none.
    private struct Found {
        let name: String
        var profile: Profile?
        var record: ProfileRecord?
        var accounts: [AccountRecord] = []
        var error: LoginFault?
    }

    private func find(_ name: String, _ remarks: inout Remarks) throws(LoginFault) -> Found {
        var found = Found(name: name)
        do {
            found.profile = try invocation.context.profile(named: name)
            if let profile = found.profile, asksServer {
                try invocation.context.accounts.adopt(profile, invocation.options.username)
            }
            if let profile = found.profile { found.record = try invocation.context.record(of: profile) }
        } catch {
            // One profile that cannot be read does not hide the others.
            remarks.add(error, about: name)
            (found.profile, found.error) = (nil, error)
            return found
        }
        found.accounts = found.record.map(accounts) ?? []
        if found.accounts.isEmpty { found.error = .loginRequired(LoginNeed(why: .nothingStored)) }
        return found
    }

    private func rows(of found: Found, _ problem: () -> LoginFault?) throws(LoginFault) -> [StatusRow] {
        if let error = found.error { return [row(found, nil, error)] }
        let document = try invocation.context.document()
        let trusted = found.record.flatMap { document.exception(for: $0.origin)?.fingerprint }
        return found.accounts.map { row(found, $0, problem(), trusted) }
    }

    /// With `-u`, the one that goes by this name.
    private func accounts(of record: ProfileRecord) -> [AccountRecord] {
        guard let name = invocation.options.username else {
            return record.accounts.filter { $0.origin == record.origin }
        }
        return record.account(named: name).map { [$0] } ?? []
    }

    private func problem(_ context: LoginContext, _ asked: (profile: Profile, account: AccountRecord)) -> LoginFault? {
        do {
            guard asksServer else { return try context.accounts.problem(with: asked.account, of: asked.profile) }
            context.topic = ErrorContext(profile: asked.profile.name)
            // A session that is past its end may still be refreshed.
            _ = try context.accounts.verifyingRun(asked.profile, username: asked.account.username).verifiedIdentity()
            return nil
        } catch {
            return error
        }
    }

    /// Whether an account with an end refreshes itself; `nil` for one without an end.
    private func refreshes(_ account: AccountRecord?, _ profile: Profile?) -> Bool? {
        guard let account, account.expires != nil else { return nil }
        return profile.map { invocation.context.accounts.refreshes(account, of: $0) } ?? false
    }

    private func row(
        _ found: Found, _ account: AccountRecord?, _ error: LoginFault?, _ trusted: Fingerprint? = nil
    ) -> StatusRow {
        let (profile, record) = (found.profile, found.record)
        let active = record?.activeUsername
        let isActive = account.map { active?.isSame(as: $0.username) ?? false } ?? false
        let methods = profile?.methods.map(\.rawValue).joined(separator: ", ")
        let passed = !asksServer ? "stored" : profile?.verify == nil ? "unverified" : "verified"
        return StatusRow(
            profile: found.name, origin: record?.origin.description, username: account?.identity.displayName,
            active: isActive, method: record?.pinnedMethod?.rawValue ?? methods ?? "?",
            store: account.map { $0.isNewer ? "?" : $0.store.description },
            expires: account?.expires,
            machine: account.flatMap { invocation.context.accounts.lastMachine(of: $0, in: found.name) },
            refreshes: refreshes(account, profile), state: error?.exitCode.name ?? passed,
            code: error?.exitCode ?? .ok, authorities: profile?.settings.caFile, trusted: trusted?.description)
    }
}

/// Problems that the table does not show. One that concerns many profiles, such as an unreachable store engine, is one line.
private struct Remarks {
    private var entries: [(remark: String, names: [String])] = []

    mutating func add(_ error: LoginFault, about name: String) {
        let remark = error.message().what
        guard let place = entries.firstIndex(where: { $0.remark == remark }) else {
            return entries.append((remark, [name]))
        }
        if !entries[place].names.contains(name) { entries[place].names.append(name) }
    }

    var lines: [String] {
        entries.map { "\($0.names.map { SafeText.escaped($0) }.joined(separator: ", ")): \($0.remark)" }
    }
}

extension LoginFault {
    /// Whether the name of the code does not tell enough: which store and what it wants, that a clock has to be set, or that
    /// somebody else got the session.
    fileprivate var isBeyondItsCode: Bool {
        if case .store = self { return true }
        guard case .loginRequired(let need) = self else { return false }
        if case .clockSetBack = need.why { return true }
        if case .sessionOfAnother = need.why { return true }
        return false
    }
}

/// One account, or a profile without any.
struct StatusRow: Encodable {
    let profile: String
    let origin: String?
    let username: String?
    let active: Bool
    let method: String
    let store: String?
    let expires: Int64?
    /// The machine that saved it last, where other machines have it, too.
    let machine: String?
    /// Whether authctl gets a new session by itself when this one has ended; `nil` for one without an end.
    let refreshes: Bool?
    /// The check that the account has passed, or the name of what is wrong.
    let state: String
    /// The state of the account; only `ok` can be used.
    let code: ExitCode
    /// The file of the authorities, where they are not the system's.
    let authorities: String?
    /// The fingerprint of the certificate that a person accepted for the origin.
    let trusted: String?

    /// Whether it is about an account, not about a profile without any.
    var hasAccount: Bool { store != nil }

    /// Whether the profile only lacks a login.
    var isAbsent: Bool { code == .loginRequired && !hasAccount }

    private enum CodingKeys: String, CodingKey {
        case profile, origin, username, active, method, store, machine, expires, state, authorities, trusted
        case refreshes = "renews"
        case code = "exit"
    }
}

extension Table {
    /// The table that `status` prints.
    init(of rows: [StatusRow], defaultProfile: String?, now: Int64) {
        let groups = Dictionary(grouping: rows.filter(\.hasAccount), by: \.profile)
        let cells: [[StyledText]] = rows.map { row in
            let profile = SafeText.escaped(row.profile) + (row.profile == defaultProfile ? " (default)" : "")
            let user = (row.username.map { SafeText.line($0) } ?? "-") + row.role(among: groups[row.profile] ?? [])
            let mark = row.mark
            return [
                StyledText(profile), row.active ? "\(user, .bold)" : StyledText(user),
                StyledText(row.method), StyledText(row.place), StyledText(row.end(now: now)),
                "\(mark: mark)\(row.state, mark.style)",
            ]
        }
        self.init(
            headings: ["PROFILE", "USER", "METHOD", "STORE", "ENDS IN", "STATE"], rows: cells,
            dispensable: ["METHOD", "STORE"])
    }
}

extension StatusRow {
    /// Marks the active account of a profile that has several.
    fileprivate func role(among accounts: [StatusRow]) -> String {
        guard hasAccount else { return "" }
        if active { return accounts.count > 1 ? " (active)" : "" }
        return accounts.contains(where: \.active) ? "" : " (not active)"
    }

    /// The store, and the machine that saved the login there.
    fileprivate var place: String {
        guard let store else { return "-" }
        return machine.map { "\(store) (\(SafeText.line($0)))" } ?? store
    }

    /// Never having logged in is not an error, so it has a neutral mark.
    fileprivate var mark: StyledText.Mark { code == .ok ? .good : isAbsent ? .absent : .bad }

    fileprivate func end(now: Int64) -> String {
        guard let expires else { return "-" }
        if refreshes == true { return "renews" }
        return expires <= now ? "expired" : Duration.inWords(expires - now)
    }
}
