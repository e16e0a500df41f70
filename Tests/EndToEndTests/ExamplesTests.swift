import Foundation
@testable import LoginTestSupport
import Testing

/// Every example of README, the manual and the help is run by a shell at a terminal, or is in the list of those that are not, with the
/// reason.
@Suite(.onOwnThreads, RealServer.require("openssl"), RealServer.require("python3"), RealServer.require("jq"))
struct `What people copy` {
    private static let all = Result { try read() }
    nonisolated(unsafe) private static let sites = Result { try ExampleSites(all.get()) }

    /// Those with something to run, each once.
    private static let toRun: [Example] = {
        var known: Set<[String]> = []
        return ((try? all.get()) ?? []).compactMap { example in
            var example = example
            example.commands.removeAll { ExampleList.reason(for: $0) != nil }
            return example.commands.isEmpty || !known.insert(example.commands).inserted ? nil : example
        }
    }()

    private static func read() throws -> [Example] {
        func text(_ path: String) throws -> String {
            try String(contentsOfFile: "\(Repository.path)/\(path)", encoding: .utf8)
        }
        func printed(_ arguments: String...) throws -> CommandResult {
            try Command.run(ChildSpec(BuiltProducts.path(of: "authctl"), arguments))
        }
        var found = try ExampleText.examples(ofMarkdown: text("README.md"), page: "README.md")
        for page in try FileManager.default.contentsOfDirectory(atPath: Repository.path + "/man").sorted() {
            found += try ExampleText.examples(ofManual: text("man/\(page)"), page: page)
        }
        found += try ExampleText.examples(ofTasks: printed("help", "tasks").output)
        let commands = try printed("--experimental-dump-help").outputBytes
        return try found + JSONDecoder().decode(HelpDump.self, from: Data(commands)).command.examples(of: "help")
    }

    @Test(arguments: toRun) func `every example works as it stands`(example: Example) throws {
        let run = try ExamplePlace(Self.sites.get(), example).run()
        #expect(run.codes == example.commands.map { "\(ExampleList.code(of: $0))" }, "\(run.screen)")
    }

    @Test func `each page has its examples, and the list of those that are not run has none that is on no page`() throws
    {
        let examples = try Self.all.get(), commands = examples.flatMap(\.commands)
        for beginning in ExampleList.beginnings {
            #expect(commands.contains { $0.hasPrefix(beginning) }, "\(beginning)")
        }
        for (page, examples) in Dictionary(grouping: examples, by: \.page).sorted(by: { $0.key < $1.key }) {
            let all = examples.flatMap(\.commands), left = all.count { ExampleList.reason(for: $0) != nil }
            print("\(page): \(all.count - left) commands run, \(left) parsed alone")
        }
        let pages = Set(examples.map(\.page))
        #expect(
            pages.isSuperset(of: [
                "README.md", "authctl.1", "authctl-exec.1", "authctl-serve.7", "help tasks", "help login",
            ]))
        #expect(Self.toRun.count > 150)
    }
}

/// What the argument parser tells of the commands.
private struct HelpDump: Decodable {
    struct Command: Decodable {
        let commandName: String
        let discussion: String?
        let subcommands: [Self]?

        func examples(of page: String) -> [Example] {
            ExampleText.examples(ofHelp: discussion ?? "", page: page)
                + (subcommands ?? []).flatMap { $0.examples(of: "\(page) \($0.commandName)") }
        }
    }

    let command: Command
}
