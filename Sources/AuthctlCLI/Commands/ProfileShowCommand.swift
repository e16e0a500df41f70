import ArgumentParser
import LoginCore
import LoginKit

/// `authctl profile show [NAME]`
struct ProfileShowCommand: InvokedCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "show", abstract: "Print a profile as TOML, ready to share.",
        discussion: """
            Examples:
              authctl profile show wiki
              authctl profile show wiki >wiki.toml
            """)

    @Argument(help: "The profile.")
    var name: String?

    @Flag(help: .json) var json = false
    @Option(name: .profile, help: .profile) var profile: String?
    @OptionGroup var basic: BasicOptions

    var global: GlobalOptions { basic.all(profile: profile) }

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        let profile = try invocation.context.selectProfile(name)
        guard
            let value = try LoginContext.fromConfig({ () throws(UsageFault) in
                try invocation.context.profiles.written(profile.name)
            })
        else { throw .usage(.unknownProfile(name: profile.name, near: [])) }
        if printsJSON {
            try invocation.streams.result(json: [profile.name: value.json])
        } else {
            let document = ConfigValue.table(["profiles": .table([profile.name: value])]).document(headings: 2)
            try invocation.streams.result(document)
        }
        return .ok
    }
}

extension ConfigValue {
    /// The value in JSON.
    var json: JSONValue {
        switch self {
        case .string(let text), .unsupported(let text): .string(text)
        case .integer(let number): .integer(number)
        case .number(let number): .number(number)
        case .bool(let flag): .bool(flag)
        case .array(let elements): .array(elements.map(\.json))
        case .table(let members): .object(members.mapValues(\.json))
        }
    }
}
