import ArgumentParser
import LoginKit

/// The options of a command that works with logins.
struct GlobalOptions: OptionList {
    @Option(name: .profile, help: .profile)
    var profile: String?

    @Option(name: .username, help: .username)
    var username: String?

    @Flag(name: [.short, .long], help: .quiet)
    var quiet = false

    @Flag(name: [.short, .long], help: .verbose)
    var verbose = false

    @Flag(help: .noPrompt)
    var noPrompt = false

    // A type of its own would cost three searches among all conformances of the program, at every start.
    @Option(help: .color, completion: .list(ColorChoice.allCases.map(\.rawValue)))
    var color: String?

    @Option(help: .config, completion: .file())
    var config: String?

    @Option(help: .timeout)
    var timeout: Int?

    var options: KeyValuePairs<String, Any> {
        [
            "_profile": _profile, "_username": _username, "_quiet": _quiet, "_verbose": _verbose,
            "_noPrompt": _noPrompt, "_color": _color, "_config": _config, "_timeout": _timeout,
        ]
    }

    func validate() throws {
        try ColorChoice.check(color)
    }
}

/// The options that every command has.
struct BasicOptions: OptionList {
    @Flag(name: [.short, .long], help: .quiet)
    var quiet = false

    @Flag(name: [.short, .long], help: .verbose)
    var verbose = false

    @Option(help: .color, completion: .list(ColorChoice.allCases.map(\.rawValue)))
    var color: String?

    @Option(help: .config, completion: .file())
    var config: String?

    @Option(help: .timeout)
    var timeout: Int?

    var options: KeyValuePairs<String, Any> {
        ["_quiet": _quiet, "_verbose": _verbose, "_color": _color, "_config": _config, "_timeout": _timeout]
    }

    func validate() throws { try ColorChoice.check(color) }

    /// Together with those that the command has besides.
    func all(profile: String? = nil, username: String? = nil, noPrompt: Bool = false) -> GlobalOptions {
        var all = GlobalOptions()
        (all.profile, all.username, all.noPrompt) = (profile, username, noPrompt)
        (all.quiet, all.verbose, all.color, all.config, all.timeout) = (quiet, verbose, color, config, timeout)
        return all
    }
}

extension ColorChoice {
    fileprivate static func check(_ text: String?) throws {
        if let text, ColorChoice(rawValue: text) == nil {
            throw ValidationError("--color must be auto, always or never.")
        }
    }
}

extension NameSpecification {
    static let profile: NameSpecification = [.customShort("P"), .long]
    // Joined as in curl's -uNAME: an option that is not known is repeated in the message, and could hold a password.
    static let username: NameSpecification = [.customShort("u", allowingJoined: true), .long]
}

extension GlobalOptions {
    /// Those that a next try needs as well, as they are typed. The profile stands beside them.
    var words: [String] {
        // In `name:password` as curl takes it, the rest is not repeated.
        let name = username.flatMap { $0.contains(":") ? nil : $0 }
        return (name.map(LoginTarget.userOption) ?? [])
            + optionWords([("--config", config), ("--timeout", timeout.map { "\($0)" })])
    }
}

/// Options as they are typed, without those that are not given.
func optionWords(_ options: [(name: String, value: String?)]) -> [String] {
    options.flatMap { option in option.value.map { [option.name, $0] } ?? [] }
}

extension ArgumentHelp {
    static let profile = ArgumentHelp("The profile to use.", valueName: "name")
    static let username = ArgumentHelp("The account to use.", valueName: "name")
    static let quiet: ArgumentHelp = "Print only results and errors; with status, only errors."
    static let verbose: ArgumentHelp = "Show requests and responses, without secrets."
    static let noPrompt: ArgumentHelp = "Never ask; fail with 4 and list what is missing."
    static let color = ArgumentHelp(
        "Use colors. (values: auto, always, never; default: auto)", valueName: "when")
    static let config = ArgumentHelp("Use this configuration file.", valueName: "file")
    static let timeout = ArgumentHelp("Time limit for one request.", valueName: "seconds")

    /// The help of `--json` in the commands that report. It is no group of options: the parser asks five questions of type about each
    /// group, and each looks through all conformances of the program.
    static let json: ArgumentHelp = "Print one JSON value, even on failure."
}

/// A type that tells the argument parser itself which options it has. The parser otherwise reflects on it, several times in
/// one start, and a reflection's generic types alone cost nine searches among all conformances of the program.
///
/// One that lacks an option here does not have it: the snapshots of `--help` show that.
protocol OptionList: ParsableArguments, CustomReflectable {
    /// The wrappers in the order of the help, by the names that a reflection would give.
    var options: KeyValuePairs<String, Any> { get }
}

extension OptionList {
    var customMirror: Mirror {
        // The parser reads the children alone. One subject for all types spares each of them a search.
        Mirror((), children: options.map { (label: $0.key, value: $0.value) } as [Mirror.Child])
    }
}
