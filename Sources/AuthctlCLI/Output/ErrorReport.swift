import LoginKit

/// The output of `--json` for a failure.
struct ErrorReport: Encodable {
    struct Facts: Encodable {
        let code: String
        let exit: ExitCode
        let message: String
        let profile: String?
        let next: String?
    }

    let error: Facts

    init(_ error: LoginFault, about topic: ErrorContext) {
        let message = error.message(about: topic)
        self.error = Facts(
            code: error.exitCode.name, exit: error.exitCode,
            message: ([message.what] + message.details).joined(separator: "; "),
            profile: topic.profile,
            next: message.next.isEmpty ? nil : message.next)
    }
}
