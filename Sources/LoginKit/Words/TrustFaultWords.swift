extension TrustFault {
    func message(_ topic: ErrorContext) -> Message {
        switch self {
        case .certificate(let trust):
            return trust.message(topic)
        case .certificateRejected:
            return Message("Rejected; nothing was sent.")
        case .certificateUnseen(let reason):
            return Message(
                "the server's certificate is not trusted: \(SafeText.escaped(reason)); nothing was sent",
                next: topic.wayToAuthority)
        case .otherFingerprint(let trust):
            return Message(
                "the server's certificate is not trusted, and is not the one in --trust-fingerprint; nothing was sent",
                details: trust.details, next: "ask the service's administrator which certificate is the right one")
        case .certificateChanged(let origin, let now):
            return Message(
                "the server's certificate has changed since it was accepted: somebody may be intercepting the connection; nothing was sent",
                details: now.map { ["fingerprint now: \($0)"] } ?? [],
                next:
                    "only if the administrator confirms the change: \(ShellCommand("authctl", "trust", "remove", "\(origin)"))"
            )
        case .tlsVersion(let detail):
            return Message(
                "no safe TLS connection is possible: \(SafeText.escaped(detail))",
                next: "the server must speak TLS 1.2 or newer")
        case .requestElsewhere(let target):
            return Message(
                "\(SafeText.quoted(target)) is not on the profile's origin; nothing was sent",
                next: "choose the profile of that origin with -P, or log in there: authctl login URL")
        case .clientCertificate(let refusal):
            return refusal.message
        case .plainHTTP:
            return Message(
                "refused plain http: others on the network could read the password",
                next: topic.hasProfile
                    ? "use https, or set allow-http in the profile"
                    : "use https, or allow it for this origin: \(topic.loginCommand("--allow-http"))")
        case .plainHTTPThroughProxy:
            return Message(
                "refused plain http: the proxy could read the password",
                next: "use https, set allow-http in the profile, or connect without the proxy: AUTHCTL_PROXY=none")
        case .weakerMethod(let offered, let accepted):
            return .weakerMethod(offered, accepted, topic)
        case .parentCookies(let domains):
            return Message(
                "the service accepts this login only with cookies of \(SafeText.list(domains)), which may open other sites there; "
                    + "they were not kept",
                next: "to keep them, set parent-cookies = true in the profile, and log in again: \(topic.loginCommand)")
        case .localServer(let origin): return origin.localServer
        case .unseenServer(let origin, let proxy):
            return Message(
                "the service names \(origin), whose name does not resolve here: it may be inside the network of the proxy "
                    + "\(SafeText.quoted(proxy)); nothing was sent",
                next: "if that is right, put the issuer in the profile's oauth; see authctl-config(5)")
        case .otherAddress(let origin):
            return Message(
                "\(origin) now leads to another address than at the start of this login; nothing was sent there",
                next: "use https, where a certificate says who answers, or try again")
        case .otherOrigin(let target) where topic.isCopied:
            return Message(
                "the copied request went to \(SafeText.quoted(target)), which is not this profile's origin; nothing was sent",
                next: "copy a request to the profile's own origin, or change its url")
        case .otherOrigin(let target):
            return Message(
                "the server points to another origin, \(SafeText.quoted(target)), which was not followed",
                next: "if the service has moved there, log in with that URL")
        case .foreignProfile(let url, let fault): return fault.message(url)
        case .unclearRedirect(let target):
            return Message(
                "the server points to \(SafeText.quoted(target)), which programs read in different ways; it was not followed",
                next: "if you know where it leads, use that URL")
        case .formElsewhere(let page, let target):
            return Message(
                "the form on \(SafeText.quoted(page)) leads to another origin, \(SafeText.quoted(target)); nothing was sent",
                next: "ask the service's administrator why")
        case .formInURL(let page):
            return Message(
                "the form on \(SafeText.quoted(page)) would put what it sends into a URL (its method is not POST); nothing was sent",
                next:
                    "if it takes a password, ask the service's administrator why; else the profile can have 'get' with its address, without 'page'"
            )
        case .formUnclear(let page):
            return Message(
                "the page \(SafeText.quoted(page)) has tags where browsers read its forms differently; nothing was sent",
                next: "ask the service's administrator to correct its HTML, or leave 'page' out of the profile")
        case .serverNotProven:
            return Message(
                "the server did not prove that it knows the password (its 'rspauth' is wrong); its response was discarded",
                next: "somebody may be intercepting the connection: ask the service's administrator")
        }
    }
}

