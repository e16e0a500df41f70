import ArgumentParser
import LoginKit

/// `authctl complete -- WORDS`, which the completion scripts run: what may stand at the end of the last word.
///
/// Its answer is a line with what is wanted, and behind `words` a line for each choice: the whole word, and after a tab what it
/// is. The scripts do the rest, each by its shell's own rules of quoting.
struct Completer {
    /// The word that it goes by; no command of the parser's, so that nothing else has to know of it.
    static let name = "complete"

    private let dependencies: Dependencies
    private let place: CommandLinePlace

    /// - Returns: `nil` if the parser's description of the commands cannot be read.
    init?(_ arguments: [String], _ dependencies: Dependencies) {
        guard let root = CommandShape.root() else { return nil }
        place = CommandLinePlace(Array(arguments.drop { $0 != "--" }.dropFirst()), in: root)
        self.dependencies = dependencies
    }

    var answer: String {
        switch place.wanted {
        case .nothing: return "words"
        case .program: return "command"
        case .command(let among): return list(among.map { ($0.commandName, $0.abstract) })
        case .topic(let among): return list(topics(among, isTop: place.command.count == 1))
        case .option(let among):
            return list(
                among.flatMap { option in (option.names ?? []).map { ($0.text, option.abstract) } }
                    .filter { $0.0.hasPrefix("--") })
        case .value(let argument) where argument.completionKind?.file != nil: return "files"
        case .value(let argument): return list(values(of: argument).map { (place.prefix + $0, nil) })
        }
    }

    private func topics(_ commands: [CommandShape], isTop: Bool) -> [(String, String?)] {
        let names = isTop ? HelpTopics.names : []
        return commands.filter { $0.shouldDisplay && $0.commandName != "help" || names.contains($0.commandName) }
            .map { ($0.commandName, $0.abstract) }
    }

    /// Leaves out values with line breaks or escape sequences.
    private func list(_ choices: [(text: String, meaning: String?)]) -> String {
        let safe = choices.filter { SafeText.escaped($0.text, limit: .max) == $0.text }
        return (["words"] + safe.map { choice in choice.meaning.map { "\(choice.text)\t\($0)" } ?? choice.text })
            .joined(separator: "\n")
    }
}

// The values that differ between users: profiles, accounts, stores.
//
// A fault of the configuration or of what is remembered is no reason to disturb somebody who is typing: nothing is offered then,
// and the command itself says why.
extension Completer {
    /// The keys of options and arguments that may be a profile.
    private static let profileKeys: Set = ["profile", "profile-or-url", "profile-or-file"]

    /// Returns the possible values of an option or argument.
    private func values(of argument: CommandShape.Argument) -> [String] {
        if let values = argument.completionKind?.list?["values"] { return values }
        switch (place.command.first, argument.key) {
        case ("profile", "name") where argument.kind == .positional && place.command.last == "remove":
            return profiles { if case .made = $0 { true } else { false } }
        case ("profile", "preset"): return Presets(dependencies.environment).names
        case ("profile", "name") where place.command.last == "presets": return Presets(dependencies.environment).names
        case ("profile", "name") where argument.kind == .positional: return profiles()
        case (_, let key) where Self.profileKeys.contains(key): return profiles()
        case ("switch", "names"): return switchable
        case (_, "username"): return accounts
        case ("store", "store") where place.command.last == "init": return ["file"]
        case ("store", "store"), ("store", "from"), ("store", "to"):
            return stores.filter(\.keepsLogins).map(\.description)
        case (_, "store"): return ["auto"] + stores.map(\.description)
        case ("trust", "origin"): return profiles() + origins
        case ("request", _) where argument.kind == .positional && place.arguments.isEmpty:
            return RequestCommand.usualMethods
        default: return []
        }
    }

    private func profiles(_ isWanted: (Configuration.Source) -> Bool = { _ in true }) -> [String] {
        guard let registry = context?.profiles else { return [] }
        return registry.names.filter { name in
            ProfileName.problem(name) == nil && registry.source(of: name).map(isWanted) ?? false
        }
    }

    /// `switch PROFILE USER`, or the user alone where the profile is clear.
    private var switchable: [String] {
        switch place.arguments.count {
        case 0: place.values["profile"] == nil ? profiles() + (profile.map(usernames) ?? []) : accounts
        case 1 where place.values["profile"] == nil: usernames(of: place.arguments[0])
        default: []
        }
    }

    /// The accounts of the profile that the line means; of all of them where that cannot be told.
    private var accounts: [String] {
        if let profile { return usernames(of: profile) }
        guard let document else { return [] }
        return document.profiles.reduce(into: []) { all, record in
            all += record.usernames.filter { !all.contains($0) }
        }
    }

    private func usernames(of profile: String) -> [String] { document?.profile(profile)?.usernames ?? [] }

    /// As the command itself would find it, from the words before the cursor.
    private var profile: String? {
        // `switch` and `profile` call theirs otherwise.
        let isProfile = place.firstKey.map { Self.profileKeys.union(["names", "name"]).contains($0) } ?? false
        let argument = isProfile ? place.arguments.first : nil
        return try? context?.selection.profile(argument ?? place.values["profile"]).name
    }

