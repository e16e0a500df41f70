import LoginKit
import Glibc

/// What a command has of its own beside the world of logins: where it talks, and how it was called.
struct Console {
    var streams: Streams
    /// What the command of an `exec` inherits, as long as no library was opened that changes it.
    var inherited: () -> ProgramEnvironment = { .inherited() }
    /// The arguments of the program byte for byte, each with its NUL.
    var arguments: () -> [[CChar]] = { ProgramArguments.bytes }

    /// The real one.
    static func real() -> Console { Console(streams: .standard) }
}
