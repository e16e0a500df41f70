import Glibc
import LoginCore
import LoginKit

extension Invocation {
    /// Where the bytes of an answer end up.
    func bodyWriter(path: String?, _ profile: Profile) throws(LoginFault) -> BodyWriter {
        try BodyWriter(
            streams, path: path, isTerminal: context.dependencies.isTerminal(STDOUT_FILENO), patience: patience(profile)
        )
    }

    /// The time limit for one wait for a pipe, in seconds: that of the request.
    func patience(_ profile: Profile) -> Int {
        options.timeout ?? profile.settings.timeout ?? TransportSettings.longestTransfer
    }

    /// Only for a terminal that the answer does not go to, and that may have a line that moves.
    func transferProgress(of writer: BodyWriter) -> TransferProgress? {
        guard !writer.isShownOnTerminal, !options.quiet, context.dependencies.isTerminal(STDERR_FILENO),
            context.dependencies.environment.allowsMovement
        else { return nil }
        return TransferProgress(streams, columns: context.dependencies.columns(STDERR_FILENO))
    }
}