    /// With the helpers that are in `PATH`.
    private var stores: [StoreName] {
        let stores = dependencies.stores(
            Dependencies.StoreLocation(stateFolder: ""), { () throws(StoreFault) in throw .passphraseCancelled })
        return StoreName.builtIn + stores.programs()
    }

    private var origins: [String] { (document?.trusted ?? []).map(\.origin.description).sorted() }

    private var document: AccountRegistryDocument? { try? context?.document() }

    private var context: LoginContext? {
        var options = LoginContext.Options()
        options.config = place.values["config"]
        return try? LoginContext(dependencies, options, .silent)
    }
}

/// The word at the cursor of an unfinished command line.
///
/// Decided by the shape of the commands alone; what profiles or accounts there are is looked at afterwards.
struct CommandLinePlace {
    /// The values that fit there.
    enum Wanted {
        /// The name of a command.
        case command(among: [CommandShape])
        /// The name of an option.
        case option(among: [CommandShape.Argument])
        case value(of: CommandShape.Argument)
        /// A topic of `help`, below these commands.
        case topic(among: [CommandShape])
        /// A program to run, and its arguments.
        case program
        case nothing
    }

    /// Such as `["profile", "remove"]`.
    private(set) var command: [String] = []
    /// The arguments before the cursor that are neither options nor their values.
    private(set) var arguments: [String] = []
    /// The key of the command's first argument.
    private(set) var firstKey: String?
    /// The values of options before the cursor, by the long name.
    private(set) var values: [String: String] = [:]
    private(set) var wanted: Wanted = .nothing
    /// The part of the word before the value, such as `--store=`.
    private(set) var prefix = ""
    private var used: Set<String> = []
    private var isTerminated = false

    /// - Parameter words: those behind the program's name, the last one up to the cursor.
    init(_ words: [String], in root: CommandShape) {
        guard let last = words.last else { return }
        var shape = root
        var pending: CommandShape.Argument?
        for word in words.dropLast() {
            if let option = pending {
                values[option.key] = word
                pending = nil
            } else if let next = descend(shape, word) {
                shape = next
            } else if word == "--", !isTerminated {
                isTerminated = true
            } else if word.hasPrefix("-"), !isTerminated {
                pending = take(option: word, shape)
            } else if (shape.subcommands ?? []).isEmpty {
                arguments.append(word)
            } else {
                // No such command.
                return
            }
        }
        firstKey = shape.positionals.first?.key
        wanted = pending.map { .value(of: $0) } ?? wanted(last, shape)
    }

    private mutating func descend(_ shape: CommandShape, _ word: String) -> CommandShape? {
        // `help` has the names of commands as its arguments.
        guard !isTerminated, let next = (shape.subcommands ?? []).first(where: { $0.isNamed(word) }) else {
            return nil
        }
        command.append(next.commandName)
        return command.first == "help" && command.count == 1 ? CommandShape.help(shape) : next
    }

    /// - Returns: the option, if its value is the next word.
    private mutating func take(option word: String, _ shape: CommandShape) -> CommandShape.Argument? {
        let name = word.prefix { $0 != "=" }
        guard let option = shape.options.first(where: { $0.isNamed(String(name)) }) else { return nil }
        used.insert(option.key)
        guard option.kind == .option else { return nil }
        guard name.endIndex < word.endIndex else { return option }
        values[option.key] = String(word[word.index(after: name.endIndex)...])
        return nil
    }

    private mutating func wanted(_ word: String, _ shape: CommandShape) -> Wanted {
        if command.first == "help" { return .topic(among: shape.subcommands ?? []) }
        let takesProgram = command == [ExecCommand.name]
        if isTerminated { return takesProgram ? .program : argument(of: shape) }
        if word.hasPrefix("-") {
            if let equals = word.firstIndex(of: "="), word.hasPrefix("--"),
                let option = shape.options.first(where: { $0.kind == .option && $0.isNamed(String(word[..<equals])) })
            {
                prefix = String(word[...equals])
                return .value(of: option)
            }
            return .option(among: shape.options.filter { $0.isRepeating || !used.contains($0.key) })
        }
        return takesProgram ? .nothing : argument(of: shape)
    }

    private func argument(of shape: CommandShape) -> Wanted {
        if !shape.shown.isEmpty { return .command(among: shape.shown) }
        let positionals = shape.positionals
        if arguments.count < positionals.count { return .value(of: positionals[arguments.count]) }
        guard let last = positionals.last, last.isRepeating else { return .nothing }
        return .value(of: last)
    }
}

extension CommandShape {
    /// The words that `help` takes: every command of `shape`, but no options.
    fileprivate static func help(_ shape: CommandShape) -> CommandShape {
        CommandShape(
            commandName: "help", abstract: nil, aliases: nil, shouldDisplay: true, subcommands: shape.subcommands,
            arguments: nil)
    }
}
