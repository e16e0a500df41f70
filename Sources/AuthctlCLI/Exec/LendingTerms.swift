import ArgumentParser
import LoginKit

extension OtherHosts: ExpressibleByArgument {}

/// How a command is lent the session, and for how long.
struct LendingTerms {
    enum Way {
        /// At an address of this machine; `socket` as of `--serve-socket`.
        case address(socket: String?)
        case unchanged(UnchangedRun.Reach, others: OtherHosts, wantsPassword: Bool)
    }

    let way: Way
    /// `nil` for as long as the command runs.
    let seconds: Int?
    /// The file of the log, as it was typed.
    let log: String?
    /// The variables of `--placeholder` with their values.
    let placeholders: [(name: String, value: String)]

    /// A week, in seconds.
    private static let longest: Int64 = 7 * 86_400

    /// - Parameter duration: as behind `--for`.
    init(_ way: Way, for duration: String?, log: String?, placeholders: [String] = []) {
        (self.way, self.log) = (way, log)
        seconds = duration.flatMap { TimeSpan.seconds($0, most: Self.longest) }.map { Int($0) }
        self.placeholders = placeholders.map { text in
            let name = text.prefix { $0 != "=" }
            let hasValue = name.endIndex != text.endIndex
            return (
                String(name), hasValue ? String(text[name.endIndex...].dropFirst()) : ServeSettings.placeholder
            )
        }
    }

    /// What others can do while the command runs.
    var warning: String? {
        guard case .unchanged(let reach, let others, let wantsPassword) = way else { return nil }
        if !wantsPassword {
            return "while the command runs, every program of this user can use this login through its proxy"
        }
        guard others == .all, case .machine(let machine) = reach else { return nil }
        return "while the command runs, \(SafeText.quoted(machine.host)) reaches through ssh what this machine reaches"
    }

    /// - Parameter duration: as it was given.
    /// - Throws: `ValidationError` for an invalid value.
    func check(_ duration: String?) throws {
        if duration != nil, seconds == nil {
            throw ValidationError("--for must be a number with a unit (s, m, h or d), up to 7d, such as 30m.")
        }
        if log == "" { throw ValidationError("--log must be a file.") }
        for (name, _) in placeholders {
            try ExecEnvironmentOptions.check(name, of: "--placeholder")
            guard !UnchangedVariables.names.contains(name) else {
                throw ValidationError("--placeholder: \(name) is a variable that the run sets; use another.")
            }
        }
    }
}
