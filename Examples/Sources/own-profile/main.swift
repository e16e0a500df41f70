// Logs in to a service of the program's own, with a profile that no configuration file has.
//
//     own-profile ORIGIN FOLDER
import Glibc
import LoginKit

guard CommandLine.arguments.count == 3 else {
    print("usage: own-profile ORIGIN FOLDER")
    exit(LoginError.Code.usage.exitStatus)
}
do {
    let service = try Profile(
        "own-profile",
        toml: """
            url    = "\(CommandLine.arguments[1])"
            verify = { get = "/account/verify_credentials.json" }
            """)
    try await Logins(folder: CommandLine.arguments[2]).withSession(for: service) { session in
        print("Hello, \(SafeText.escaped(session.identity.displayName)).")
    }
} catch let error as LoginError {
    print("own-profile: \(error.message)")
    exit(error.code.exitStatus)
}
