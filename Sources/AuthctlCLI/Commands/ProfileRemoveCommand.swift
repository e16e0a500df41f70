import ArgumentParser
import LoginCore
import LoginKit

/// `authctl profile remove NAME`
struct ProfileRemoveCommand: InvokedCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "remove", abstract: "Delete a profile that authctl made (not those in config.toml).",
        discussion: """
            Examples:
              authctl profile remove wiki
            """)

    @Argument(help: "The profile.")
    var name: String

    @Flag(help: .json) var json = false
    @OptionGroup var basic: BasicOptions

    var global: GlobalOptions { basic.all() }

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        switch invocation.context.profiles.source(of: name) {
        case nil:
            throw .usage(.unknownProfile(name: name, near: invocation.context.profiles.names.nearest(to: name)))
        case .config(let file):
            throw .usage(
                .badConfig(
                    file: file, path: "profiles.\(name)", line: nil,
                    problem: "authctl never changes this file; delete the profile there"))
        case .made:
            invocation.context.topic = ErrorContext(profile: name)
        }
        guard try fromStore(try forget(invocation.context.registry)) else {
            throw .usage(
                .other("it still has logins; log out first: \(ShellCommand("authctl", "logout", name, "--all"))"))
        }
        _ = try fromStore(
            try invocation.context.dependencies.profileFolder(invocation.context.paths.madeProfiles).remove(
                "\(name).toml"))
        invocation.say("Removed the profile \(SafeText.escaped(name)).")
        if printsJSON { try invocation.streams.result(json: ["removed": name]) }
        return .ok
    }

    /// Looked at and changed in one step: a login that came in between would lose its record, and its secret be lost to
    /// every logout.
    /// - Returns: whether the profile had no login.
    private func forget(_ registry: AccountRegistry) throws(StoreFault) -> Bool {
        var isFree = true
        try registry.update { document in
            isFree = document.profile(name)?.accounts.isEmpty ?? true
            guard isFree else { return }
            document.profiles.removeAll { $0.name.isSame(as: name) }
            if document.lastProfile?.isSame(as: name) == true { document.lastProfile = nil }
            if document.defaultProfile?.isSame(as: name) == true { document.defaultProfile = nil }
        }
        return isFree
    }
}
