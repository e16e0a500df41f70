import LoginCore

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
        case .basicNotOffered(let offered):
            return Message(
                "the server takes no password by Basic any more: it offers only \(SafeText.list(offered))",
                next: topic.url.map { "look again: \(ShellCommand("authctl", "discover", $0))" }
                    ?? "ask the service's administrator, or change 'method' in the profile")
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
                "the form on \(SafeText.quoted(page)) would put the password into a URL (its method is not POST); nothing was sent",
                next: "ask the service's administrator why, or leave 'page' out of the profile")
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
