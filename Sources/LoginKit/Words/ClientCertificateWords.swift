import LoginCore

extension ClientCertificateFault {
    var message: Message {
        switch self {
        case .unreadable(let file, let errno):
            return Message(
                "cannot read the client certificate file \(SafeText.quoted(file)) (error \(errno))",
                next: "check 'certificate' and 'key' in the profile")
        case .notAFile(let file):
            return Message("\(SafeText.quoted(file)) is not a regular file", next: Self.check)
        case .tooLarge(let file, let limit):
            return Message("\(SafeText.quoted(file)) is larger than \(limit) bytes", next: Self.check)
        case .openToOthers(let file):
            return Message(
                "the key in \(SafeText.quoted(file)) is accessible to other users, and was not used",
                next: "make it private: \(ShellCommand("chmod", "600", file))")
        case .notACertificate(let file):
            return Message("\(SafeText.quoted(file)) contains no certificate (PEM or PKCS#12)", next: Self.check)
        case .notAKey(let file):
            return Message("\(SafeText.quoted(file)) contains no private key", next: Self.check)
        case .keyOfAnother(let certificate, let key):
            return Message(
                "the key in \(SafeText.quoted(key)) does not belong to the certificate in \(SafeText.quoted(certificate))",
                next: Self.check)
        case .oldEncryption(let file):
            return Message(
                "\(SafeText.quoted(file)) uses an old encryption (such as RC2) that OpenSSL 3 does not support",
                next:
                    "convert it: openssl pkcs12 -legacy -in OLD -out key.pem; openssl pkcs12 -export -in key.pem -out NEW"
            )
        case .wrongPassphrase(let file):
            return Message("the passphrase does not open the key in \(SafeText.quoted(file))", next: "enter it again")
        case .expired(let file, let time):
            return Message(
                "the client certificate in \(SafeText.quoted(file)) expired on \(CivilDate(time))",
                next: "get a new one from whoever issued it")
        case .notYetValid(let file, let time):
            return Message(
                "the client certificate in \(SafeText.quoted(file)) is not valid before \(CivilDate(time))",
                next: "check the clock of this machine")
        case .notNamed:
            return Message(
                "the method 'certificate' needs a file", next: "set it in the profile: certificate = \"FILE\"")
        case .nameless(let file):
            return Message(
                "the client certificate in \(SafeText.quoted(file)) has no common name, which names the account",
                next: "get one with a common name")
        case .libraryMissing(let file):
            return Message(
                "could not load libcrypto.so.3 (OpenSSL), which checks \(SafeText.quoted(file))",
                next: "install it (on Debian: apt install libssl3)")
        }
    }

    private static var check: String { "check 'certificate' and 'key' in the profile" }
}

extension ClientCertificateRefusal {
    var message: Message {
        switch self {
        case .wanted:
            Message(
                "the server requires a client certificate, but the profile has none",
                next: "set it in the profile: certificate = \"FILE\"")
        case .unknownAuthority:
            Message("the server does not trust the authority of the client certificate", next: Self.ask)
        case .expired:
            Message("the server says that the client certificate has expired", next: Self.ask)
        case .revoked:
            Message("the server says that the client certificate was revoked", next: Self.ask)
        case .unsupported:
            Message("the server does not accept a client certificate of this kind", next: Self.ask)
        case .unexplained:
            Message(
                "the server aborted the TLS handshake after the client certificate, without a reason",
                next: Self.ask)
        }
    }

    private static var ask: String { "ask the service's administrator which certificate is the right one" }
}
