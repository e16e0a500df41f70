import LoginKit

/// What the help has of some words: tasks, commands, options, topics, presets and exit codes.
struct HelpSearch {
    private struct Section {
        let heading: String
        var entries: [Entry]
    }

    private struct Entry {
        let title: String
        /// Below the title.
        var lines: [String]
        /// Whether the lines are to be copied, so that none is broken.
        var isToCopy = false
        /// Stands for the title in the search.
        var names: [String] = []
    }

    /// More of one kind are not shown.
    private static let most = 6

    /// Words that people type, each with one that the help has for the same; those of more than three letters without a final s.
    private static let synonyms = [
        "1password": "manager", "bitwarden": "manager", "keepas": "manager", "keychain": "keyring",
        "ci": "gitlab", "jenkin": "job", "pipeline": "job", "nightly": "cron", "headles": "without",
        "laptop": "move", "migrate": "move", "transfer": "move", "backup": "move", "restore": "move",
        "team": "share", "colleague": "share", "export": "share", "pagination": "page", "paging": "page",
        "multiple": "two", "wipe": "remove", "claude": "agent", "oathtool": "totp", "seed": "totp",
        "trace": "why", "401": "why", "403": "forbidden", "refresh": "expire", "download": "request",
        "debug": "why", "direnv": "switch", "directory": "switch", "oidc": "oauth", "openid": "oauth", "okta": "sso",
        "keycloak": "oauth", "entra": "oauth", "jwt": "token",
        "stolen": "everywhere", "revoke": "everywhere", "expired": "expire", "expiry": "expire",
        "kubernete": "kubectl", "k8s": "kubectl", "tls": "certificate", "ssl": "certificate",
        "selenium": "playwright", "puppeteer": "playwright", "llm": "agent", "ai": "agent", "readonly": "read",
        "nagio": "monitor", "prometheu": "monitor", "monitoring": "monitor",
    ]

    /// The words as they were typed.
    private let typed: [String]
    private let presets: Presets

    /// - Returns: `nil` where `help` is asked for a page: of everything, a command or a topic.
    init?(_ arguments: [String], _ environment: Environment) {
        guard arguments.first == "help" else { return nil }
        typed = arguments.dropFirst().filter { !["-h", "--help", "--help-hidden"].contains($0) }
        guard let first = typed.first, typed.count > 1 && HelpTopics.isAlone(first) || !HelpTopics.hasPage(of: first)
        else { return nil }
        presets = Presets(environment)
    }

    /// What was found, the best first.
    /// - Throws: `usage` if that is nothing, with the nearest word that is in the help.
    func page(for look: TextLook) throws(LoginFault) -> String {
        let words = typed.flatMap(Self.words).map { $0.count > 3 && $0.hasSuffix("s") ? String($0.dropLast()) : $0 }
        let all = sections, found = Self.found(words, in: all)
        guard !found.isEmpty else { throw fault(words, all) }
        let ordered = [3, 2, 1].flatMap { rank in found.filter { $0.score == rank } }
        return ordered.map { text(of: $0.section, look) }.joined(separator: "\n\n")
    }

    /// The sections with what has all of the words, and how well the best of each does.
    private static func found(_ words: [String], in sections: [Section]) -> [(section: Section, score: Int)] {
        sections.compactMap { section -> (section: Section, score: Int)? in
            let scored = section.entries.map { ($0, score(of: $0, words)) }.filter { $0.1 > 0 }
            guard !words.isEmpty, let best = scored.map(\.1).max() else { return nil }
            // What only mentions a word is not shown beside what is named so.
            let ranked = (best == 1 ? [1] : [3, 2]).flatMap { rank in scored.filter { $0.1 == rank } }
            return (Section(heading: section.heading, entries: ranked.map(\.0)), best)
        }
    }

    /// Says which of several words the help has, or the nearest to a single one.
    private func fault(_ words: [String], _ all: [Section]) -> LoginFault {
        let known = words.count > 1 ? words.filter { !Self.found([$0], in: all).isEmpty } : []
        if !known.isEmpty {
            let quoted = SafeText.quoted(typed.joined(separator: " "), limit: 40)
            let ways = known.map { "authctl help \($0)" }.joined(separator: ", ")
            return .usage("nothing in the help has all of \(quoted); the single words: \(ways)")
        }
        let near = all.flatMap(\.entries).flatMap { $0.names + Self.words(of: $0.title) }
        do {
            try HelpTopics.check([typed[0].drop { $0 == "-" }.lowercased()], near: near.filter { $0.count > 3 })
        } catch {
            return error
        }
        return .usage("there is no help for \(SafeText.quoted(typed[0], limit: 40))")
    }

