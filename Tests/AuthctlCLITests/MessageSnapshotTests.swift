@testable import LoginKit
import Testing

/// Every error in words, side by side, so that a change of one is seen in a review.
struct MessageSnapshotTests {
    @Test func `the words of every error`() throws {
        let topic = ErrorContext(profile: "blog", origin: Origin(scheme: "https", host: "blog.example", port: 443))
        let lines = Self.errors.map { error in
            let message = error.message(about: topic)
            let next = message.next.isEmpty ? "" : "  → \(message.next)\n"
            return "\(error.exitCode.rawValue) \(error.exitCode.name)\n  \(message.what)\n\(next)"
        }
        try Snapshot.expect(lines.joined(), "messages")
    }

    private static let errors: [LoginFault] =
        usage + undecided + judged + network + trust + stores + secretService + failures

    private static let usage: [LoginFault] = [
        .unknownProfile(name: "blgo", near: ["blog"]), .unknownProfile(name: "x", near: []),
        .unknownAccount(profile: "blog", username: "carl", known: ["anna", "bert"]),
        .unknownAccount(profile: "blog", username: "carl", known: []), .profileNotNamed(known: ["a", "b"]),
        .badValue(option: "--timeout", problem: "must be from 1 to 3600 seconds"),
        .noAuthorities(problem: "error setting certificate file: /etc/ssl/certs/ca-certificates.crt"),
        .badConfig(file: "/c.toml", path: "profiles.blog.usr", line: nil, problem: "unknown key; did you mean 'user'?"),
        .badConfig(file: "/c.toml", path: nil, line: 3, problem: "Error while parsing"),
        .badURL(url: "ftp://x", problem: "only https and http are supported"), .missingScheme(host: "blog.example"),
        .usernameHasColon, .controlCharacter(.password), .invalidUTF8(.username),
        .verifyProvesNothing(url: "https://blog.example/me"), .noChallenge(url: "https://blog.example/me", status: 401),
        .tokenHasOnlyHeader(method: .basic), .commandGetsNoToken(method: .cookie), .hasNoHeader(method: .digest),
        .takesNoPassword(method: .negotiate), .helperRequest(.missing(attribute: "host")),
        .helperRequest(.controlCharacter), .sessionChanged(by: nil),
        .sessionChanged(
            by: Replacement(
                of: Identity(username: "ann", serverName: "ann"), by: Identity(username: "ann", serverName: "mallory"))),
        .unprovenLogin(.page(status: 200)), .unprovenLogin(.noNewCookie),
        .unprovenLogin(.redirect(status: 302, target: "/login")),
        .movedLogin(status: 301, path: "/login/", line: "post = \"/login/\""), .other("something else"),
    ].map { .usage($0) }

    /// What verify may answer that judges nothing, after each reaction of the service to the login.
    private static let doubts: [Refusal] = [
        Refusal(status: 404, doubt: .sameForAnybody), Refusal(status: 200, doubt: .unnamed(place: "/name")),
        Refusal(status: 302, doubt: .unproven), Refusal(status: 403, words: "no role", doubt: .forbidden),
        Refusal(status: 401, doubt: .otherChallenge("", than: "basic gate")),
        Refusal(status: 401, doubt: .otherChallenge("bearer", than: "basic gate")),
    ]

    private static let undecided: [LoginFault] = {
        let url = "https://blog.example/me"
        var faults = doubts.map { UnconfirmedLogin(response: .undecided, url: url, refusal: $0, anonymousStatus: 401) }
        faults += [
            UnconfirmedLogin(response: .undecided, url: url),
            UnconfirmedLogin(response: .undecided, url: url, refusal: Refusal(status: 401), anonymousStatus: 401),
            UnconfirmedLogin(
                response: .tookPassword, url: url, refusal: Refusal(status: 302), anonymousStatus: 302,
                leadsTo: "/login"
            ),
            UnconfirmedLogin(response: .issuedToken, url: url, refusal: Refusal(status: 401), anonymousStatus: 401),
        ]
        return faults.map { .usage(.unconfirmed($0)) }
            + doubts.map { .loginRequired(LoginNeed(why: .undecided($0))) }
            + [.forbidden(Refusal(status: 403, doubt: .forbidden))]
    }()

