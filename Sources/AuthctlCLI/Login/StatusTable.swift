import LoginCore
import LoginWords

/// What `status` shows.
struct StatusTable {
    let rows: [StatusRow]
    let now: Int64

    var table: Table {
        var table = Table(headings: ["PROFILE", "USER", "METHOD", "STORE", "ENDS IN", "STATE"])
        for row in rows {
            let user = (row.active ? "* " : "") + (row.username.map { SafeText.escaped($0) } ?? "-")
            let isGood = row.code == .ok
            table.add([
                StyledText(SafeText.escaped(row.profile)), row.active ? "\(user, .bold)" : StyledText(user),
                StyledText(row.method), StyledText(row.store ?? "-"), StyledText(end(row)),
                "\(isGood: isGood)\(row.state, isGood ? .good : .bad)",
            ])
        }
        return table
    }

    private func end(_ row: StatusRow) -> String {
        guard let expires = row.expires else { return "-" }
        if row.refreshes { return "renews" }
        return expires <= now ? "expired" : Duration.inWords(expires - now)
    }
}
