// Publishes a post. Whoever is not logged in, or not any more, logs in first, and the same post is sent once more.
//
//     replayed-request PROFILE TEXT
import Glibc
import LoginKit

do {
    let words = CommandLine.arguments.dropFirst()
    let answer = try await Logins().send(.post("/posts", json: ["text": words.last]), to: words.first)
    print("\(answer.status): \(SafeText.escaped(answer.text))")
} catch let error as LoginError {
    print("not published: \(error.message)")
    exit(error.code.exitStatus)
}
