// Greets whoever is logged in to a profile of the person's own config.toml, and nobody else.
//
//     configured-gate PROFILE
import Glibc
import LoginCore
import LoginKit

do {
    try await Logins().gate(CommandLine.arguments.dropFirst().first) { session in
        print("Hello, \(SafeText.escaped(session.identity.displayName)).")
    }
} catch let error as LoginError {
    print("not logged in: \(error.summary)")
    exit(error.exitCode.rawValue)
}
