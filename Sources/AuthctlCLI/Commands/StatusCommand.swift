import ArgumentParser
import LoginKit

/// `authctl status [PROFILE]`
struct StatusCommand: InvokedCommand, ReportingCommand, OptionList {
    static let outline = CommandConfiguration(
        commandName: "status",
        abstract: "Show the state of every account.",
        discussion: """
            The exit code is the first one that is not 0, starting with the default profile. A profile without a login \
            is shown and counts as 4 if it is named or the default one, or with --all.

            Examples:
              authctl status
              authctl status wiki --json
            """)

    @Argument(help: "Profile (default: all).")
    var profile: String?

    @Flag(help: "Show profiles without a login, too.")
    var all = false

    @Flag(help: "Show what is stored, without asking the services.")
    var offline = false

    @Flag(help: .json) var json = false
    @OptionGroup var global: GlobalOptions

    var options: KeyValuePairs<String, Any> {
        ["_profile": _profile, "_all": _all, "_offline": _offline, "_json": _json, "_global": _global]
    }

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        invocation.context.isOffline = offline
        let names = try names(invocation)
        if names.isEmpty { throw .loginRequired(LoginNeed(why: .noProfile)) }
        let rows = try StatusSurvey(invocation: invocation, asksServer: !offline).rows(names)
        invocation.context.topic = ErrorContext()
        let standard = try invocation.context.selection.defaultProfile()
        let isNamed = profile != nil || invocation.options.profile != nil
        let chosen = [standard, invocation.context.dependencies.environment["AUTHCTL_PROFILE"]]
        let counted = rows.filter { all || isNamed || !$0.isAbsent || chosen.contains($0.profile) }
        // Without any login, that is what there is to say.
        let code = (counted.isEmpty ? rows : counted).map(\.code).first { $0 != .ok } ?? .ok
        if printsJSON {
            try invocation.streams.result(json: rows)
        } else if !invocation.options.quiet {
            try show(counted, hidden: rows.count - counted.count, standard, invocation)
            sayAuthorities(rows, invocation)
            for origin in Set(rows.filter { $0.trusted != nil }.compactMap(\.origin)).sorted() {
                invocation.say("The accepted certificate of \(origin) does not verify (see: authctl trust list).")
            }
        }
        return code
    }

    /// Prints the rows that decide the exit code, and counts the hidden ones.
    private func show(
        _ shown: [StatusRow], hidden: Int, _ standard: String?, _ invocation: Invocation
    ) throws(LoginFault) {
        if !shown.isEmpty {
            let now = invocation.context.dependencies.clock.now()
            try invocation.streams.result(Table(of: shown, defaultProfile: standard, now: now))
        }
        guard hidden > 0 else { return }
        let which = shown.isEmpty ? "" : "other "
        invocation.say(
            hidden == 1
                ? "Not logged in to 1 \(which)profile; to show it: authctl status --all"
                : "Not logged in to \(hidden) \(which)profiles; to show them: authctl status --all")
    }

    /// The default profile first.
    private func names(_ invocation: Invocation) throws(LoginFault) -> [String] {
        if let name = profile ?? invocation.options.profile {
            return [try invocation.context.profile(named: name).name]
        }
        let names = invocation.context.profiles.names
        guard let first = try invocation.context.selection.defaultProfile(), names.contains(first) else { return names }
        return [first] + names.filter { $0 != first }
    }

    private func sayAuthorities(_ rows: [StatusRow], _ invocation: Invocation) {
        guard invocation.options.verbose else { return }
        if let file = invocation.context.dependencies.environment["AUTHCTL_CA_FILE"] {
            return invocation.say("Certificate authorities: \(SafeText.escaped(file)) (AUTHCTL_CA_FILE)")
        }
        invocation.say("Certificate authorities: \(TransportSettings.systemAuthorities)")
        var told: Set<String> = []
        for row in rows {
            guard let file = row.authorities, told.insert(row.profile).inserted else { continue }
            invocation.say("  of \(SafeText.escaped(row.profile)): \(SafeText.escaped(file))")
        }
    }
}
