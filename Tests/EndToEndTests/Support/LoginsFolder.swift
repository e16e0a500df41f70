import Foundation
@testable import LoginTestSupport

extension TemporaryHome {
    /// A folder as `Logins` takes it, with the demo server's profiles. Its store is a file: the kernel's keyring would
    /// outlive the test.
    /// - Returns: its path.
    func makeLogins(at demo: DemoBackendProcess) throws -> String {
        try write("store = \"plaintext\"\n" + demo.profiles(), to: "logins/config.toml")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path + "/logins")
        return path + "/logins"
    }

    /// Whether that folder keeps a login to blog. What was tried before a question leaves an empty file.
    func keepsBlog() throws -> Bool { try read("logins/plaintext.json").contains("blog") }
}

extension DemoBackendProcess {
    /// The demo's own profile of that name has no logout, so that the demo shows what is said then.
    var blogWithLogout: String {
        """
        [profiles.blog]
        url    = "\(origin)"
        method = "cookie"
        login  = { post = "/users/login", json = { name = "{username}", password = "{password}" } }
        verify = { get = "/users/me", username = "/name", logged-out = [401, 403] }
        logout = { post = "/users/logout" }
        """
    }
}
