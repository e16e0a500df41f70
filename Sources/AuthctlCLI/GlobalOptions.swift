import ArgumentParser
import LoginKit

/// The options that every command has.
struct GlobalOptions: OptionList {
    @Option(
        name: [.customShort("P"), .long], help: ArgumentHelp("The profile to use.", valueName: "name"))
    var profile: String?

    // Joined as in curl's -uNAME: an option that is not known is repeated in the message, and could hold a password.
    @Option(
        name: [.customShort("u", allowingJoined: true), .long],
        help: ArgumentHelp("The account to use.", valueName: "name"))
    var username: String?

    @Flag(name: [.short, .long], help: "Print only results and errors.")
    var quiet = false

    @Flag(name: [.short, .long], help: "Show requests and responses, without secrets.")
    var verbose = false

    @Flag(help: "Never ask; fail with 4 and list what is missing.")
    var noPrompt = false

    // A type of its own would cost three searches among all conformances of the program, at every start.
    @Option(
        help: ArgumentHelp("Use colors. (values: auto, always, never; default: auto)", valueName: "when"),
        completion: .list(ColorChoice.allCases.map(\.rawValue)))
    var color: String?

    @Option(help: ArgumentHelp("Use this configuration file.", valueName: "file"), completion: .file())
    var config: String?

    @Option(help: ArgumentHelp("Time limit for one request.", valueName: "seconds"))
    var timeout: Int?

    var options: KeyValuePairs<String, Any> {
        [
            "_profile": _profile, "_username": _username, "_quiet": _quiet, "_verbose": _verbose,
            "_noPrompt": _noPrompt, "_color": _color, "_config": _config, "_timeout": _timeout,
        ]
    }

    func validate() throws {
        if let color, ColorChoice(rawValue: color) == nil {
            throw ValidationError("--color must be auto, always or never.")
        }
    }
}

extension GlobalOptions {
    /// Those that a next try needs as well, as they are typed. The profile stands beside them.
    var words: [String] {
        // In `name:password` as curl takes it, the rest is not repeated.
        let name = username.flatMap { $0.contains(":") ? nil : $0 }
        return (name.map(LoginTarget.userOption) ?? []) + (config.map { ["--config", $0] } ?? [])
            + (timeout.map { ["--timeout", "\($0)"] } ?? [])
    }
}

extension ArgumentHelp {
    /// Of the flag of the commands that report. It is no group of options: the parser asks five questions of type about each
    /// group, and each looks through all conformances of the program.
    static let json: ArgumentHelp = "Print one JSON value, even on failure."
}
