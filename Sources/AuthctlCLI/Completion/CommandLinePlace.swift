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
