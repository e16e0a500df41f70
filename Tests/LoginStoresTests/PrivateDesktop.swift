@testable import LoginKit
@testable import LoginTestSupport

/// The one private bus of this test process: a process has one session bus.
enum PrivateDesktop {
    static let shared = Result { try Running() }

    /// Unchecked: what is shared are an address and programs that run by themselves.
    struct Running: @unchecked Sendable {
        let keyring: KeyringSession
        var session: DesktopSession {
            let address = keyring.address
            return DesktopSession { address[$0] }
        }

        init() throws { keyring = try KeyringSession() }
    }
}
