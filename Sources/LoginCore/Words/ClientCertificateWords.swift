extension ClientCertificateFault {
    var message: Message {
        switch self {
        case .unreadable(let file, let errno):
            return Message(
                "the client certificate's file \(SafeText.quoted(file)) cannot be read (error \(errno))",
                next: "check 'certificate' and 'key' in the profile")
        case .notAFile(let file):
            return Message("\(SafeText.quoted(file)) is not a regular file", next: Self.check)
        case .tooLarge(let file, let limit):
            return Message("\(SafeText.quoted(file)) is larger than \(limit) bytes", next: Self.check)
        case .openToOthers(let file):
            return Message(
                "the key in \(SafeText.quoted(file)) is open to others, and was not used",
                next: "make it yours alone: \(ShellCommand("chmod", "600", file))")
        case .notACertificate(let file):
            return Message("\(SafeText.quoted(file)) holds no certificate, neither PEM nor PKCS#12", next: Self.check)
        case .notAKey(let file):
            return Message("\(SafeText.quoted(file)) holds no private key", next: Self.check)
        case .keyOfAnother(let certificate, let key):
            return Message(
                "the key in \(SafeText.quoted(key)) is not that of the certificate in \(SafeText.quoted(certificate))",
                next: Self.check)
        case .oldEncryption(let file):
            return Message(
                "\(SafeText.quoted(file)) is encrypted in an old way (such as RC2) that OpenSSL 3 does not read",
                next:
                    "make it anew: openssl pkcs12 -legacy -in OLD -out key.pem; openssl pkcs12 -export -in key.pem -out NEW"
            )
        case .wrongPassphrase(let file):
            return Message("the passphrase does not open the key in \(SafeText.quoted(file))", next: "give it anew")
        case .expired(let file, let time):
            return Message(
                "the client certificate in \(SafeText.quoted(file)) has expired, on \(CivilDate(time))",
                next: "get a new one from whoever issued it")
        case .notYetValid(let file, let time):
            return Message(
                "the client certificate in \(SafeText.quoted(file)) is not valid before \(CivilDate(time))",
                next: "check the clock of this machine")
        case .notNamed:
            return Message(
                "the method 'certificate' needs a file", next: "name it in the profile: certificate = \"FILE\"")
        case .nameless(let file):
            return Message(
                "the client certificate in \(SafeText.quoted(file)) has no common name to call the account by",
                next: "get one with a common name")
        case .libraryMissing(let file):
            return Message(
                "OpenSSL's libcrypto.so.3 could not look at \(SafeText.quoted(file))",
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
                "the server wants a client certificate, and the profile names none; nothing was judged",
                next: "name it in the profile: certificate = \"FILE\"")
        case .unknownAuthority:
            Message("the server does not know the authority of the client certificate", next: Self.ask)
        case .expired:
            Message("to the server the client certificate has expired", next: Self.ask)
        case .revoked:
            Message("the server says that the client certificate was revoked", next: Self.ask)
        case .unsupported:
            Message("the server does not take a client certificate of this kind", next: Self.ask)
        case .unexplained:
            Message(
                "the server broke off the handshake when it had seen the client certificate, without saying why",
                next: Self.ask)
        }
    }

    private static var ask: String { "ask the service's administrator which certificate is the right one" }
}
