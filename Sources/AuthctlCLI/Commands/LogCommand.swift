import ArgumentParser
import Glibc
import LoginKit

/// `authctl log [PROFILE or FILE]`
struct LogCommand: BasicCommand, PlainCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "log",
        abstract: "Show what 'exec --serve' and 'mcp' have sent.",
        discussion: """
            Reads the log that a profile with 'log = true' has, or a file that --log of exec or mcp has written.

            Examples:
              authctl log wiki --since 1h
              authctl log ./agent.jsonl
              authctl log wiki --json
            """)
    static let mayUnlock = false

    @Argument(help: ArgumentHelp("A profile, or a file that --log has written.", valueName: "profile-or-file"))
    var source: String?

    @Option(help: ArgumentHelp("Only what is not older than this, such as 1h.", valueName: "time"))
    var since: String?

    @Flag(help: .json) var json = false
    @OptionGroup var basic: BasicOptions

    /// A century, in seconds.
    private static let longest: Int64 = 36_500 * 86_400

    /// The age of the oldest entry, in seconds.
    private var age: Int64? { since.flatMap { TimeSpan.seconds($0, most: Self.longest) } }

    func validate() throws {
        if since != nil, age == nil {
            throw ValidationError("--since must be a number with a unit (s, m, h or d), such as 1h.")
        }
    }

    func perform(_ invocation: Invocation) throws(LoginFault) {
        let context = invocation.context, streams = invocation.streams
        let begin = age.map { context.dependencies.clock.now() - $0 }
        guard var reader = try self.reader(invocation) else {
            if printsJSON { try streams.result("[]") }
            return
        }
        var output = ServeLogOutput(streams, printsJSON: printsJSON)
        var rows = ServeLogRows(since: begin)
        while let line = try reader.next() {
            if case .warned(let text, let time, _) = line, time >= begin ?? time {
                context.person.warn("\(LocalTime.stamp(of: time)): \(SafeText.line(text, limit: 2000))")
            }
            for row in rows.take(line) { try output.add(row) }
        }
        for row in rows.rest() { try output.add(row) }
        try output.finish()
        if reader.damaged > 0 {
            invocation.say("authctl: \(reader.damaged) incomplete line\(reader.damaged == 1 ? "" : "s") left out")
        }
    }

    /// - Returns: `nil` for a profile that keeps no log, after saying so.
    private func reader(_ invocation: Invocation) throws(LoginFault) -> ServeLogReader? {
        let context = invocation.context
        // No profile has a slash in its name.
        if let source, source.contains("/") || context.profiles.source(of: source) == nil && access(source, F_OK) == 0 {
            return try ServeLogReader(file: source)
        }
        let name = try context.selection.profile(source).name
        if let reader = try ServeLogReader(of: name, in: context.paths) { return reader }
        let profile = SafeText.escaped(name)
        invocation.say("\(profile) has no log. To keep one, put this into the profile: serve = { log = true }")
        return nil
    }
}
