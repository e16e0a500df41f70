extension LoginFlow {
    /// The caller's settings, and the credentials it already has. The defaults are a login of a person who may be asked and has
    /// given nothing.
    package struct Policy: Equatable, Sendable {
        /// Credentials that a person may try.
        package var maxAttempts = 3
        /// The largest number of blank answers in a row.
        var maxBlanks = 10
        /// Whether a person may be asked.
        var mayAsk = true
        /// Whether a person is asked although something usable is stored.
        package var force = false
        /// A credential was given by option, variable or command: tried before the stored one, with no question after.
        var hasSuppliedCredential = false
        /// So was the code of a second factor: tried once, with no question about it after.
        var hasSuppliedCode = false
        /// Seconds to wait in all for an approval on another device.
        package var patience = 300
        /// There may be a ticket, so the server is asked even without a person.
        var mayUseTicket = false
        /// The login proves itself, as a machine's does: it needs nobody.
        var provesItself = false
        /// Refresh what is stored before it is verified, since its end is too near; what has ended is refreshed anyway.
        var refreshesFirst = false
        /// The server has just refused the stored session, or has answered it with what judges nothing: it is refreshed or given up, not
        /// verified once more.
        var sessionRefusal: Refusal?
        /// The policy for a certificate that does not verify.
        package var trust = TrustPolicy()
        /// The methods for which no person is asked.
        var declines: Set<AuthenticationMethod> = [.certificate]
    }

    /// The profile and the user of a login, repeated in every challenge.
    struct Subject: Equatable, Sendable {
        /// The profile's name.
        let profile: String
        /// As the profile tells it, until the server has named it.
        var protectionSpace: ProtectionSpace
        /// The fields that a person is asked for.
        let fields: [CredentialField]
        /// The accounts that are stored.
        var accounts: [Identity] = []
        /// The one among them that is meant, by the name typed; `nil` if that is left open.
        var account: String?
        /// The URL of a page where a person can register.
        var signup: String?
        /// Whether the password is the secret of a machine's client.
        var asksForClientSecret = false
        /// The name that a login in a browser has to come out as.
        var wanted: String?
    }
}

extension LoginFlow.State {
    /// The step with a stored session or the question, or else the case alone.
    var name: String {
        if case .judging(let session) = self { return session.step.rawValue }
        if case .awaiting(let question, _) = self { return question.name }
        return caseName
    }
}
