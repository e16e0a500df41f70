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

    /// Short, so that the answer behind it is seen on a narrow terminal.
    static let label = "Allow? [y/a/N] "
    static let shortLegend = "y: once. a: this rule. n: no."
    static let legend = "y: once. a: always for this rule, until the command ends. n or Return: no."
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

    /// A question that went away without an answer from here.
    static func ended(_ answer: ServeAnswer) -> String {
        switch answer {
        case .yes, .yesForRule, .no: "Answered in another terminal. \(result(answer))"
        case .withdrawn, .timedOut: result(answer)
        }
    }

    package static let needsTerminal =
        "'approve' asks a person, so it needs a terminal, and AUTHCTL_NO_PROMPT not to be set"
    static let otherVersion =
        "warning: a running command uses another version of authctl; its requests cannot be approved from here"
}
