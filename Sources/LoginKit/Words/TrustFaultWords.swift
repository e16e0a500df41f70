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
        case .requestElsewhere(let target):
            return Message(
                "\(SafeText.quoted(target)) is not on the profile's origin; nothing was sent",
                next: "choose the profile of that origin with -P, or log in there: authctl login URL")
        case .clientCertificate(let what, let next): return Message(what, next: next.text(topic))
        case .plainHTTP:
            return Message(
                "refused plain http: others on the network could read the password",
                next: topic.hasProfile
                    ? "use https, or set allow-http in the profile"
                    : "use https, or allow it for this origin: \(topic.loginCommand("--allow-http"))")
        case .weakerMethod(let offered, let accepted):
            return .weakerMethod(offered, accepted, topic)
        case .localServer(let origin): return origin.localServer
        case .otherOrigin(let target) where topic.isCopied:
            return Message(
                "the copied request went to \(SafeText.quoted(target)), which is not this profile's origin; nothing was sent",
                next: "copy a request to the profile's own origin, or change its url")
        case .otherOrigin(let target):
            return Message(
                "the server points to another origin, \(SafeText.quoted(target)), which was not followed",
                next: "if the service has moved there, log in with that URL")
        case .other(let what, let details, let next): return Message(what, details: details, next: next.text(topic))
        case .unclearRedirect(let target):
            return Message(
                "the server points to \(SafeText.quoted(target)), which programs read in different ways; it was not followed",
                next: "if you know where it leads, use that URL")
        case .formElsewhere(let page, let target):
            return Message(
                "the form on \(SafeText.quoted(page)) leads to another origin, \(SafeText.quoted(target)); nothing was sent",
                next: "ask the service's administrator why")
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
