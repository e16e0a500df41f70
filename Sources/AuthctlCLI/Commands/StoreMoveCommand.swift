import ArgumentParser
import LoginCore
import LoginStores

/// `authctl store move FROM TO`
struct StoreMoveCommand: WorldCommand {
    static let outline = CommandConfiguration(
        commandName: "move", abstract: "Carry logins from one store to another.",
        discussion: """
            All that are in the first store, or those of -P PROFILE and -u NAME alone. Each is written to the other \
            store, read back, and only then erased.
            """)
    static let mayAsk = true

    @Argument(help: "The store that they are in.")
    var from: String

    @Argument(help: "The store that they go to.")
    var to: String

    @OptionGroup var report: ReportOptions
    @OptionGroup var global: GlobalOptions

    var printsJSON: Bool { report.json }

    func run(_ invocation: Invocation) throws(LoginError) -> ExitCode {
        let source = try StoreName.keeping(from), target = try StoreName.keeping(to)
        guard source != target else {
            throw .usage(.badValue(option: "store", problem: "both are \(SafeText.quoted(to))"))
        }
        let (moves, fault) = try StoreTransfer(invocation: invocation, source: source, target: target).run()
        if let fault { throw fault }
        if moves.isEmpty {
            let whose = invocation.options.username.map { " as \(SafeText.quoted($0))" } ?? ""
            invocation.say("No login\(whose) is kept in '\(source)'; there was nothing to move.")
        }
        if printsJSON { try invocation.streams.result(json: moves) }
        return .ok
    }
}

extension StoreName {
    /// Whether a login can be put there and found again.
    var keepsLogins: Bool { self != StoreName.none }

    /// The store of this name, of those that keep something.
    static func keeping(_ text: String) throws(LoginError) -> StoreName {
        guard let name = StoreName(text), name.keepsLogins else {
            throw .usage(
                .badValue(option: "store", problem: "\(SafeText.quoted(text)) is no store that keeps anything"))
        }
        return name
    }
}
