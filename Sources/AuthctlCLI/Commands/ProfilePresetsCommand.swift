import ArgumentParser
import LoginCore
import LoginKit

/// `authctl profile presets [NAME]`
struct ProfilePresetsCommand: InvokedCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "presets", abstract: "List presets, or show one.",
        discussion: """
            Examples:
              authctl profile presets
              authctl profile presets forgejo
            """)

    @Argument(help: "The preset to show.")
    var name: String?

    @Flag(help: .json) var json = false
    @OptionGroup var basic: BasicOptions

    var global: GlobalOptions { basic.all() }

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        let presets = Presets(invocation.context.dependencies.environment)
        var found: [Presets.Preset] = []
        for wanted in name.map({ [$0] }) ?? presets.names {
            do throws(LoginFault) {
                let preset = try LoginContext.fromConfig { () throws(UsageFault) in try presets.preset(named: wanted) }
                if let preset { found.append(preset) }
            } catch {
                // One that cannot be read hides no other.
                guard name == nil else { throw error }
                invocation.context.warn("authctl: \(error.message(about: ErrorContext()).what)")
            }
        }
        if let name, found.isEmpty { throw .usage(.other(presets.problem(with: name))) }
        if printsJSON {
            try invocation.streams.result(json: found.map(PresetReport.init))
        } else if name != nil, let preset = found.first {
            try invocation.streams.result(sentences: Self.page(preset))
        } else if found.isEmpty {
            invocation.say("No presets found: share/authctl/presets is missing.")
        } else {
            try invocation.streams.result(Self.table(found))
        }
        return .ok
    }

    private static func page(_ preset: Presets.Preset) -> String {
        """
        \(preset.name): \(preset.triedWords)
        \(SafeText.line(preset.about, limit: 500))
        File: \(SafeText.escaped(preset.file))
        To use it: authctl profile add --preset \(preset.name) --url URL
        """
    }

    private static func table(_ presets: [Presets.Preset]) -> Table {
        var table = Table(headings: ["PRESET", "TRIED ON"])
        for preset in presets { table.add([StyledText(preset.name), StyledText(preset.triedWords)]) }
        return table
    }
}

extension Presets.Preset {
    fileprivate var triedWords: String { tried.map { SafeText.line($0) } ?? "not tried, from public documentation" }
}

private struct PresetReport: Encodable {
    let name: String
    let tried: String?
    let about: String

    init(_ preset: Presets.Preset) {
        (name, tried, about) = (preset.name, preset.tried, preset.about)
    }
}