    private func text(of section: Section, _ look: TextLook) -> String {
        let shown = section.entries.prefix(Self.most).map { entry in
            let lines = entry.lines.map { "  " + (entry.isToCopy ? $0 : wrapped($0, look)) }
            return ([entry.title] + lines).joined(separator: "\n")
        }
        let rest = section.entries.count - shown.count
        return ([section.heading + "\n"] + shown + (rest > 0 ? ["… and \(rest) more"] : [])).joined(separator: "\n")
    }

    private func wrapped(_ line: String, _ look: TextLook) -> String {
        guard let columns = look.columns else { return line }
        return TextLook.plain.text(StyledText(line).wrapped(for: .plain, columns: columns - 2, below: 2))
    }

    /// 3 if each word is one of its name, 2 if one of its name begins with each, 1 if each stands anywhere in it, 0 otherwise.
    private static func score(of entry: Entry, _ typed: [String]) -> Int {
        let names = entry.names.flatMap(words) + words(of: entry.title)
        let others = entry.lines.flatMap(words)
        let scores = typed.map { typed in
            [typed, synonyms[typed]].compactMap(\.self).map { word in
                if names.contains(where: { $0 == word || $0 == word + "s" }) { return 3 }
                if names.contains(where: { $0.hasPrefix(word) }) { return 2 }
                return others.contains { $0.hasPrefix(word) } ? 1 : 0
            }.max() ?? 0
        }
        return scores.min() ?? 0
    }

    private static func words(of text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
    }

    private var sections: [Section] {
        let root = CommandShape.root()
        return [
            Section(heading: "TASKS", entries: Self.tasks),
            Section(heading: "COMMANDS", entries: root.map { Self.commands(of: $0, []) } ?? []),
            Section(heading: "OPTIONS", entries: root.map(Self.options) ?? []),
            Section(heading: "PRESETS", entries: presetEntries),
            Section(heading: "TOPICS", entries: Self.topics(typed)),
            Section(heading: "EXIT CODES", entries: Self.codes),
        ]
    }

    private static var tasks: [Entry] {
        var tasks: [Entry] = []
        // Two lines about the list go first; headings are in capitals.
        for line in TasksHelpCommand.list.split(separator: "\n").dropFirst(2) {
            if line.hasPrefix("  ") {
                tasks[tasks.count - 1].lines.append(String(line.dropFirst(2)))
            } else if line.contains(where: \.isLowercase) {
                tasks.append(Entry(title: String(line), lines: [], isToCopy: true))
            }
        }
        return tasks
    }

    private static func commands(of command: CommandShape, _ path: [String]) -> [Entry] {
        command.shown.flatMap { child in
            let path = path + [child.commandName]
            let entry = Entry(
                title: "authctl \(path.joined(separator: " "))", lines: [child.abstract].compactMap(\.self), names: path
            )
            return [entry] + commands(of: child, path)
        }
    }

    /// Each option with its meaning, and the commands that give it that meaning.
    private static func options(of root: CommandShape) -> [Entry] {
        var found: [(title: String, meaning: String, commands: [String])] = []
        func visit(_ command: CommandShape, _ path: [String]) {
            for option in command.options where !["help", "version"].contains(option.key) {
                let names = (option.names ?? []).map(\.text).joined(separator: ", ")
                let title = names + (option.kind == .option ? " <\(option.valueName ?? "value")>" : "")
                let meaning = option.abstract ?? "", name = path.joined(separator: " ")
                if let index = found.firstIndex(where: { $0.title == title && $0.meaning == meaning }) {
                    found[index].commands.append(name)
                } else {
                    found.append((title, meaning, [name]))
                }
            }
            for child in command.shown { visit(child, path + [child.commandName]) }
        }
        visit(root, [])
        return found.map { title, meaning, commands in
            let places = commands.count > most ? "most commands" : commands.joined(separator: ", ")
            return Entry(title: title, lines: [meaning, "(\(places))"])
        }
    }

    private var presetEntries: [Entry] {
        presets.names.compactMap { name in
            guard let preset = try? presets.preset(named: name) else { return nil }
            return Entry(title: name, lines: [SafeText.line(preset.about, limit: 500), preset.command])
        }
    }

    /// The lines of a topic's page that have the words.
    private static func topics(_ typed: [String]) -> [Entry] {
        let pages = [("environment", EnvironmentHelpCommand.table), ("config", ConfigHelpCommand.page)]
        return pages.map { name, page in
            let lines = page.split(separator: "\n").filter { line in
                typed.allSatisfy { line.lowercased().contains($0.lowercased()) }
            }
            let shown = lines.prefix(3).map { $0.split(separator: " ").joined(separator: " ") }
            return Entry(title: "authctl help \(name)", lines: shown)
        } + [Entry(title: "authctl help exit-codes", lines: [ExitCodesCommand.about])]
    }

    private static var codes: [Entry] {
        ExitCode.allCases.map { code in
            let (meaning, advice) = code.words
            return Entry(title: "\(code.rawValue) \(code.name)", lines: [meaning, "→ \(advice)"])
        }
    }
}
