// Greets whoever is logged in to a profile of the person's own config.toml, and nobody else.
//
//     configured-login PROFILE
import Glibc
import LoginKit

do {
    try await Logins().withSession(for: CommandLine.arguments.dropFirst().first) { session in
        print("Hello, \(SafeText.escaped(session.identity.displayName)).")
    }
} catch let error as LoginError {
    print("not logged in: \(error.message)")
    exit(error.code.exitStatus)
}
