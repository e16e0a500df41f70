import Foundation
@testable import LoginTestSupport
import Testing

/// FastAPI Users answers every logout with 204, whether or not the session ends with it.
@Suite(.onOwnThreads, PresetServer.required) struct `At FastAPI Users` {
    let server: PresetServer
    let authctl: Installation

    init() throws {
        server = try PresetServer("fastapi-users", ready: "/users/me")
        let origin = "http://127.0.0.1:\(server.port)"
        let form = #"form = { username = "{username}", password = "{password}" }, refused = [400]"#
        authctl = try Installation(
            config: """
                [profiles.jwt]
                url    = "\(origin)"
                method = "token"
                login  = { post = "/jwt/login", \(form), token = "/access_token" }
                verify = { get = "/users/me", username = "/email" }
                logout = { post = "/jwt/logout" }

                [profiles.cookie]
                url    = "\(origin)"
                method = "cookie"
                login  = { post = "/cookie/login", \(form) }
                verify = { get = "/users/me", username = "/email" }
                logout = { post = "/cookie/logout" }

                """)
    }

    @Test(arguments: [
        ("jwt", "the server still accepts the access token. The access token stays valid at the server for", 200),
        ("cookie", "session ended at the server", 401),
    ])
    func `a logout says whether the server still accepts the session, and curl agrees`(
        profile: String, words: String, status: Int
    ) throws {
        let login = ["login", profile, "-u", "ada@example.org", "--password-stdin"]
        let wrong = try authctl.run(login, input: "Wrong-Horse-7\n")
        #expect(wrong.code == 3, "\(wrong.error)")
        #expect(wrong.error.contains("LOGIN_BAD_CREDENTIALS"), "\(wrong.error)")
        let right = try authctl.run(login, input: PresetServer.password + "\n")
        #expect(right.code == 0, "\(right.error)")
        #expect(try authctl.run("whoami", profile).output == "ada@example.org\n")
        let session = try authctl.file("session", authctl.run("token", "--header", profile).output)
        let page = "http://127.0.0.1:\(server.port)/users/me"
        #expect(try Curl("-H", "@" + session, page).status == 200)
        let logout = try authctl.run("logout", profile)
        // What only lives to its end is no failure of the logout.
        #expect(logout.code == 0, "\(logout.error)")
        #expect(logout.error.contains(words), "\(logout.error)")
        #expect(try Curl("-H", "@" + session, page).status == status)
    }
}
