// Waits for a login for so long, and no longer.
//
//     cancelled-login PROFILE SECONDS
import Glibc
import LoginKit

let words = CommandLine.arguments
let login = Task {
    try await Logins().withSession(for: words[1]) { session in
        print("Hello, \(SafeText.escaped(session.identity.displayName)).")
    }
}
let alarm = Task {
    try await Task.sleep(for: .seconds(Int(words[2]) ?? 10))
    login.cancel()
}
do {
    try await login.value
} catch is CancellationError {
    print("nobody logged in in time")
    exit(LoginError.Code.expired.exitStatus)
} catch let error as LoginError {
    print("not logged in: \(error.message)")
    exit(error.code.exitStatus)
}
alarm.cancel()