    private static let judged: [LoginFault] =
        [
            .rejected(Refusal(status: 401, words: "bad \u{1b}[31m password")),
            .rejected(Refusal(status: 401, mayMeanForbidden: true)),
            .rejected(Refusal(status: 401, mayMeanForbidden: true, hadTicket: true)),
            .noTicketForService(reason: "Server HTTP/blog.example@REALM not found in Kerberos database"), .cancelled,
            .promptExpired(seconds: 300),
            .forbidden(Refusal(status: 403, words: "no role")),
            .busy(BusyFault(status: 429, retryAfter: 30, words: nil)),
            .busy(BusyFault(status: 500, retryAfter: nil, words: "oops")),
        ] + needs.map { .loginRequired($0) }

    private static let needs: [LoginNeed] = [
        LoginNeed(why: .noProfile), LoginNeed(why: .nothingStored),
        LoginNeed(why: .nothingStored, missing: [.username, .password]),
        LoginNeed(why: .nothingStored, missing: [.token]),
        LoginNeed(why: .sessionRefused), LoginNeed(why: .sessionExpired), LoginNeed(why: .sessionEndsSoon(seconds: 50)),
        LoginNeed(why: .passwordRefusedBefore),
        LoginNeed(why: .passwordCommandFailed(status: 3)), LoginNeed(why: .passwordCommandTookTooLong(seconds: 60)),
        LoginNeed(why: .ticket(.missing(reason: "No Kerberos credentials available"))),
        LoginNeed(why: .ticket(.expired(principal: "ann@REALM"))),
        LoginNeed(why: .ticket(.ofAnother(principal: "ann@REALM", wanted: "bob"))),
    ]

    private static let network: [LoginFault] = [
        .nameNotResolved(host: "blog.example"), .notConnected(ignoredProxyVariable: nil),
        .notConnected(ignoredProxyVariable: "https_proxy"), .timedOut(seconds: 60), .tooSlow, .connectionLost, .notTLS,
        .proxy(ProxyFault(proxy: "p.example:3128", source: .file, problem: .notResolved)),
        .proxy(ProxyFault(proxy: "p:1", source: .variable("https_proxy"), problem: .notConnected(errno: 111))),
        .proxy(ProxyFault(proxy: "p:1", source: .option, problem: .timedOut(seconds: 10))),
        .proxy(ProxyFault(proxy: "p:1", source: .option, problem: .refused(status: 407))),
        .proxy(ProxyFault(proxy: "p:1", source: .option, problem: .refused(status: 502))),
        .proxy(ProxyFault(proxy: "p:1", source: .option, problem: .failed("Proxy CONNECT aborted"))),
        .notHTTP, .endedUnanswered, .notConnected(ignoredProxyVariable: nil, errno: 111), .redirectLoop(limit: 5),
        .brokenResponse("no status line"), .answerTooLarge(limit: 1_048_576),
        .noKerberosServer(reason: "Cannot contact any KDC for realm 'REALM'"),
        .other(code: 1, text: "what libcurl says"), .unanswered(.connectionLost),
    ].map { .network($0) }

    private static var fingerprint: Fingerprint {
        guard let fingerprint = Fingerprint(bytes: Array(0..<32)) else { fatalError("not 32") }
        return fingerprint
    }

    private static func trust(_ reasons: [ServerTrust.Reason]) -> ServerTrust {
        ServerTrust(
            origin: Origin(scheme: "https", host: "blog.example", port: 443), reasons: reasons,
            subject: "CN = blog.example, O = Blog", issuer: "CN = blog.example, O = Blog", notBefore: 1_700_000_000,
            notAfter: 1_800_000_000,
            fingerprint: fingerprint, key: "key")
    }

    private static let trust: [LoginFault] = [
        .certificate(trust([.selfSigned, .otherHost])), .certificate(trust([.tooWeak])),
        .certificateRejected, .certificateUnseen(reason: "self-signed certificate"),
        .otherFingerprint(trust([.expired])),
        .certificateChanged(Origin(scheme: "https", host: "blog.example", port: 443), now: nil),
        .tlsVersion(detail: "no common version"), .plainHTTP,
        .plainHTTPThroughProxy, .weakerMethod(offered: ["basic"], accepted: [.digest, .negotiate]),
        .otherOrigin(target: "https://evil.example"),
        .localServer(Origin(scheme: "https", host: "10.0.0.1", port: 443)),
        .unseenServer(Origin(scheme: "https", host: "id.example", port: 443), proxy: "p.example:3128"),
        .unclearRedirect(target: "\\\\evil.example"), .serverNotProven,
    ].map { .untrusted($0) }

