import LoginKit

/// A failure in the output of `--json`, as the member `error`.
struct ErrorReport: Encodable {
    let code: String
    let exit: ExitCode
    let message: String
    let profile: String?
    let next: String?

    init(_ error: LoginFault, about topic: ErrorContext) {
        let words = error.message(about: topic)
        (code, exit, profile) = (error.exitCode.name, error.exitCode, topic.profile)
        message = ([words.what] + words.details).joined(separator: "; ")
        next = words.next.isEmpty ? nil : words.next
    }
}
