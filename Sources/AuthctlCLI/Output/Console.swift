import LoginKit
import Glibc

/// The streams and arguments of a command.
struct Console {
    var streams: Streams
    /// The environment for the command of an `exec`, taken before any library changes it.
    var inherited: () -> ProgramEnvironment = { .inherited() }
    /// The arguments of the program byte for byte, each with its NUL.
    var arguments: () -> [[CChar]] = { ProgramArguments.bytes }

    /// The real one.
    static func real() -> Console { Console(streams: .standard) }
}
