import LoginCore

/// The sentences about questions of `exec --serve`, on both sides.
package enum ApprovalWords {
    static func waiting(_ profile: String) -> String {
        "waiting for approval: \(ShellCommand("authctl", "approve", profile))"
    }

    /// - Parameter problem: a sentence without its end.
    static func cannotAsk(_ problem: String) -> String {
        "warning: nobody can be asked for approval, so those requests are refused: \(problem)"
    }

    /// - Parameter profile: `nil` for all.
    static func ready(_ profile: String?) -> String {
        let whose = profile.map { " of \(SafeText.escaped($0))" } ?? ""
        return "Waiting for requests\(whose) to approve. Ctrl-C ends this; running commands go on."
    }

    static func lines(of question: ServeQuestion, profile: String, pid: Int32) -> [String] {
        let command = SafeText.quoted(question.command, limit: 100)
        return [
            "",
            "\(SafeText.escaped(profile)): \(command) (process \(pid) of authctl) asks to send",
            "  \(SafeText.line(question.method, limit: 40)) \(SafeText.quoted(url: question.url, limit: 2000))",
            "  Rule: \(SafeText.line(question.rule, limit: 200))",
        ]
            + question.further.map { "  It may also do: \(SafeText.quoted(url: $0, limit: 2000))" }
            + body(question.body) + [legend]
    }

    private static func body(_ body: ServeQuestion.Body) -> [String] {
        switch body {
        case .none: ["  No body."]
        case .text(let text, let length):
            ["  Body\(size(text, of: length)): \"\(SafeText.line(text, limit: 4000))\""]
        case .other(let type, let length):
            [
                "  Body, \(length.map { "\($0) bytes" } ?? "of unknown length"), not text: \(SafeText.quoted(type, limit: 100))"
            ]
        }
    }

    private static func size(_ text: String, of length: Int64?) -> String {
        guard let length else { return ", its first bytes" }
        return length <= 512 ? ", \(length) bytes" : ", first 512 of \(length) bytes"
    }

    /// Short, so that the answer behind it is seen on a narrow terminal.
    static let label = "Allow? [y/a/N] "
    private static let legend = "y: once. a: always for this rule, until the command ends. n or Return: no."
    static let unclear = "Type y, a or n, then Return. Pasted text is ignored."

    static func result(_ answer: ServeAnswer) -> String {
        switch answer {
        case .yes: "Allowed once."
        case .yesForRule: "Allowed for this rule until the command ends."
        case .no: "Refused."
        case .withdrawn: "The request was withdrawn."
        case .timedOut: "Too late: the request was refused."
        }
    }

    package static let needsTerminal =
        "'approve' asks a person, so it needs a terminal, and AUTHCTL_NO_PROMPT not to be set"
    static let otherVersion =
        "warning: a running command uses another version of authctl; its requests cannot be approved from here"
}
