import Foundation
@testable import LoginTestSupport

/// One of the commands of a soak, with the codes that it may end with while one answer in five fails.
struct SoakCommand: Sendable, CustomStringConvertible {
    static let passwords = ["ann": "correct horse", "bob": "pä:ss%wörd&+\"\\ünïcode"]

    let words: [String]
    let user: String
    let codes: Set<Int32>
    /// What standard output holds after a 0, as far as that is known.
    var output: String?

    var description: String { words.joined(separator: " ") }
    var input: String { words.contains("--password-stdin") ? Self.passwords[user] ?? "" : "" }

    /// The commands, weighted by how often they stand here; those of the second account end and begin its session.
    ///
    /// Everywhere: 6 for a lost answer, 12 for 429 and 500. 4 for the first account is judged by the soak.
    static let mixed: [SoakCommand] = {
        let ann = { (words: String, codes: Set<Int32>, output: String?) in
            SoakCommand(words: words.split(separator: " ").map(String.init), user: "ann", codes: codes, output: output)
        }
        let bob = { (words: String, codes: Set<Int32>) in
            SoakCommand(words: words.split(separator: " ").map(String.init), user: "bob", codes: codes)
        }
        let name = "@ann:demo.invalid"
        let body = "{\"user_id\":\"\(name)\"}"
        return [
            ann("whoami chat -u ann", [0, 4, 6, 12], name + "\n"), ann("whoami wire", [0, 6, 12], "ann\n"),
            ann("whoami chat -u ann --json", [0, 4, 6, 12], nil),
            ann("token chat -u ann", [0, 4, 6, 12], nil), ann("token chat -u ann", [0, 4, 6, 12], nil),
            ann("token chat -u ann --verify", [0, 4, 6, 12], nil), ann("token wire --header", [0], nil),
            // 11: the 500 of the request itself, whose body is handed on.
            ann("request GET /account/whoami -P chat -u ann", [0, 4, 6, 11, 12], body),
            ann("request GET /account/whoami -P chat -u ann", [0, 4, 6, 11, 12], body),
            // There is no such place to post to: 404, whatever the session.
            ann("request POST /rooms -P chat -u ann -d hello", [4, 6, 11, 12], nil),
            ann("request GET /account/verify_credentials.json -P wire", [0, 6, 11, 12], nil),
            ann("status chat -u ann", [0, 4, 6, 12], nil), ann("status chat -u ann --offline", [0, 4], nil),
            // 100 more where the command never ran.
            ann("exec -P chat -u ann -- /usr/bin/printenv AUTHCTL_USERNAME", [0, 104, 106, 112], "ann\n"),
            ann("exec -P wire -- /bin/false", [1, 106, 112], nil),
            // Stored and good: no question; ended for good: a login with the password.
            ann("login chat -u ann --password-stdin", [0, 6, 12], ""),
            bob("whoami chat -u bob", [0, 4, 6, 12]), bob("token chat -u bob", [0, 4, 6, 12]),
            bob("login chat -u bob --password-stdin", [0, 6, 12]), bob("logout chat -u bob", [0, 15]),
        ]
    }()
}

/// One that was run.
struct SoakRun: Sendable, CustomStringConvertible {
    let command: SoakCommand
    let result: CommandResult

    var description: String { "\(command): \(result.ending), \(result.output)\(result.error)" }

    /// A code that is allowed; a result with 0 and with nothing else, but for the body of a request; and words with every
    /// other code.
    var isRight: Bool {
        guard let code = result.code, command.codes.contains(code) else { return false }
        if code == 0 { return command.output.map { $0 == result.output } ?? true }
        if command.words.last == "/bin/false", code == 1 {
            return result.outputBytes.isEmpty && result.errorBytes.isEmpty
        }
        let mayPrint = ["request", "status"].contains(command.words[0]) || command.words.contains("--json")
        // The table of status says what is wrong.
        return (mayPrint || result.outputBytes.isEmpty) && (!result.errorBytes.isEmpty || command.words[0] == "status")
    }
}

/// All of them.
struct SoakReport {
    let runs: [SoakRun]
    let seconds: Double

    /// - Parameter workers: each runs one command after the other, and takes the next of a row that is the same every time.
    static func collect(_ count: Int, workers: Int, of authctl: Installation) async throws -> SoakReport {
        let (program, folder, environment) = (authctl.program, authctl.folder, authctl.environment)
        let begun = Date()
        let runs = try await withThrowingTaskGroup(of: [SoakRun].self) { group in
            for worker in 0..<workers {
                group.addTask {
                    try await Crowd.onThread {
                        try stride(from: worker, to: count, by: workers).map { number in
                            // 7 and 20 share no divisor with each other: every worker meets every command.
                            let command = SoakCommand.mixed[(number * 7 + number / 20) % SoakCommand.mixed.count]
                            let spec = ChildSpec(program, command.words, environment: environment, directory: folder)
                            let result = try Command.run(spec, input: Array(command.input.utf8), within: 120)
                            return SoakRun(command: command, result: result)
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        return SoakReport(runs: runs, seconds: Date().timeIntervalSince(begun))
    }

    func print() {
        let codes = Dictionary(grouping: runs) { $0.result.code ?? -1 }.mapValues(\.count).sorted { $0.key < $1.key }
        Swift.print(
            "A soak of \(runs.count) commands in \(Int(seconds)) s:",
            codes.map { "\($0.value)× \($0.key)" }.joined(separator: ", "))
        for (method, all) in Dictionary(grouping: runs, by: { $0.command.words[0] }).sorted(by: { $0.key < $1.key }) {
            let good = all.filter { $0.result.code == 0 }.count
            Swift.print("  \(method): \(all.count), of which \(good) with 0")
        }
    }
}
