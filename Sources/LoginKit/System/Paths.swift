import Glibc

/// Where files lie, by the XDG Base Directory Specification.
package struct Paths: Equatable, Sendable {
    /// `config.toml`, or what `--config` or `AUTHCTL_CONFIG` name instead.
    package let configFile: String
    /// Whether a person named the file, so that it has to be there.
    package let isConfigNamed: Bool
    /// The folder of what is remembered.
    package let stateFolder: String
    package let home: String?

    init(_ environment: Environment, config: String?) throws(UsageFault) {
        try environment.checkUTF8()
        // A user without an account has the home that docker gives them: nothing is found there, and the message about
        // what cannot be kept there names what would help.
        let home = if let named = environment["HOME"] { named } else { try Self.homeOfUser() }
        // Relative values are to be ignored, says the specification.
        let configHome = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let stateHome = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        // A relative home would have logins kept in the working directory.
        self.home = home.hasPrefix("/") ? home : nil
        let below = self.home.map { $0 == "/" ? "" : $0 }
        let named = try (config ?? environment["AUTHCTL_CONFIG"]).map { (path) throws(UsageFault) in
            try Self.absolute(path)
        }
        let file = named ?? (configHome ?? below.map { $0 + "/.config" }).map { $0 + "/authctl/config.toml" }
        let folder = (stateHome ?? below.map { $0 + "/.local/state" }).map { $0 + "/authctl" }
        guard let configFile = file, let stateFolder = folder else {
            throw .other(Self.problem(of: home, hasConfig: file != nil, hasState: folder != nil))
        }
        self.configFile = configFile
        self.stateFolder = stateFolder
        isConfigNamed = named != nil
    }

    /// All of them in one folder.
    /// - Parameter folder: made when something is first kept there.
    init(folder: String, _ environment: Environment) throws(UsageFault) {
        try environment.checkUTF8()
        let folder = try Self.absolute(folder)
        home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        configFile = folder + "/config.toml"
        isConfigNamed = false
        stateFolder = folder
    }

    /// The folder of the configuration file.
    package var configFolder: String { SafeDirectory.split(configFile).parent }

    /// The profiles that authctl makes, one file each.
    var generatedProfiles: String { configFolder + "/profiles" }

    /// An absolute path.
    package static func absolute(_ path: String) throws(UsageFault) -> String {
        // What an argument's bytes become where they are not UTF-8.
        if path.contains("\u{FFFD}") { throw .other("the path \(SafeText.quoted(path)) is not UTF-8; use one that is") }
        if path.hasPrefix("/") { return path }
        guard let current = getcwd(nil, 0) else { throw .other("the working directory no longer exists") }
        defer { free(current) }
        guard let folder = String(validatingCString: current) else {
            throw .other("the path of the working directory is not UTF-8; use an absolute path, or another folder")
        }
        return "\(folder)/\(path)"
    }

    private static func problem(of home: String, hasConfig: Bool, hasState: Bool) -> String {
        let missing = (hasConfig ? [] : ["XDG_CONFIG_HOME"]) + (hasState ? [] : ["XDG_STATE_HOME"])
        return "HOME is \(SafeText.quoted(home)), which is not an absolute path; set it to one, or set "
            + missing.joined(separator: " and ")
    }

    private static func homeOfUser() throws(UsageFault) -> String {
        guard let entry = getpwuid(getuid()), let directory = entry.pointee.pw_dir else { return "/" }
        guard let path = String(validatingCString: directory) else {
            throw .other("the path of your home folder is not UTF-8; set HOME to one that is")
        }
        return path
    }
}
