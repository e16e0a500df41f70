import LoginCore

extension Service {
    /// Chooses, from what the server offers and the profile accepts, how the credential is sent.
    ///
    /// A weaker method than configured is refused, so that nobody on the way can ask for the password in clear.
    func chosenSpace(_ offered: [AuthenticateChallenge], status: Int) throws(LoginError) -> ProtectionSpace {
        guard profile.answersChallenges else {
            let method: AuthenticationMethod = profile.methods.contains(.cookie) ? .cookie : .token
            return ProtectionSpace(origin: endpoint.origin, realm: offered.first?.realm, method: method)
        }
        let accepted = options.pinnedMethod.map { [$0] } ?? profile.methods
        if accepted.contains(.basic) || accepted.contains(.auto) {
            if let basic = offered.first(where: { $0.scheme == "basic" }) {
                return ProtectionSpace(origin: endpoint.origin, realm: basic.realm, method: .basic)
            }
            // A profile that names Basic needs no challenge: some servers leave it out of their 401.
            if offered.isEmpty && accepted.contains(.basic) {
                return ProtectionSpace(origin: endpoint.origin, method: .basic)
            }
        }
        if offered.isEmpty { throw .usage(.noChallenge(url: verifyURL, status: status)) }
        let schemes = offered.map(\.scheme)
        let isLater = schemes.contains { scheme in
            Self.laterMethods.contains { $0.rawValue == scheme && (accepted.contains($0) || accepted.contains(.auto)) }
        }
        if isLater {
            throw .usage(.notYet(feature: "the methods that this server offers (\(SafeText.list(schemes)))"))
        }
        throw .untrusted(.weakerMethod(offered: schemes, accepted: accepted))
    }

    private static let laterMethods: [AuthenticationMethod] = [.digest, .negotiate]
}
