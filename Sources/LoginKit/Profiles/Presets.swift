import Glibc
package import LoginCore

/// Profiles without `url` that come with authctl, one file each, for kinds of services that many people run.
package struct Presets {
    /// One of them.
    package struct Preset: Equatable {
        package let name: String
        package let file: String
        /// On which software and version it was tried; `nil` if it was only taken from public documentation.
        package let tried: String?
        /// The software it is for, and the form of its URL.
        package let about: String
    }

    private let folders: [String]

    /// - Parameter environment: `XDG_DATA_DIRS` as the XDG Base Directory Specification has it.
    package init(_ environment: Environment) {
        let data = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
        let known = data.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        folders = (Self.besideProgram + known).map { "\($0)/authctl/presets" }
    }

    /// `share` beside the program's `bin`, wherever both were installed; in a built source tree, the tree's own.
    private static var besideProgram: [String] {
        guard let path = realpath("/proc/self/exe", nil) else { return [] }
        defer { free(path) }
        let folders = String(cString: path).split(separator: "/").dropLast()
        if folders.last == "bin" { return ["/" + (folders.dropLast() + ["share"]).joined(separator: "/")] }
        guard let build = folders.lastIndex(of: ".build") else { return [] }
        return ["/" + (folders[..<build] + ["share"]).joined(separator: "/")]
    }

    /// All of them, by name; of two with one name the one of the earlier folder.
    package var names: [String] {
        var names: Set<String> = []
        for folder in folders { names.formUnion(ConfigFile.profileNames(in: folder)) }
        return names.sorted()
    }

    /// The presets whose name a service uses for itself, as a whole word: `transmission` for the realm "Transmission", `tt-rss` for the
    /// title "Tiny Tiny RSS", on which it was tried.
    func named(by texts: [String]) -> [String] {
        let texts = texts.map { $0.prefix(1000).words }
        let words = Set(texts.flatMap(\.self))
        return names.filter { name in
            if name.words.allSatisfy(words.contains) { return true }
            let tried = program(ofPreset: name)
            return tried.count > 1 && texts.contains { $0.firstRange(of: tried) != nil }
        }
    }

    /// The words of the program that a preset was tried on; none where it was not tried, or cannot be read.
    private func program(ofPreset name: String) -> [String] {
        do throws(UsageFault) {
            let tried = try preset(named: name)?.tried ?? ""
            return tried.prefix { $0 != "," && !$0.isNumber && $0 != "(" }.words
        } catch {
            return []
        }
    }

    /// The error for an unknown preset, with the nearest one.
    package func problem(with name: String) -> String {
        let near = names.nearest(to: name).first.map { "; did you mean '\($0)'?" } ?? ""
        return "there is no preset of this name\(near)"
    }

    /// - Throws: `badConfig` for a file that cannot be read.
    /// - Returns: `nil` if there is none of this name.
    package func preset(named name: String) throws(UsageFault) -> Preset? {
        guard ProfileName.problem(name) == nil else { return nil }
        for folder in folders {
            let file = "\(folder)/\(name).toml"
            guard let text = try ConfigFile.read(file) else { continue }
            let comments = text.split(whereSeparator: \.isNewline).prefix { $0.hasPrefix("# ") }.map { $0.dropFirst(2) }
            let tried = comments.first.flatMap { $0.hasPrefix("tried: ") ? String($0.dropFirst(7)) : nil }
            return Preset(
                name: name, file: file, tried: tried, about: comments.dropFirst().joined(separator: " "))
        }
        return nil
    }
}

extension StringProtocol {
    /// In lower case; runs of ASCII letters and digits.
    fileprivate var words: [String] {
        lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.map(String.init)
    }
}
