import LoginCore

extension LoginNeed {
    /// The advice within an `exec` that has made a login and not stored it. The usual one, to log in once more, would not
    /// help.
    func nextWithinExec(_ topic: ErrorContext) -> String? {
        guard topic.isWithinUnstoredExec else { return nil }
        switch why {
        case .nothingStored, .sessionRefused, .sessionExpired, .sessionEndsSoon, .noSuchAccount, .noActiveAccount: break
        default: return nil
        }
        return """
            this runs inside an 'authctl exec' whose login is not stored (--ephemeral, or the store none): add \
            --curl-config to that, or log in with a store first
            """
    }
}

extension ErrorContext {
    /// The advice for making a first profile.
    var wayToFirstProfile: String {
        environmentNamesURL
            ? "only login makes one of AUTHCTL_VERIFY_URL, so first: authctl login"
            : "log in with a URL: authctl login https://HOST/PATH"
    }
}
