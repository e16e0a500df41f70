extension ProfileSelection {
    /// A new profile for the name of a preset, where no profile has that name; with a URL for it, also where one has.
    /// - Returns: `nil` where no preset is meant.
    /// - Throws: `usage` for a preset that needs a URL, or for a name that is taken.
    func presetTarget(_ name: String, _ request: LoginRequest) throws(LoginFault) -> LoginTarget? {
        let presets = Presets(context.dependencies.environment)
        if request.url == nil {
            guard context.profiles.source(of: name) == nil, presets.names.contains(name) else { return nil }
        } else if !presets.names.contains(name) {
            let problem = "it is for a preset, and \(presets.problem(with: SafeText.line(name, limit: 40)))"
            throw .usage(.badValue(option: "--url", problem: problem))
        }
        let offered = try presets.offered(name, url: request.url, name: request.name, for: "login", name)
        guard offered.profiles.count == 1, try fromUsage(try offered.risks).isEmpty else {
            let command = ShellCommand("authctl", "profile", "add", "--preset", name)
            throw .usage("the preset \(name) has several profiles, or keys that can run programs", next: "\(command)")
        }
        let (newName, table) = offered.profiles[0]
        if context.profiles.source(of: newName) != nil {
            let known = try context.profile(named: newName)
            if table.members["url"] == .string(known.url) {
                return LoginTarget(profile: try request.applied(to: known))
            }
            let problem = "there is a profile '\(newName)' already; choose another name with --name"
            throw .usage(.badValue(option: request.name == nil ? "--url" : "--name", problem: problem))
        }
        let decoder = ProfileDecoder(folder: context.paths.configFolder, home: context.paths.home)
        let written = try fromUsage(try decoder.profile(named: newName, table))
        context.topic = ErrorContext(profile: newName, url: newName == name ? nil : name)
        let profile = try request.applied(to: try context.prepared(context.profiles.withDefaults(written)))
        let origin = try context.connections.endpoint(profile).origin
        return LoginTarget(
            profile: profile,
            new: LoginTarget.New(
                settings: try request.applied(to: written).settings, table: table.members, isPreset: true
            ) { () throws(LoginFault) in try context.profiles.newName(for: origin, nil) })
    }
}
