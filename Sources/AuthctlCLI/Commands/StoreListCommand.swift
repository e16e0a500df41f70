import ArgumentParser
import LoginCore
import LoginKit

/// `authctl store list`
struct StoreListCommand: InvokedCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "list", abstract: "List the stores, and which one is chosen and why.",
        discussion: """
            Examples:
              authctl store list
            """, aliases: ["ls"])
    /// It tells what there is, without asking anybody.
    static let mayUnlock = false

    @Flag(help: .json) var json = false
    @OptionGroup var basic: BasicOptions

    var global: GlobalOptions { basic.all() }

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        let stores = invocation.context.stores()
        let findings = stores.chooser().survey()
        let named = try invocation.namedStore()
        var programs = stores.helpers() + stores.sharedStores()
        if named?.store == .etcd || invocation.context.profiles.defaults.sharedProfile != nil { programs.append(.etcd) }
        var rows = findings.map { StoreRow($0) } + StoreRow.byNameOnly(programs, of: stores)
        if let store = named?.store, store.program != nil, !programs.contains(store) { rows.append(.missing(store)) }
        rows = rows.map { $0.chosen(by: named) }
        if printsJSON {
            try invocation.streams.result(json: rows)
        } else {
            var table = Table(headings: ["STORE", "KEEPS", "USABLE", "WHY"])
            for row in rows {
                table.add([
                    row.chosen ? "\(row.name, .bold)" : StyledText(row.name), StyledText(row.keeps),
                    "\(mark: row.mark)\(row.usable ? "yes" : "no", row.mark.style)", StyledText(row.why),
                ])
            }
            try invocation.streams.result(table)
        }
        return .ok
    }
}

extension Invocation {
    /// The store that the environment or the top of the configuration names, and which of the two; `nil` for `auto`.
    fileprivate func namedStore() throws(LoginFault) -> (store: StoreName, source: String)? {
        var settings = Profile.Settings()
        try settings.override(by: context.dependencies.environment)
        let source = settings.store == nil ? "config.toml" : "AUTHCTL_STORE"
        return (settings.store ?? context.profiles.defaults.store).flatMap { StoreName($0) }.map { ($0, source) }
    }
}
