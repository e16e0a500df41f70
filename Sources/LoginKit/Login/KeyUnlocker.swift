import Secrets

/// Opens a private key that may be encrypted: by the passphrase that was given, else the kept one, else one that a person types.
///
/// Whether a passphrase opens a key is known without any server, so it is no step of the login: a key that cannot be
/// opened ends the command before anything is connected.
struct KeyUnlocker {
    let context: LoginContext
    let request: LoginRequest
    /// The key's file, for the question.
    let file: String
    /// The passphrase that was given for this key.
    let supplied: Secret?
    let mayAsk: Bool

    /// Returns the open key.
    /// - Parameters:
    ///   - kept: the passphrase of an earlier login, asked for only if it is needed.
    ///   - open: returns `nil` where a passphrase is needed, and throws `wrongPassphrase`.
    /// - Throws: `usage` for a wrong passphrase that was given; `loginRequired` where nobody can be asked.
    func unlock<Key>(
        kept: () throws(LoginFault) -> Secret?, open: (Secret?) throws(LoginFault) -> Key?
    ) throws(LoginFault) -> Key {
        if let key = try open(nil) { return key }
        if let supplied, let key = try open(supplied) { return key }
        if let kept = try kept() {
            do {
                if let key = try open(kept) { return key }
            } catch .usage(.wrongPassphrase) {
                // The key has another passphrase since: ask, if somebody may be asked.
            }
        }
        return try ask(open)
    }

    private func ask<Key>(_ open: (Secret?) throws(LoginFault) -> Key?) throws(LoginFault) -> Key {
        guard mayAsk else { throw .loginRequired(LoginNeed(why: .keyLocked(file: file))) }
        let dialogue = context.person.dialogue(allowsBlankPassword: request.allowsBlankPassword)
        var label = "Passphrase of \(SafeText.escaped(file)): "
        for attempt in 1...request.policy.maxAttempts {
            guard let typed = try passphrase(dialogue, label) else { throw .cancelled }
            do {
                if let key = try open(typed) { return key }
            } catch .usage(.wrongPassphrase) where attempt < request.policy.maxAttempts {
                label = "Wrong passphrase. Passphrase of \(SafeText.escaped(file)): "
            }
        }
        throw .usage(.wrongPassphrase(file: file))
    }

    private func passphrase(_ dialogue: any Dialogue, _ label: String) throws(LoginFault) -> Secret? {
        do {
            return try dialogue.askPassphrase(label, confirm: false)
        } catch .store(.passphraseBlank) {
            return Secret("")
        }
    }
}

/// The client certificate of a profile, opened for one run.
struct ClientCertificateUnlocker {
    let context: LoginContext
    let profile: Profile
    let request: LoginRequest
    /// The keeper of the account that a request means.
    let keeper: (LoginRequest) -> StoreKeeper

    /// Where the certificate alone is the proof, its common name is the account, and a login needs nobody: what it is run
    /// with then is settled here.
    /// - Returns: `nil` if the profile names no certificate.
    func applied(to request: inout LoginRequest) throws(LoginFault) -> ClientIdentity? {
        let isProof = profile.traits.isProvedByCertificate
        guard let file = profile.settings.certificate else {
            if isProof {
                throw .usage(
                    "the method 'certificate' needs a file", next: "set it in the profile: certificate = \"FILE\"")
            }
            return nil
        }
        let identity = try unlock(try KeyFile.files(certificate: file, key: profile.settings.key))
        if isProof {
            if identity.commonName.isEmpty {
                throw .usage(
                    "the client certificate in \(SafeText.quoted(file)) has no common name, which names the account",
                    next: "get one with a common name")
            }
            try logIn(with: identity, &request)
        }
        return identity
    }

    private func logIn(with identity: ClientIdentity, _ request: inout LoginRequest) throws(LoginFault) {
        if let named = request.username, !named.isSame(as: identity.commonName) {
            throw request.mayUseCertificate
                ? .usage("the certificate belongs to \(SafeText.quoted(identity.commonName)), not to the user of -u")
                : .loginRequired(LoginNeed(why: .noSuchAccount(username: named, known: [identity.commonName])))
        }
        request.username = identity.commonName
        guard request.mayUseCertificate else { return }
        request.policy.mayAsk = false
        let isStored = try keeper(request).fill().session != nil
        if request.policy.force || !isStored {
            request.supplied = Credential(
                username: identity.commonName, .certificate(passphrase: identity.passphrase))
        }
    }

    /// Opens the key; reads what is kept of the account only if a passphrase is needed.
    private func unlock(_ files: ClientCertificateFiles) throws(LoginFault) -> ClientIdentity {
        let now = context.dependencies.clock.now()
        let unlocker = KeyUnlocker(
            context: context, request: request, file: profile.settings.key ?? profile.settings.certificate ?? "",
            supplied: profile.givenPassphrase == .certificate ? request.passphrase : nil,
            mayAsk: context.person.mayBeAsked)
        return try unlocker.unlock(
            kept: { () throws(LoginFault) in
                let stored = try keeper(request).fill()
                return profile.traits.isProvedByCertificate
                    ? stored.session?.passphrase : stored.extraSecrets[.passphrase]
            },
            open: { (passphrase) throws(LoginFault) in try files.open(passphrase: passphrase, now: now) })
    }
}
