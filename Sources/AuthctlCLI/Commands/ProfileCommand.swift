import ArgumentParser
import LoginKit

/// `authctl profile …`
struct ProfileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Manage profiles.",
        discussion: """
            Examples:
              authctl profile list
              authctl profile add --preset forgejo --url https://git.example
              authctl profile test wiki
            """,
        subcommands: [
            ProfileListCommand.self, ProfileShowCommand.self, ProfileAddCommand.self, ProfileDefaultCommand.self,
            ProfileRemoveCommand.self, ProfileTestCommand.self, ProfilePresetsCommand.self,
            ProfileClientMetadataCommand.self,
        ])
}

/// `authctl profile client-metadata URL`
struct ProfileClientMetadataCommand: BasicCommand, PlainCommand {
    static let outline = CommandConfiguration(
        commandName: "client-metadata", abstract: "Print the document that makes a URL of yours a client-id.",
        discussion: """
            Publish what it prints at that URL, on a site of yours. Authorization servers that read client ID metadata documents then \
            know authctl by it, and nothing has to be registered.

            Examples:
              authctl profile client-metadata https://ann.example/authctl.json
            """)

    @Argument(help: ArgumentHelp("Where the document will be: https, with a path.", valueName: "url"))
    var url: String

    @OptionGroup var basic: BasicOptions

    func perform(_ invocation: Invocation) throws(LoginFault) {
        try ClientMetadata.check(url, as: "URL")
        try invocation.streams.result(try ClientMetadata.document(at: url))
        invocation.say(
            """
            Publish it at \(SafeText.escaped(url)). The server must return it directly, with no login and no redirect.
            Then write at the top of config.toml: client-metadata = "\(SafeText.escaped(url))"
            """)
    }
}

/// `authctl profile default [NAME]`
struct ProfileDefaultCommand: BasicCommand, PlainCommand, ReportingCommand {
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

    func perform(_ invocation: Invocation) throws(LoginFault) {
        guard let name else {
            let name = try invocation.context.selection.defaultProfile()
            if printsJSON {
                try invocation.streams.result(json: ["default": name])
            } else if let name {
                try invocation.streams.result(name)
            } else {
                invocation.say("There is no default profile.")
            }
            return
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
    }
}

/// `authctl profile show [NAME]`
struct ProfileShowCommand: PlainCommand, ReportingCommand {
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

    func perform(_ invocation: Invocation) throws(LoginFault) {
        let profile = try invocation.context.selection.profile(name)
        guard let written = try fromUsage(try invocation.context.profiles.written(profile.name)) else {
            throw .usage(.unknownProfile(name: profile.name, near: []))
        }
        let value = written.withoutURLSecrets()
        if value != written { invocation.say("A password or a token in a URL is shown as ***") }
        if printsJSON {
            try invocation.streams.result(json: [profile.name: value.json])
        } else {
            try invocation.streams.result(value.section(["profiles", profile.name]))
        }
    }
}

/// `authctl profile remove NAME`
struct ProfileRemoveCommand: BasicCommand, PlainCommand, ReportingCommand {
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

    func perform(_ invocation: Invocation) throws(LoginFault) {
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
            throw .usage("it still has logins; log out first: \(ShellCommand("authctl", "logout", name, "--all"))")
        }
        _ = try fromStore(try ProfileFolder(invocation.context.paths).remove("\(name).toml"))
        invocation.say("Removed the profile \(SafeText.escaped(name)).")
        if printsJSON { try invocation.streams.result(json: ["removed": name]) }
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

/// `authctl profile test [NAME]`
struct ProfileTestCommand: PlainCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "test", abstract: "Log in step by step, show each request, response and rule, and keep nothing.",
        discussion: """
            Stored logins are not changed; if the profile has a logout, the new session is ended.

            Examples:
              authctl profile test wiki
              authctl profile test wiki -u ann --password-command "pass wiki"
            """)
    static let mayAsk = true

    @Argument(help: "The profile.")
    var name: String?

    @OptionGroup var login: AttemptOptions
    @Flag(help: .json) var json = false
    @OptionGroup var global: GlobalOptions

    func perform(_ invocation: Invocation) throws(LoginFault) {
        let profile = try login.request.applied(to: try invocation.context.selection.profile(name))
        invocation.context.topic.command = ["profile", "test"]
        let walk = LoginTranscript(beginsAnonymously: !profile.traits.isProvedByCertificate)
        do {
            invocation.context.person.patience = login.patience
            invocation.loginOptions = login.words
            invocation.context.trace = { walk.add($0) }
            let target = LoginTarget(profile: profile)
            var request = login.request
            request.policy.force = true
            request = try request.resolved(for: target, in: invocation.context)
            let identity = try invocation.test(profile, request, walk)
            try show(walk, identity, invocation)
            invocation.sayProposals(walk, profile)
        } catch {
            walk.stop(error)
            // The error is the one JSON value then.
            if printsJSON {
                invocation.say(styled: walk.text, wraps: false)
            } else {
                try invocation.streams.result(styled: walk.text)
            }
            invocation.sayProposals(walk, profile)
            throw error
        }
    }

    private func show(_ walk: LoginTranscript, _ identity: Identity, _ invocation: Invocation) throws(LoginFault) {
        if printsJSON {
            return try invocation.streams.result(json: WalkReport(walk, of: identity))
        }
        try invocation.streams.result(styled: walk.text)
        let name = SafeText.name(identity.displayName)
        let who: StyledText = name.isEmpty ? "" : " as \(name, .bold)"
        invocation.say(styled: "\(isGood: true)The login works" + who + "; nothing was stored.")
    }
}

/// `authctl profile presets [NAME]`
struct ProfilePresetsCommand: BasicCommand, PlainCommand, ReportingCommand {
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

    func perform(_ invocation: Invocation) throws(LoginFault) {
        let presets = Presets(invocation.context.dependencies.environment)
        var found: [Presets.Preset] = []
        for wanted in name.map({ [$0] }) ?? presets.names {
            do {
                let preset = try fromUsage(try presets.preset(named: wanted))
                if let preset { found.append(preset) }
            } catch {
                // One that cannot be read hides no other.
                guard name == nil else { throw error }
                invocation.context.person.warn("authctl: \(error.message().what)")
            }
        }
        if let name, found.isEmpty { throw .usage(presets.problem(with: name)) }
        if printsJSON {
            try invocation.streams.result(json: found)
        } else if name != nil, let preset = found.first {
            try invocation.streams.result(sentences: Self.page(preset))
        } else if found.isEmpty {
            invocation.say("No presets found: share/authctl/presets is missing.")
        } else {
            let rows = found.map { [StyledText($0.name), StyledText($0.triedWords)] }
            try invocation.streams.result(Table(headings: ["PRESET", "TRIED ON"], rows: rows))
        }
    }

    private static func page(_ preset: Presets.Preset) -> String {
        """
        \(preset.name): \(preset.triedWords)
        \(SafeText.line(preset.about, limit: 500))
        File: \(SafeText.escaped(preset.file))
        To use it: \(preset.command)
        """
    }
}

extension Presets.Preset {
    fileprivate var triedWords: String { tried.map { SafeText.line($0) } ?? "not tried, from public documentation" }
}
