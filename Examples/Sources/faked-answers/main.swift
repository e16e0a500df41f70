import LoginKit

// How a program tests its own part of a login, without a service: what LoginKit would hand it is made by hand.

/// A delegate, as a program might have one.
struct FormDelegate: LoginDelegate {
    func answer(_ question: Question) async -> Answer {
        switch question {
        case .credential(let challenge) where challenge.attempt == 1:
            .credential(Credential(username: challenge.proposedUsername ?? "ann", .password(Secret("correct horse"))))
        case .code(let request) where request.attempt == 1: .code(Secret("123456"))
        default: question.decline
        }
    }

    func open(_ login: BrowserLogin) async -> Bool { login.url.hasPrefix("https://id.example/") }
}

/// What a program says to its person about an error.
func words(for error: LoginError) -> String {
    error.code == .busy ? "The service is busy; \(error.advice ?? "wait")." : "It failed: \(error.message)."
}

let origin = Origin(scheme: "https", host: "blog.example", port: 443)
let space = ProtectionSpace(origin: origin, realm: "Blog", method: .basic)
let first = Challenge(profile: "blog", protectionSpace: space, fields: [.username, .password], proposedUsername: "bob")
let second = Challenge(
    profile: "blog", protectionSpace: space, fields: [.username, .password], proposedUsername: "bob",
    previousFailureCount: 1, attempt: 2, reason: .refused(Refusal(status: 401, words: "Wrong password")))
let delegate = FormDelegate()
guard case .credential(let credential, code: nil) = await delegate.answer(.credential(first)),
    credential.username == "bob",
    await delegate.answer(.credential(second)) == .declined,
    await delegate.answer(.code(CodeRequest(profile: "blog", origin: origin))) == .code(Secret("123456")),
    await delegate.answer(.code(CodeRequest(profile: "blog", origin: origin, attempt: 2))) == .declined,
    await delegate.open(
        BrowserLogin(profile: "blog", server: "https://id.example", url: "https://id.example/authorize?state=x"))
else { fatalError("the delegate does not answer as it should") }

let response = SessionResponse(
    status: 201, headers: [("Content-Type", "application/json")], body: Array("[\"hi\"]".utf8))
guard response.isSuccess, response.value(of: "content-type") == "application/json", try response.decoded() == ["hi"],
    words(for: LoginError(.busy, message: "busy (status 503)", advice: "wait 5 seconds"))
        == "The service is busy; wait 5 seconds.",
    LoginError(.network, message: "no answer") == LoginError(.network, message: "no answer")
else { fatalError("a response or an error is not as it was made") }

// What is there, without a question and without a request: `faked-answers FOLDER`.
if CommandLine.arguments.count > 1 {
    let logins = try Logins(folder: CommandLine.arguments[1], delegate: delegate)
    let made = try Profile("mine", toml: "url = \"https://blog.example\"\nverify = { get = \"/me\" }")
    print(try await logins.isLoggedIn(made), try logins.identities(of: made).count)
} else {
    print("good")
}