extension Message {
    fileprivate static func weakerMethod(
        _ offered: [String], _ accepted: [AuthenticationMethod], _ topic: ErrorContext
    ) -> Message {
        let schemes = SafeText.list(offered)
        let wanted = accepted.map(\.rawValue).joined(separator: ", ")
        guard let url = topic.url else {
            return Message(
                "the server offers only \(schemes), but the profile accepts only \(wanted); nothing was sent",
                next: topic.hasProfile
                    ? "ask the service's administrator, or change 'method' in the profile"
                    : "ask the service's administrator, or describe its login in a profile: see authctl help config")
        }
        // Nobody wrote a profile that could be changed.
        return Message(
            accepted == [.auto]
                ? "the server wants \(schemes), and the URL alone does not say how that login works; nothing was sent"
                : "the server offers only \(schemes), and not \(wanted); nothing was sent",
            next:
                "look for more: \(ShellCommand("authctl", "discover", url)); or describe its login in a profile: see authctl help config"
        )
    }
}

extension ServerTrust.Reason {
    /// As a sentence about the certificate.
    var words: String {
        switch self {
        case .selfSigned: "it is self-signed; no authority vouches for it"
        case .unknownAuthority: "its authority is not trusted"
        case .expired: "it or one of its authorities has expired"
        case .notYetValid: "it or one of its authorities is not valid yet"
        case .otherHost: "it is for another host"
        case .wrongPurpose: "it is not meant for servers"
        case .issuerNoAuthority: "its issuer is not allowed to issue certificates"
        case .tooWeak: "its key or that of an authority is too weak"
        case .badSignature: "a signature in its chain is wrong"
        case .invalid: "its chain is not valid"
        }
    }
}

extension ServerTrust {
    /// The facts to check, as names and values; text by others is escaped.
    var facts: [(name: String, value: String)] {
        [
            ("Subject", SafeText.line(subject)), ("Issuer", SafeText.line(issuer)),
            ("Valid", "\(CivilDate(notBefore)) to \(CivilDate(notAfter))"),
        ] + names
    }

    /// The hosts that it is for, if that is the fault.
    private var names: [(name: String, value: String)] {
        guard reasons.contains(.otherHost), !hosts.isEmpty else { return [] }
        let shown = hosts.prefix(10).map { SafeText.line($0) } + (hosts.count > 10 ? ["…"] : [])
        return [("Hosts", shown.joined(separator: ", "))]
    }

    /// The facts for a message, with every reason first.
    var details: [String] {
        reasons.map(\.words) + facts.map { "\($0.name.lowercased()): \($0.value)" } + ["fingerprint: \(fingerprint)"]
    }

    func message(_ topic: ErrorContext) -> Message {
        guard isAcceptable else {
            return Message(
                "the server's certificate cannot be trusted; nothing was sent", details: details,
                next: "the service's administrator has to fix it")
        }
        return Message(
            "the server's certificate is not trusted; nothing was sent", details: details,
            next: """
                \(remedy(topic)), or accept this certificate: \
                \(topic.loginCommand("--trust-fingerprint", "\(fingerprint)"))
                """)
    }

    /// Another authority mends nothing but an authority that is not known.
    private func remedy(_ topic: ErrorContext) -> String {
        var steps: [String] = []
        if reasons.contains(.otherHost) { steps.append("use the host name that it is for") }
        if reasons.contains(.selfSigned) || reasons.contains(.unknownAuthority) {
            steps.append(topic.wayToAuthority)
        }
        if reasons.contains(.notYetValid) { steps.append("check this machine's clock") }
        return steps.isEmpty ? "ask the service's administrator to renew it" : steps.joined(separator: " and ")
    }
}

/// A day of the calendar in UTC, as people compare it with today.
struct CivilDate: CustomStringConvertible {
    let description: String

    /// - Parameter time: in seconds of Unix time.
    init(_ time: Int64) {
        // Counted from 1 March of the year 0, so that a leap day ends its year; 146097 days are 400 years.
        let days = Self.floored(time, by: 86_400) + 719_468
        let era = Self.floored(days, by: 146_097)
        let day = days - era * 146_097
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        let isNextYear = month >= 10
        description =
            "\(year + era * 400 + (isNextYear ? 1 : 0))-\(Self.two(month + (isNextYear ? -9 : 3)))-\(Self.two(dayOfMonth))"
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func floored(_ number: Int64, by divisor: Int64) -> Int64 {
        number / divisor - (number % divisor < 0 ? 1 : 0)
    }
}

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
