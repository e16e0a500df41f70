import Glibc

/// A browser of the Chromium family, and how it is started with a window of its own.
struct ChromiumProgram: Equatable {
    /// With a slash in it.
    let path: String
    /// As it was named, with the person's own options.
    let words: [String]

    var name: String { words.first ?? path }

    /// The names by which these browsers are installed, in the order in which they are tried. `BROWSER` is not used: it often is
    /// Firefox, or a script that opens a tab in a browser that is running elsewhere.
    static let names = [
        "chromium", "google-chrome-stable", "google-chrome", "microsoft-edge", "brave-browser", "vivaldi",
    ]

    /// Finds the one to start.
    /// - Parameters:
    ///   - configured: the words of `--browser`, else of the profile.
    ///   - find: looks a program up as a shell does, and returns its path.
    static func choose(
        configured: [String]?, environment: ProgramEnvironment, isRoot: Bool = geteuid() == 0,
        find: (String) -> String? = { try? ProgramSearch.path(of: $0) }
    ) throws(WindowFault) -> ChromiumProgram {
        if let configured, let name = configured.first {
            guard let path = find(name) else { throw .notStarted(program: name, errno: ENOENT) }
            if let keeper = confinement(of: path) { throw .confined(path: path, by: keeper) }
            if !configured.contains(where: { $0.hasPrefix("--headless") }) { try checkScreen(environment) }
            return ChromiumProgram(path: path, words: configured)
        }
        if isRoot { throw .root }
        var confined: WindowFault?
        for name in names {
            guard let path = find(name) else { continue }
            guard let keeper = confinement(of: path) else {
                try checkScreen(environment)
                return ChromiumProgram(path: path, words: [name])
            }
            confined = confined ?? .confined(path: path, by: keeper)
        }
        throw confined ?? .noBrowser(other: ["firefox", "firefox-esr"].first { find($0) != nil })
    }

    private static func checkScreen(_ environment: ProgramEnvironment) throws(WindowFault) {
        if !environment.hasScreen { throw .noDisplay(isRemote: environment.isRemote) }
    }

    /// Returns the package system (snap or flatpak) that keeps descriptors from a browser at this path or its target, if any.
    private static func confinement(of path: String) -> String? {
        let real = realpath(path, nil)
        defer { free(real) }
        let all = [path, real.map { String(cString: $0) } ?? path]
        if all.contains(where: { $0.hasPrefix("/snap/") || $0 == "/usr/bin/snap" }) { return "snap" }
        return all.contains { $0.contains("/flatpak/") || $0 == "/usr/bin/flatpak" } ? "flatpak" : nil
    }

    /// The words for a private window at a URL. Without `--incognito` a typed password would lie readable in the disk cache; over
    /// the protocol instead of the command line, the focus would stay in the address bar.
    func arguments(folder: String, url: String) -> [String] {
        words + [
            "--remote-debugging-pipe", "--user-data-dir=\(folder)", "--incognito", "--no-first-run",
            "--no-default-browser-check", "--disable-sync", "--disable-background-networking",
            "--disable-component-update", "--password-store=basic", "--disable-breakpad", url,
        ]
    }
}