    private static let stores: [LoginFault] = [
        .unavailable(.keyring, problem: "the kernel has none"),
        .noneWorks([
            UnusableStore(name: .file, fault: .notSetUp(.file)),
            UnusableStore(name: .keyring, fault: .unavailable(.keyring, problem: "the kernel has none")),
        ]),
        .locked(path: "/s/state.json", seconds: 10), .wrongPassphraseOrDamaged(path: "/s/vault"),
        .damaged(path: "/s/state.json", problem: "bad JSON"), .newerVersion(path: "/s/state.json"),
        .newerVersion(path: "/s/state.json", of: "ann"),
        .noSpace(path: "/s/state.json", errno: 28),
        .unsafeFile(path: "/s", problem: "others can write there"),
        .notSetUp(.file), .alreadySetUp(.file, path: "/s/vault"), .passphraseMissing(path: "/s/vault"),
        .system(call: "write", path: "/s/vault", errno: 28), .system(call: "mkdir", path: "/.config", errno: 30),
        .timedOut(.secretService, seconds: 5),
        .tooLarge(.keyring, limit: 32_767), .namesTooLong(.keyring, limit: 4095), .cannotBePermanent(.keyring),
        .passphraseCancelled, .passphraseBlank,
        .helper(.helper("pass"), .badName), .helper(.helper("pass"), .notInPath),
        .helper(.helper("pass"), .writableByAll(path: "/opt/bin")),
        .helper(.helper("pass"), .notStarted(path: "/opt/bin/docker-credential-pass", errno: 8)),
        .helper(.helper("pass"), .failed(method: "get", status: 1, .none)),
        .helper(.helper("pass"), .failed(method: "get", status: 1, .some("no secret key"))),
        .helper(.helper("pass"), .failed(method: "store", status: 1, .withheld)),
        .helper(.helper("pass"), .suppliedInVain(method: "store", what: "user name")),
        .helper(.helper("pass"), .tooMuch(method: "list", limit: 1_048_576)),
        .helper(.helper("pass"), .notUnderstood(method: "get")),
        .helper(.helper("pass"), .otherEntry), .helper(.helper("pass"), .foreignSecret),
        .helper(.shared("mine"), .badName), .helper(.shared("mine"), .notInPath),
        .helper(.shared("mine"), .notUnderstood(method: "put")),
        .shared(.shared("etcd"), .notPermitted(words: "etcd: this account has no permission (status 403)")),
        .shared(.shared("etcd"), .notLoggedIn(profile: "etcd", words: "etcd: not logged in")),
        .shared(.shared("mine"), .keyMissing(path: "/c/shared.key")),
        .shared(.shared("mine"), .otherKey(path: "/c/shared.key")),
        .shared(.shared("mine"), .engineAway(.some("connection refused"))),
        .shared(.shared("etcd"), .engineAway(.none)),
        .usage(.other("say which profile")), .shared(.shared("mine"), .oldCopy),
        .shared(.shared("mine"), .foreignValue(key: "authctl/0123")),
    ].map { .store($0) }

    private static let secretService: [LoginFault] = [
        .libraryMissing("libsecret-1.so.0: cannot open shared object file"), .noBus,
        .busUnreachable("Could not connect: No such file or directory"), .noDaemon, .ended,
        .denied("rejected by policy"), .noDefaultCollection, .locked, .promptNeeded, .dismissed,
        .promptExpired(seconds: 300), .failed("no space left on device"),
    ].map { .store(.secretService($0)) }

    private static let failures: [LoginFault] = [
        .unexpectedStatus(404, step: "login", words: "not here"),
        .redirected(step: "verify", status: 302, target: "/login"),
        .missingInResponse(place: "/token", step: "login"), .doubtfulJSON(.repeatedMember),
        .tokenTooShortLived(seconds: 3),
        .tokenTooShortLived(seconds: -7200), .tokenTooShortLived(seconds: -7200, clock: ClockDifference(seconds: 7300)),
        .logoutIncomplete("the server cannot judge the login now (status 503)"), .unexpectedEvent("saved while asking"),
        .sessionFitsNoHeader,
        .libraryMissing("libxml2.so.2: cannot open shared object file: No such file or directory"),
        .system(call: "pipe", errno: 24), .other("something else"),
    ].map { .failure($0) }
}
