import Glibc

/// All profiles: those of the person's `config.toml`, and those that authctl made, one file each beside it.
///
/// A profile is decoded when it is asked for, so that an error in one does not stop the others.
package struct Configuration {
    /// Where a profile comes from.
    package enum Source: Equatable {
        case config(file: String)
        /// By `login URL` or `profile add`; these can be removed again.
        case made(file: String)
    }

    let paths: Paths
    /// The keys at the top of `config.toml`, for all profiles.
    package private(set) var defaults = Defaults()
    private let configured: StrictTable?

    package struct Defaults: Equatable {
        package var profile: String?
        package var store: String?
        var persist: Persistence?
        var proxy: String?
        /// The time for which the key of the encrypted file is held after its passphrase was given, in seconds.
        var passphraseCache: Int?
        /// The key of the stores that machines share, an absolute path.
        var sharedKeyFile: String?
        /// The profile that logs in to etcd.
        package var sharedProfile: String?
        /// The time for which a login of a shared store is used without asking the engine again, in seconds.
        var sharedCache: Int?
        /// The program that opens the URL of a login in a browser.
        var browser: String?
        /// Whether that URL is shown as a QR code, too.
        var showsQR = false
        /// The URL of the document that describes authctl to authorization servers that register no client.
        var clientMetadata: String?
    }

    init(_ paths: Paths) throws(UsageFault) {
        self.paths = paths
        try ConfigFile.checkFolder(paths.configFolder)
        try ConfigFile.checkFolder(paths.generatedProfiles)
        let text = try ConfigFile.read(paths.configFile)
        if text == nil && paths.isConfigNamed {
            throw .badConfig(file: paths.configFile, path: nil, line: nil, problem: "there is no such file")
        }
        let top = try StrictTable(parsing: text ?? "", file: paths.configFile)
        try top.read(ProfileKeys.top, into: &defaults)
        configured = try top["profiles"]?.inner()
        for name in configured?.keys ?? [] { try ProfileName.check(name, file: paths.configFile) }
    }

    /// The names of all profiles, those of `config.toml` first.
    package var names: [String] {
        let own = configured?.keys ?? [], known = Set(own)
        return own + madeNames.filter { !known.contains($0) }
    }

    /// - Returns: `nil` if there is no profile of this name.
    package func source(of name: String) -> Source? {
        if configured?[name] != nil { return .config(file: paths.configFile) }
        let isMade = ProfileName.problem(name) == nil && access(madeFile(name), F_OK) == 0
        return isMade ? .made(file: madeFile(name)) : nil
    }

    /// - Throws: `UsageFault.unknownProfile` with the names that are near.
    func profile(named name: String) throws(UsageFault) -> Profile {
        guard let table = try table(of: name) else {
            throw .unknownProfile(name: name, near: names.nearest(to: name))
        }
        let decoder = ProfileDecoder(folder: paths.configFolder, home: paths.home)
        return withDefaults(try decoder.profile(named: name, table))
    }

    /// A profile as it was written; `nil` if there is none of this name.
    package func written(_ name: String) throws(UsageFault) -> ConfigValue? {
        try table(of: name).map { .table($0.members) }
    }

    private func table(of name: String) throws(UsageFault) -> StrictTable? {
        switch source(of: name) {
        case .config: try configured?[name]?.inner()
        case .made(let file): try Self.table(file)
        case nil: nil
        }
    }

    /// The file of a profile that authctl made or will make.
    private func madeFile(_ name: String) -> String { "\(paths.generatedProfiles)/\(name).toml" }

    /// One profile's file, which is its table without a heading.
    static func table(_ file: String) throws(UsageFault) -> StrictTable? {
        try ConfigFile.read(file).map { (text) throws(UsageFault) in try StrictTable(parsing: text, file: file) }
    }

    /// Whether the profile of this name logs in to the engine of shared stores.
    package func isOfEngine(_ name: String) -> Bool { defaults.sharedProfile.map { $0.isSame(as: name) } ?? false }

    /// The login to the engine of shared stores cannot be in one of them.
    private func defaultStore(of profile: Profile) -> String? {
        let isShared = defaults.store.flatMap { StoreName($0) }?.isShared == true
        return isShared && isOfEngine(profile.name) ? nil : defaults.store
    }

    /// The profile, with the defaults from the top of the file for keys it lacks.
    func withDefaults(_ profile: Profile) -> Profile {
        var profile = profile
        profile.settings.store = profile.settings.store ?? defaultStore(of: profile)
        profile.settings.persist = profile.settings.persist ?? defaults.persist
        profile.settings.proxy = profile.settings.proxy ?? defaults.proxy
        // That one opens URLs, and may be any browser.
        if !profile.traits.opensWindow { profile.settings.browser = profile.settings.browser ?? defaults.browser }
        return profile
    }

    private var madeNames: [String] { ConfigFile.profileNames(in: paths.generatedProfiles) }
}
