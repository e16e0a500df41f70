import Glibc
import LoginCore
import LoginKit
import Secrets

/// The input of authctl as a helper of another program, bounded in length and in time.
struct HelperInput {
    /// Whether a blank line ends it, too.
    let endsWithBlankLine: Bool
    /// In seconds.
    let patience: Int

    func read(_ descriptor: Int32 = STDIN_FILENO) throws(LoginFault) -> Secret {
        do throws(SecretFile.Problem) {
            return try bytes(descriptor)
        } catch {
            let fault: HelperRequestFault =
                switch error {
                case .cannotRead(let errno): .unreadable(errno: errno)
                case .tookTooLong: .tookTooLong(seconds: patience)
                case .tooLong, .furtherLines: .tooLong(limit: GitCredentialRequest.limit)
                }
            throw .usage(.helperRequest(fault))
        }
    }

    private func bytes(_ descriptor: Int32) throws(SecretFile.Problem) -> Secret {
        let wait = InputWait(descriptor: descriptor, deadline: .now.advanced(by: .seconds(patience)))
        var builder = SecretBuilder(limit: GitCredentialRequest.limit)
        var isAtLineStart = true
        try SecretFile.eachByte(of: descriptor, waiting: wait) { (byte) throws(SecretFile.Problem) in
            let isLineEnd = byte == UInt8(ascii: "\n")
            if isLineEnd && isAtLineStart && endsWithBlankLine { return false }
            isAtLineStart = isLineEnd
            do throws(SecretBuilder.LimitExceeded) { try builder.append(byte) } catch { throw .tooLong }
            return true
        }
        return builder.finish()
    }
}

extension Invocation {
    /// Reads standard input for one of the two protocols.
    func helperInput(endsWithBlankLine: Bool) throws(LoginFault) -> Secret {
        try HelperInput(
            endsWithBlankLine: endsWithBlankLine, patience: options.timeout ?? PasswordCommand.patience
        ).read()
    }
}
