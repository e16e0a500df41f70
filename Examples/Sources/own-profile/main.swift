// Greets whoever is logged in at a service that the program knows by itself: no configuration, and a folder of its own for what
// is kept.
//
//     own-profile ORIGIN FOLDER
import Glibc
import LoginCore
import LoginKit

guard CommandLine.arguments.count == 3 else {
    print("usage: own-profile ORIGIN FOLDER")
    exit(ExitCode.usage.rawValue)
}
let service = Profile(
    name: "own-profile", url: CommandLine.arguments[1],
    verify: RequestRule(method: "GET", path: Template(literal: "/account/verify_credentials.json")))

do {
    try await Logins(folder: CommandLine.arguments[2]).gate(service) { session in
        print("Hello, \(SafeText.escaped(session.identity.displayName)).")
    }
} catch let error as LoginError {
    print("own-profile: \(error.summary)")
    exit(error.exitCode.rawValue)
}
