import LoginCore

/// What `status` shows.
struct StatusTable {
    let rows: [StatusRow]
    let now: Int64

    var text: String {
        var table = Table(headings: ["PROFILE", "USER", "METHOD", "STORE", "ENDS IN", "STATE"])
        for row in rows {
            let marker = row.active ? "* " : ""
            table.rows.append([
                SafeText.escaped(row.profile), marker + (row.username.map { SafeText.escaped($0) } ?? "-"), row.method,
                row.store ?? "-", end(row), row.state,
            ])
        }
        return table.text
    }

    private func end(_ row: StatusRow) -> String {
        guard let expires = row.expires else { return "-" }
        if row.refreshes { return "renews" }
        return expires <= now ? "expired" : Duration.inWords(expires - now)
    }
}
