@testable import LoginTestSupport

extension DemoBackendProcess {
    /// A profile of the service that takes a code beside the password.
    /// - Parameter login: further keys of its login request.
    func vaultProfile(_ name: String = "vault", login: String = "") -> String {
        """
        [profiles.\(name)]
        url    = "\(origin)/vault"
        method = "token"
        verify = { get = "/me", username = "/username" }
        [profiles.\(name).login]
        post   = "/token"
        header = "X-OTP: {otp}"
        json   = { username = "{username}", password = "{password}" }
        token  = "/token"
        \(login)

        """
    }

    /// How that service says that it wants a code.
    static let vaultWantsCode = #"second-factor = [{ status = 401, "/message" = "OTP*" }]"#
}
