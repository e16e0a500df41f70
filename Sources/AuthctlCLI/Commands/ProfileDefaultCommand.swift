import ArgumentParser
import LoginCore
import LoginKit

/// `authctl profile default [NAME]`
struct ProfileDefaultCommand: InvokedCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "default", abstract: "Print or choose the default profile.",
        discussion: """
            Examples:
              authctl profile default
              authctl profile default wiki
            """)

    @Argument(help: "The profile.")
    var name: String?

    @Flag(help: .json) var json = false
    @OptionGroup var basic: BasicOptions

    var global: GlobalOptions { basic.all() }

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        guard let name else {
            let name = try invocation.context.defaultProfile()
            if printsJSON {
                try invocation.streams.result(json: ["default": name])
            } else {
                if let name {
                    try invocation.streams.result(name)
                } else {
                    invocation.say("There is no default profile.")
                }
            }
            return .ok
        }
        let profile = try invocation.context.profile(named: name)
        if let configured = invocation.context.profiles.defaults.profile, configured != name {
            throw .usage(
                .badConfig(
                    file: invocation.context.paths.configFile, path: "default", line: nil,
                    problem: "says '\(configured)', which overrides this choice; change it there"))
        }
        _ = try fromStore(try invocation.context.registry.update { $0.defaultProfile = profile.name })
        invocation.say("The default profile is now \(profile.name).")
        if printsJSON { try invocation.streams.result(json: ["default": profile.name]) }
        return .ok
    }
}
