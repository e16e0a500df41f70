import LoginKit

/// The end of a run of the program.
enum Ending {
    case code(ExitCode)
    /// `exec`: its command never ran, or has ended with this.
    case status(Int32)
    /// `exec`: its command was ended by this signal.
    case signal(Int32)
    /// `exec`: its command takes the place of this process, once nothing secret is left in it.
    case become(ProgramImage)

    /// The exit status.
    /// - Parameters:
    ///   - becoming: lets the command take the place of this process; returns only with the status of having failed.
    ///   - dying: ends this process by a signal; returns, if ever, what a shell would show of that.
    func status(becoming: (ProgramImage) -> Int32, dying: (Int32) -> Int32) -> Int32 {
        switch self {
        case .code(let code): code.rawValue
        case .status(let status): status
        case .signal(let number): dying(number)
        case .become(let image): becoming(image)
        }
    }
}

extension ExitCode: Encodable {}

extension Ending {
    /// The codes of `exec`, which keep authctl's failures apart from those of its command.
    var ofExec: Ending {
        switch self {
        // The login failed, and the command never ran.
        case .code(let code) where code != .ok: .status(100 + code.rawValue)
        case .code, .status, .signal, .become: self
        }
    }
}
