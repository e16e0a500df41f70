import ArgumentParser
import LoginCore
import LoginKit

/// `authctl store move FROM TO`
struct StoreMoveCommand: InvokedCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "move", abstract: "Move logins from one store to another.",
        discussion: """
            Moves all logins, or only those of -P PROFILE and -u NAME. Each is written to the new store and read back \
            before it is erased from the old one.

            Examples:
              authctl store move keyring file
              authctl store move keyring file -P wiki -u ann
            """)
    static let mayAsk = true

    @Argument(help: "The store to move from.")
    var from: String

    @Argument(help: "The store to move to.")
    var to: String

    @Flag(help: .json) var json = false
    @OptionGroup var global: GlobalOptions

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        let source = try StoreName.keeping(from), target = try StoreName.keeping(to)
        guard source != target else {
            throw .usage(.badValue(option: "store", problem: "both are \(SafeText.quoted(to))"))
        }
        let (moves, fault) = try StoreTransfer(invocation: invocation, source: source, target: target).run()
        if let fault { throw fault }
        if moves.isEmpty {
            let whose = invocation.options.username.map { " as \(SafeText.quoted($0))" } ?? ""
            invocation.say("There is no login\(whose) in '\(source)'; nothing was moved.")
        }
        if printsJSON { try invocation.streams.result(json: moves) }
        return .ok
    }
}

extension StoreName {
    /// Whether a login can be put there and found again.
    var keepsLogins: Bool { self != StoreName.none }

    /// The store of this name, of those that keep something.
    static func keeping(_ text: String) throws(LoginFault) -> StoreName {
        guard let name = StoreName(text), name.keepsLogins else {
            let names = builtIn.filter(\.keepsLogins).map(\.description)
            let near = names.nearest(to: text).first.map { "; did you mean '\($0)'?" } ?? ""
            throw .usage(
                .badValue(option: "store", problem: "\(SafeText.quoted(text)) is not a store that keeps logins\(near)"))
        }
        return name
    }
}
