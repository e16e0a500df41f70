// Logs in with OAuth where the program itself shows the URL or the code: in a window, say. This one prints them.
//
//     browser-login PROFILE
import Glibc
import LoginKit

/// Shows where to approve a login, and answers no other question.
struct Window: LoginDelegate {
    func answer(_ question: Question) async -> Answer { question.decline }

    func open(_ login: BrowserLogin) async -> Bool {
        print("To log in to \(login.profile), open \(login.url)")
        fflush(nil)
        return true
    }

    func show(_ login: DeviceLogin) async -> Bool {
        print("To log in to \(login.profile), enter \(login.code) at \(login.url)")
        fflush(nil)
        return true
    }

    func agree(to server: AuthorizationServerQuestion) async -> Bool { false }
}

do {
    try await Logins(delegate: Window()).withSession(for: CommandLine.arguments.dropFirst().first) { session in
        print("Hello, \(SafeText.escaped(session.identity.displayName)).")
    }
} catch let error as LoginError {
    switch error.code {
    case .loginRequired: print("nobody approved the login: \(error.message)")
    case .untrusted: print("not safe: \(error.message)")
    default: print("not logged in: \(error.message)")
    }
    exit(error.code.exitStatus)
}
