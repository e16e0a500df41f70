import LoginCore
import LoginKit

/// The table that `status` prints.
struct StatusTable {
    let rows: [StatusRow]
    let defaultProfile: String?
    let now: Int64

    var table: Table {
        var table = Table(headings: ["PROFILE", "USER", "METHOD", "STORE", "ENDS IN", "STATE"])
        table.dispensable = ["METHOD", "STORE"]
        let groups = Dictionary(grouping: rows.filter(\.hasAccount), by: \.profile)
            .mapValues { (count: $0.count, hasActive: $0.contains(where: \.active)) }
        for row in rows {
            let profile = SafeText.escaped(row.profile) + (row.profile == defaultProfile ? " (default)" : "")
            let user = (row.username.map { SafeText.line($0) } ?? "-") + role(of: row, in: groups[row.profile])
            let mark = mark(of: row)
            table.add([
                StyledText(profile), row.active ? "\(user, .bold)" : StyledText(user),
                StyledText(row.method), StyledText(store(of: row)), StyledText(end(row)),
                "\(mark: mark)\(row.state, mark.style)",
            ])
        }
        return table
    }

    /// Marks the active account of a profile that has several.
    private func role(of row: StatusRow, in accounts: (count: Int, hasActive: Bool)?) -> String {
        guard let accounts, row.hasAccount else { return "" }
        if row.active { return accounts.count > 1 ? " (active)" : "" }
        return accounts.hasActive ? "" : " (not active)"
    }

    private func store(of row: StatusRow) -> String {
        guard let store = row.store else { return "-" }
        return row.machine.map { "\(store) (\(SafeText.line($0)))" } ?? store
    }

    /// Never having logged in is not an error, so it has a neutral mark.
    private func mark(of row: StatusRow) -> StyledText.Mark {
        if row.code == .ok { return .good }
        return row.isAbsent ? .absent : .bad
    }

    private func end(_ row: StatusRow) -> String {
        guard let expires = row.expires else { return "-" }
        if row.refreshes { return "renews" }
        return expires <= now ? "expired" : Duration.inWords(expires - now)
    }
}
