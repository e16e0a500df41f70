import ArgumentParser
import LoginCore
import LoginKit

/// `authctl profile presets [NAME]`
struct ProfilePresetsCommand: WorldCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "presets", abstract: "List the presets, or say what one is for.",
        discussion: "To use one: authctl profile add --preset NAME --url URL")

    @Argument(help: "The preset to show.")
    var name: String?

    @OptionGroup var report: ReportOptions
    @OptionGroup var global: GlobalOptions

    func run(_ invocation: Invocation) throws(LoginError) -> ExitCode {
        let presets = Presets(invocation.context.world.environment)
        let found = try LoginContext.fromConfig { () throws(UsageFault) in
            var found: [Presets.Preset] = []
            for name in name.map({ [$0] }) ?? presets.names {
                if let preset = try presets.preset(named: name) { found.append(preset) }
            }
            return found
        }
        if let name, found.isEmpty {
            let near = presets.names.nearest(to: name).first.map { "; did you mean '\($0)'?" } ?? ""
            throw .usage(.other("there is no preset of this name\(near)"))
        }
        if printsJSON {
            try invocation.streams.result(json: found.map(PresetReport.init))
        } else if name != nil, let preset = found.first {
            try invocation.streams.result(Self.page(preset))
        } else if found.isEmpty {
            invocation.say("There are no presets: share/authctl/presets is not where it was installed.")
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

    private static func table(_ presets: [Presets.Preset]) -> String {
        var table = Table(headings: ["PRESET", "TRIED ON"])
        table.rows = presets.map { [$0.name, $0.triedWords] }
        return table.text
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
