// Has a program answer where the terminal would ask a person.
//
//     own-delegate PROFILE USER <PASSWORD-FILE
import Glibc
import LoginKit

/// Answers the first question for a password, and says no to everything else.
struct Answering: LoginDelegate {
    let username: String
    let password: Secret

    func answer(_ question: Question) async -> Answer {
        guard case .credential(let challenge) = question, challenge.previousFailureCount == 0 else {
            return question.decline
        }
        return .credential(Credential(username: username, .password(password)))
    }

    func note(_ text: String) { print("note: \(text)") }
}

do {
    let words = CommandLine.arguments
    let delegate = Answering(username: words[2], password: Secret(readLine() ?? ""))
    try await Logins(delegate: delegate).withSession(for: words[1]) { session in
        print("Hello, \(SafeText.escaped(session.identity.displayName)).")
    }
} catch let error as LoginError {
    print("not logged in: \(error.message)")
    exit(error.code.exitStatus)
}
