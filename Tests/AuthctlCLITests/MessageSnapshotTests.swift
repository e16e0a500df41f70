@testable import LoginKit
@testable import LoginTestSupport
import Testing

/// Every error in words, side by side, so that a change of one is seen in a review. What is thrown in words stands in a sheet of its own, as
/// it is written in the sources.
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

    @Test func `every case of a fault has its words there, and is among SomeErrors`() throws {
        let cases = try ThrownWords.cases()
        #expect(cases.count > 150)
        let told = Self.errors.reduce(into: Set<String>()) { $0.formUnion(ThrownWords.cases(of: $1)) }
        #expect(
            cases.subtracting(told).sorted() == [],
            "add a sample of each to `errors`, record with AUTHCTL_RECORD=1, and read what changes in messages.txt")
        let some = SomeErrors.all.reduce(into: Set<String>()) { $0.formUnion(ThrownWords.cases(of: $1.0)) }
        #expect(cases.subtracting(some).sorted() == [], "add a sample of each to `SomeErrors`, with its exit code")
    }

    @Test func `the words of every error that is thrown in words`() throws {
        let files = try ThrownWords.calls()
        #expect(files.map(\.calls.count).reduce(0, +) > 120)
        let lines = files.map { file, calls in "\(file)\n" + calls.map { "  \($0)\n" }.joined() }
        try Snapshot.expect(lines.joined(separator: "\n"), "thrown-messages")
    }

    private static let errors: [LoginFault] =
        [usage, undecided, judged, network, trust, stores, secretService, failures, oauth, windows, more].flatMap { $0 }

    private static let usage: [LoginFault] = [
        .unknownProfile(name: "blgo", near: ["blog"]), .unknownProfile(name: "x", near: []),
        .profileNotNamed(known: ["a", "b"]),
        .badValue(option: "--timeout", problem: "must be from 1 to 3600 seconds"),
        .badConfig(file: "/c.toml", path: "profiles.blog.usr", line: nil, problem: "unknown key; did you mean 'user'?"),
        .badConfig(file: "/c.toml", path: nil, line: 3, problem: "Error while parsing"),
        .badURL(url: "ftp://x", problem: "only https and http are supported"), .missingScheme(host: "blog.example"),
        .usernameHasColon, .controlCharacter(.password), .invalidUTF8(.username),
        .verifyProvesNothing(url: "https://blog.example/me"),
        .tokenHasOnlyHeader(method: .basic), .commandGetsNoToken(method: .cookie), .hasNoHeader(method: .digest),
        .takesNoPassword(method: .negotiate), .sessionChanged(by: nil),
        .sessionChanged(
            by: Replacement(
                of: Identity(username: "ann", serverName: "ann"), by: Identity(username: "ann", serverName: "mallory"))),
        .unprovenLogin("the response to login set no new cookie"),
        .other("something else"),
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
        .proxy(ProxyFault(proxy: "p:1", source: .option, problem: .refused(status: 407), hadCredential: true)),
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
        .plainHTTP,
        .weakerMethod(offered: ["basic"], accepted: [.digest, .negotiate]),
        .otherOrigin(target: "https://evil.example"),
        .localServer(Origin(scheme: "https", host: "10.0.0.1", port: 443)),
        .unclearRedirect(target: "\\\\evil.example"),
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
        .helperNotInPath(.helper("pass")), .helperNotInPath(.shared("mine")),
        .helper(.helper("pass"), notStarted: "/opt/bin/docker-credential-pass", errno: 8),
        .helper(.shared("mine"), notStarted: "/opt/bin/authctl-store-mine", errno: 8),
        .helper(.helper("pass"), notUnderstood: "get"), .helper(.shared("mine"), notUnderstood: "put"),
        .shared(.shared("etcd"), .notPermitted(words: "etcd: this account has no permission (status 403)")),
        .shared(.shared("etcd"), .notLoggedIn(profile: "etcd", words: "etcd: not logged in")),
        .shared(.shared("mine"), .keyMissing(path: "/c/shared.key")),
        .shared(.shared("mine"), .otherKey(path: "/c/shared.key")),
        .shared(.shared("mine"), .engineAway(words: "connection refused")),
        .shared(.shared("etcd"), .engineAway(words: nil)),
        .usage(.other("say which profile")), .shared(.shared("mine"), .oldCopy),
        .shared(.shared("mine"), .foreignValue(key: "authctl/0123")),
    ].map { .store($0) }

    private static let secretService: [LoginFault] = [
        .absent("the Secret Service exited during the request", next: "try again, or "), .foreignBus(owner: 1000),
        .foreignBus(owner: nil), .locked, .promptNeeded, .dismissed,
        .promptExpired(seconds: 300), .failed("no space left on device"),
    ].map { .store(.secretService($0)) }

    private static let failures: [LoginFault] = [
        .unexpectedStatus(404, step: "login", words: "not here"),
        .redirected(step: "verify", status: 302, target: "/login"),
        .missingInResponse(place: "/token", step: "login"),
        .tokenTooShortLived(seconds: 3),
        .tokenTooShortLived(seconds: -7200), .tokenTooShortLived(seconds: -7200, clock: ClockDifference(seconds: 7300)),
        .logoutIncomplete("the server cannot judge the login now (status 503)"), .unexpectedEvent("saved while asking"),
        .sessionFitsNoHeader,
        .libraryMissing("libxml2.so.2: cannot open shared object file: No such file or directory"),
        .system(call: "pipe", errno: 24), .other("something else"),
    ].map { .failure($0) }

    private static let oauth: [LoginFault] =
        (refusals + grants + metadata.map { OAuthFault.metadata($0) }).map { LoginFault.oauth($0) }

    private static let refusals: [OAuthFault] =
        OAuthErrorCode.allCases.map { .refused(OAuthRefusal($0, at: .token, status: 400, words: "not now")) }
        + IdentityTokenFault.allCases.map { .identityToken($0) }

    private static let grants: [OAuthFault] = [
        .refused(OAuthRefusal(nil, at: .registration, status: 403)),
        .unanswered(seconds: 300, redirect: "http://127.0.0.1/callback", clientID: "authctl"),
        .unanswered(seconds: 300, redirect: nil, clientID: nil), .codeExpired(seconds: 900), .noServer,
        .noEndpoint(.deviceAuthorization), .other(.failure, "words", details: ["more"], next: "see \(.login)"),
        .otherSubject(was: "ann", now: "mallory", isRevoked: true),
        .otherSubject(was: "ann", now: "mallory", isRevoked: false),
        .unusableResponse(.token, "it is not JSON"),
    ]

    private static let metadata: [MetadataFault] = [
        .notFound(tried: ["https://id.example/.well-known/openid-configuration"]),
        .otherIssuer(expected: "https://id.example", found: ["https://evil.example"]),
        .otherIssuer(expected: "https://id.example", found: []),
        .unsafeEndpoint(.token, url: "http://id.example/token"), .unsafeIssuer("http://id.example"),
        .disguisedURL("https://%69d.example", origin: Origin(scheme: "https", host: "id.example", port: 443)),
        .serverElsewhere(
            resource: "https://blog.example/mcp", origins: [Origin(scheme: "https", host: "id.example", port: 443)]),
        .other("words", next: "see \(.login)"),
    ]

    private static let windows: [LoginFault] = [
        .noBrowser(other: nil), .noBrowser(other: "firefox"), .confined(path: "/snap/bin/chromium", by: "snap"), .root,
        .noDisplay(isRemote: true), .noDisplay(isRemote: false), .notStarted(program: "chromium", errno: 2),
        .noAnswer(program: "w3m"), .ended(program: "chromium", status: 1, words: "no display"),
        .ended(program: "chromium", status: nil, words: nil), .closed, .brokenChannel(program: "chromium"),
        .noFolder(.system(call: "mkdir", path: "/run/user/1000/authctl", errno: 28)),
    ].map { .failure(.browser($0)) }

    private static let more: [LoginFault] = {
        let realm = LoginNeed.Why.otherRealm("b", of: "https://blog.example/b", login: "a")
        let needs: [LoginNeed.Why] = [
            .keyLocked(file: "/c/key.pem"), .noIdentity("the variable \"TOKEN\" is not set"), .leftBlank(.password),
            .noSuchAccount(username: "carl", known: []), .noSuchAccount(username: "carl", known: ["anna", "bert"]),
            .noActiveAccount(known: ["anna", "bert"]), .unfinishedRefresh(machine: "build"), realm,
            .refreshNotJudged(BusyFault(status: 403, retryAfter: nil, words: nil, isDoubtful: true)),
            .declined(.certificate), .passwordCommandFailed(status: 127),
        ]
        let replaced = Replacement(
            of: Identity(username: "ann", serverName: "ann"), by: Identity(username: "ann", serverName: "mallory"))
        let replacements = [replaced].compactMap { $0 }.flatMap {
            [LoginNeed.Why.otherPerson($0), .sessionOfAnother($0)]
        }
        let clock = [ClockDifference(seconds: -7300)].compactMap { $0 }.map { LoginNeed.Why.clockSetBack($0) }
        let told = (needs + replacements + clock).map { LoginFault.loginRequired(LoginNeed(why: $0)) }
        let others: [LoginFault] = [
            .secondFactor(.required(words: "Enter the code")), .secondFactor(.refused(Refusal(status: 401))),
            .secondFactor(.notDescribed(words: nil)), .http(status: 404), .network(.handshakeLost),
            .usage(.wrongPassphrase(file: "/c/key.pem")), .usage(.notInEncoding(field: "name", encoding: "iso-8859-1")),
            .usage(.registry(url: "https://hub.example/v2/", tokens: "https://id.example/token")),
            .untrusted(.clientCertificate("the server says no", next: "see \(.login("--force"))")),
            .untrusted(.requestElsewhere(target: "https://evil.example")),
            .untrusted(.formElsewhere(page: "/login", target: "https://evil.example")),
            .untrusted("words", details: ["more"], next: "see \(.login)"), .failure(.noCSRF(.text)),
            .failure(.noSuchForm(page: "/login", fields: ["user", "password"], found: 0)),
            .failure(.noSuchForm(page: "/login", fields: ["user", "password"], found: 2)),
            .failure(.formDisabled(page: "/login")), .failure(.bodyNotRepeatable),
            .store(.passphraseExpired(seconds: 300)), .store(.other("words", next: "see \(.otherStores)")),
        ]
        return told + others
    }()
}
