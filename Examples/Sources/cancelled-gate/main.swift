// Waits for a login for so long, and no longer.
//
//     cancelled-gate PROFILE SECONDS
import Glibc
import LoginCore
import LoginKit

let words = CommandLine.arguments
let login = Task {
    try await Logins().gate(words[1]) { session in
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
    exit(ExitCode.expired.rawValue)
} catch let error as LoginError {
    print("not logged in: \(error.summary)")
    exit(error.exitCode.rawValue)
}
alarm.cancel()
