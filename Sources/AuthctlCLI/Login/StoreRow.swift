import LoginCore
import LoginKit

/// One line of `store list`.
struct StoreRow: Encodable {
    let name: String
    let keeps: String
    let usable: Bool
    private(set) var chosen: Bool
    private(set) var why: String

    init(_ finding: StoreChooser.Finding) {
        name = finding.name.description
        keeps = finding.isPermanent ? "permanently" : "until restart"
        usable = finding.fault == nil
        chosen = finding.isChosen
        why = finding.fault.map(Self.words) ?? (finding.isChosen ? "chosen by 'auto': the first that works" : "works")
    }

    private init(_ store: StoreName, keeps: String, usable: Bool = true, why: String) {
        self.name = store.description
        self.keeps = keeps
        self.usable = usable
        self.chosen = false
        self.why = why
    }

    /// A store that works and protects nothing has no mark that says all is well.
    var mark: StyledText.Mark { !usable ? .bad : name == StoreName.plaintext.description ? .warning : .good }

    /// Where a store was chosen by name, `auto` has no say.
    func chosen(by named: (store: StoreName, source: String)?) -> StoreRow {
        guard let named else { return self }
        var row = self
        row.chosen = named.store.description == name
        if row.chosen {
            let isPlain = named.store == .plaintext
            row.why = "chosen by \(named.source)" + (isPlain ? "; unencrypted" : usable ? "" : ", but: \(why)")
        } else if chosen {
            row.why = "works"
        }
        return row
    }

    /// The stores that `auto` never chooses.
    /// - Parameter programs: helpers and shared stores that are there; none is run.
    static func byNameOnly(_ programs: [StoreName], of stores: Stores) -> [StoreRow] {
        let plaintext = StoreRow(.plaintext, keeps: "permanently", why: "used only by name; unencrypted")
        let found = programs.map { program in
            let problem = stores.problem(with: program)
            return StoreRow(
                program, keeps: keptBy(program), usable: problem == nil,
                why: problem.map(words) ?? "used only by name; not tested")
        }
        return [plaintext] + found + [StoreRow(StoreName.none, keeps: "nothing", why: "used only by name")]
    }

    /// A store that was named, and whose program is not in `PATH`.
    static func missing(_ store: StoreName) -> StoreRow {
        StoreRow(store, keeps: keptBy(store), usable: false, why: words(.helper(store, .notInPath)))
    }

    private static func words(_ fault: StoreFault) -> String {
        LoginFault.store(fault).message(about: ErrorContext()).what
    }

    private static func keptBy(_ store: StoreName) -> String {
        store.isShared ? "up to the engine" : "up to the helper"
    }
}
