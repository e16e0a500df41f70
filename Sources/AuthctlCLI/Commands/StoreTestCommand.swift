import ArgumentParser
import LoginCore
import LoginKit

/// `authctl store test [STORE]`
struct StoreTestCommand: InvokedCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "test", abstract: "Write a random secret, read it back from another process, and delete it.",
        discussion: """
            Examples:
              authctl store test
              authctl store test file
            """)
    static let mayAsk = true

    @Argument(
        help: "The store (default: the one that 'auto' chooses).")
    var store: String?

    @Flag(help: .json) var json = false
    @Flag(help: .noPrompt) var noPrompt = false
    @OptionGroup var basic: BasicOptions

    var global: GlobalOptions { basic.all(noPrompt: noPrompt) }

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        let name = try store.map { (text) throws(LoginFault) in try StoreName.keeping(text) }
        let chosen = try fromStore(try invocation.context.stores().chooser().choose(name))
        if ReadBack.isNeeded(for: chosen.name) {
            try fromStore(
                try invocation.context.stores().test(chosen) { (store) throws(StoreFault) in
                    try ReadBack(store: store, config: invocation.options.config).run()
                })
        }
        let how = ReadBack.isNeeded(for: chosen.name) ? "written, read back by another process" : "written, read back"
        invocation.say(styled: "\(isGood: true)The store '\(chosen.name)' works: \(how), deleted.")
        if printsJSON { try invocation.streams.result(json: ["store": chosen.name.description, "result": "ok"]) }
        return .ok
    }
}
