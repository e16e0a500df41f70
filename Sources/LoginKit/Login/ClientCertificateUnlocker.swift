import LoginCore
import Secrets

/// The client certificate of a profile, opened for one run.
struct ClientCertificateUnlocker {
    let context: LoginContext
    let profile: Profile
    let request: LoginRequest

    /// Where the certificate alone is the proof, its common name is the account, and a login needs nobody: what it is run
    /// with then is settled here.
    /// - Parameter keeper: of the account that a request means.
    /// - Returns: `nil` if the profile names no certificate.
    func applied(
        to request: inout LoginRequest, keeper: (LoginRequest) -> StoreKeeper
    ) throws(LoginFault) -> ClientIdentity? {
        let former = keeper(request)
        let opened = try open { () throws(LoginFault) in try former.fill() }
        if profile.traits.isProvedByCertificate, let opened { try logIn(with: opened, &request, keeper) }
        return opened
    }

    private func logIn(
        with identity: ClientIdentity, _ request: inout LoginRequest, _ keeper: (LoginRequest) -> StoreKeeper
    ) throws(LoginFault) {
        if let named = request.username, !named.isSame(as: identity.commonName) {
            throw request.mayUseCertificate
                ? .usage(
                    .other("the certificate belongs to \(SafeText.quoted(identity.commonName)), not to the user of -u"))
                : .loginRequired(LoginNeed(why: .noSuchAccount(username: named, known: [identity.commonName])))
        }
        request.username = identity.commonName
        guard request.mayUseCertificate else { return }
        request.policy.mayAsk = false
        let isStored = try keeper(request).fill().session != nil
        if request.policy.force || !isStored {
            request.supplied = Credential(
                username: identity.commonName, .certificate(passphrase: identity.passphrase))
            request.policy.hasSuppliedCredential = true
        }
    }

    /// - Parameter stored: what is kept of the account, asked for only if a passphrase is needed.
    /// - Returns: `nil` if the profile names no certificate.
    private func open(stored: () throws(LoginFault) -> StoredLogin) throws(LoginFault) -> ClientIdentity? {
        guard let file = profile.settings.certificate else {
            if profile.traits.isProvedByCertificate { throw .usage(.clientCertificate(.notNamed)) }
            return nil
        }
        let files = try KeyFile.files(certificate: file, key: profile.settings.key)
        let identity = try unlock(files, stored)
        if profile.traits.isProvedByCertificate, identity.commonName.isEmpty {
            throw .usage(.clientCertificate(.nameless(file: file)))
        }
        return identity
    }

    private func unlock(
        _ files: ClientCertificateFiles, _ stored: () throws(LoginFault) -> StoredLogin
    ) throws(LoginFault) -> ClientIdentity {
        let now = context.dependencies.clock.now()
        let name = profile.settings.key ?? profile.settings.certificate ?? ""
        let supplied = profile.givenPassphrase == .certificate ? request.passphrase : nil
        let unlocker = KeyUnlocker(
            context: context, request: request, file: name, supplied: supplied, mayAsk: context.mayAsk)
        return try unlocker.unlock(
            kept: { () throws(LoginFault) in try keptPassphrase(stored) },
            open: { (passphrase) throws(LoginFault) in try files.open(passphrase: passphrase, now: now) })
    }

    private func keptPassphrase(_ stored: () throws(LoginFault) -> StoredLogin) throws(LoginFault) -> Secret? {
        let stored = try stored()
        return profile.traits.isProvedByCertificate ? stored.session?.passphrase : stored.extraSecrets[.passphrase]
    }
}
