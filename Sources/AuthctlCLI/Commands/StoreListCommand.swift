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
        let rows = findings.map { StoreRow($0, words) } + StoreRow.byNameOnly
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
    let chosen: Bool
    let why: String

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

    /// Those that `auto` never chooses.
    static let byNameOnly = [
        StoreRow("plaintext", keeps: "permanently", why: "only by name: it protects nothing"),
        StoreRow("none", keeps: "nothing", why: "only by name"),
    ]
}
