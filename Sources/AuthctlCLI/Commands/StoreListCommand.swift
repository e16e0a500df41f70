import ArgumentParser
import LoginCore
import LoginStores

/// `authctl store list`
struct StoreListCommand: WorldCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show which stores there are here, which is chosen, and why.")

    @OptionGroup var report: ReportOptions
    @OptionGroup var global: GlobalOptions

    var printsJSON: Bool { report.json }

    func run(_ invocation: Invocation) throws(LoginError) -> ExitCode {
        let words = { (fault: StoreFault) in LoginError.store(fault).message(about: Topic()).what }
        let findings = invocation.shelf().chooser(words: words).survey()
        let named = try invocation.namedStore()
        let rows = (findings.map { StoreRow($0, words) } + StoreRow.byNameOnly).map { $0.chosen(by: named) }
        if printsJSON {
            try invocation.world.streams.result(json: rows)
        } else {
            var table = Table(headings: ["STORE", "KEEPS", "USABLE", "WHY"])
            table.rows = rows.map { [$0.name, $0.keeps, $0.usable ? "yes" : "no", $0.why] }
            try invocation.world.streams.result(table.text)
        }
        return .ok
    }
}

private struct StoreRow: Encodable {
    let name: String
    let keeps: String
    let usable: Bool
    private(set) var chosen: Bool
    private(set) var why: String

    init(_ finding: StoreChooser.Finding, _ words: (StoreFault) -> String) {
        name = finding.name.description
        keeps = finding.isPermanent ? "permanently" : "until restart"
        usable = finding.fault == nil
        chosen = finding.isChosen
        why = finding.fault.map(words) ?? (finding.isChosen ? "chosen by 'auto': the first that works" : "works")
    }

    private init(_ name: String, keeps: String, why: String) {
        self.name = name
        self.keeps = keeps
        self.usable = true
        self.chosen = false
        self.why = why
    }

    /// Where a store was chosen by name, `auto` has no say.
    func chosen(by named: (store: StoreName, source: String)?) -> StoreRow {
        guard let named else { return self }
        var row = self
        row.chosen = named.store.description == name
        if row.chosen {
            row.why = usable ? "chosen by \(named.source)" : "chosen by \(named.source), but: \(why)"
        } else if chosen {
            row.why = "works"
        }
        return row
    }

    /// Those that `auto` never chooses.
    static let byNameOnly = [
        StoreRow("plaintext", keeps: "permanently", why: "only by name: it protects nothing"),
        StoreRow("none", keeps: "nothing", why: "only by name"),
    ]
}

extension Invocation {
    /// The store that the environment or the top of the configuration names, and which of the two; nothing for `auto`.
    fileprivate func namedStore() throws(LoginError) -> (store: StoreName, source: String)? {
        var settings = Profile.Settings()
        try settings.override(by: world.environment)
        let source = settings.store == nil ? "config.toml" : "AUTHCTL_STORE"
        return (settings.store ?? profiles.defaults.store).flatMap { StoreName($0) }.map { ($0, source) }
    }
}
