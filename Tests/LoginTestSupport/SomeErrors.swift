@testable import LoginKit

/// Every error there is, as `MessageSnapshotTests` checks, with hostile text wherever a fact may come from outside.
enum SomeErrors {
    /// ESC, BEL, DEL, C1, a line end, and what turns the direction of writing.
    static let hostile = "x\u{1b}[2J\u{7}\u{7f}\u{9b}\r\n\u{202e}\u{200b}y"

    private static let origin = Origin(scheme: "https", host: "blog.example", port: 443)

    private static let fingerprint: Fingerprint = {
        guard let fingerprint = Fingerprint(bytes: [UInt8](repeating: 7, count: 32)) else { fatalError("not 32") }
        return fingerprint
    }()

    static let all: [(LoginFault, ExitCode)] =
        usage.map { (.usage($0), .usage) } + judged + network.map { (.network($0), .network) }
        + trust.map { (.untrusted($0), .untrusted) }
        + stores.map { fault in
            switch fault {
            case .locked: (.store(fault), .locked)
            case .passphraseCancelled, .secretService(.dismissed): (.store(fault), .cancelled)
            case .passphraseExpired, .secretService(.promptExpired): (.store(fault), .expired)
            case .usage: (.store(fault), .usage)
            case .shared(_, .engineAway): (.store(fault), .network)
            default: (.store(fault), .store)
            }
        }
        + failures.map { fault in
            switch fault {
            case .logoutIncomplete: (.failure(fault), .partial)
            case .browser(.closed): (.failure(fault), .cancelled)
            case .browser(.noFolder): (.failure(fault), .store)
            default: (.failure(fault), .failure)
            }
        } + oauth.map { (.oauth($0), $1) }

    private static let elsewhere = Origin(scheme: "https", host: "evil.example", port: 443)

    private static let metadata: [MetadataFault] = [
        .otherIssuer(expected: hostile, found: [hostile]), .otherIssuer(expected: hostile, found: []),
        .unsafeEndpoint(.token, url: hostile), .unsafeIssuer(hostile),
        .disguisedURL(hostile, origin: elsewhere), .other(hostile, next: "\(hostile)"),
        .serverElsewhere(resource: hostile, origins: [elsewhere]),
    ]

    private static let oauth: [(OAuthFault, ExitCode)] =
        metadata.map { (.metadata($0), .untrusted) }
        + OAuthErrorCode.allCases.map { code in
            (.refused(OAuthRefusal(code, at: .authorization, words: hostile)), code.exitCode)
        }
        + IdentityTokenFault.allCases.map { (.identityToken($0), .untrusted) } + [
            (.metadata(.notFound(tried: [hostile])), .failure),
            (.refused(OAuthRefusal(nil, at: .token, status: 400, words: hostile)), .failure),
            (.refused(OAuthRefusal(nil, at: .token)), .failure),
            (.unanswered(seconds: 300, redirect: hostile, clientID: hostile), .expired),
            (.unanswered(seconds: 300, redirect: nil, clientID: nil), .expired), (.codeExpired(seconds: 900), .expired),
            (.noServer, .usage),
            (.noEndpoint(.deviceAuthorization), .usage),
            (.other(.failure, hostile, details: [hostile], next: "\(hostile)"), .failure),
            (.otherSubject(was: hostile, now: hostile, isRevoked: true), .untrusted),
            (.otherSubject(was: hostile, now: hostile, isRevoked: false), .untrusted),
            (.unusableResponse(.token, hostile), .failure),
        ]

    private static let usage: [UsageFault] =
        [
            .wrongPassphrase(file: hostile), .other(hostile, details: [hostile], next: "\(hostile)"),
            .unknownProfile(name: hostile, near: []), .unknownProfile(name: "blgo", near: [hostile, "blog"]),
            .profileNotNamed(known: [hostile, "b"]),
            .badValue(option: "--store", problem: hostile),
            .badConfig(file: hostile, path: hostile, line: nil, problem: hostile),
            .badConfig(file: "/c", path: nil, line: 3, problem: "p"), .badURL(url: hostile, problem: hostile),
            .missingScheme(host: hostile), .usernameHasColon, .controlCharacter(.username),
            .controlCharacter(.password),
            .controlCharacter(.token), .invalidUTF8(.password), .verifyProvesNothing(url: hostile),
            .registry(url: hostile, tokens: hostile),
            .tokenHasOnlyHeader(method: .basic), .commandGetsNoToken(method: .cookie),
            .hasNoHeader(method: .digest), .takesNoPassword(method: .negotiate),
            .unconfirmed(UnconfirmedLogin(response: .tookPassword, url: hostile)),
            .unconfirmed(UnconfirmedLogin(response: .issuedToken, url: hostile, leadsTo: hostile)),
            .unconfirmed(UnconfirmedLogin(response: .undecided, url: hostile)),
            .unconfirmed(
                UnconfirmedLogin(
                    response: .undecided, url: hostile,
                    refusal: Refusal(status: 401, words: hostile, doubt: .otherChallenge(hostile, than: hostile)))),
            .unconfirmed(
                UnconfirmedLogin(
                    response: .undecided, url: hostile, refusal: Refusal(status: 200, doubt: .unnamed(place: hostile)))),
            .other(hostile),
            .sessionChanged(by: nil), .unprovenLogin(hostile), .notInEncoding(field: hostile, encoding: hostile),
        ] + replacements.map { .sessionChanged(by: $0) }

    private static let judged: [(LoginFault, ExitCode)] =
        [
            (.rejected(Refusal(status: 401)), .rejected),
            (.rejected(Refusal(status: 401, words: hostile, mayMeanForbidden: true)), .rejected),
            (.noTicketForService(reason: hostile), .rejected), (.cancelled, .cancelled),
            (.forbidden(Refusal(status: 403, words: hostile)), .forbidden),
            (.forbidden(Refusal(status: 423, words: hostile)), .forbidden),
            (.busy(BusyFault(status: 503, retryAfter: nil, words: hostile)), .busy),
            (.busy(BusyFault(status: 429, retryAfter: 30, words: nil)), .busy),
            (.promptExpired(seconds: 300), .expired), (.http(status: 404), .http),
            (.secondFactor(.required(words: hostile)), .secondFactor),
            (.secondFactor(.refused(Refusal(status: 401, words: hostile))), .secondFactor),
            (.secondFactor(.notDescribed(words: hostile)), .secondFactor),
        ] + needs.map { (.loginRequired(LoginNeed(why: $0, missing: [])), .loginRequired) }
        + needs.map {
            (
                .loginRequired(
                    LoginNeed(why: $0, missing: [.username, .password, .token, .passphrase, .secret(hostile)])),
                .loginRequired
            )
        }

    private static let needs: [LoginNeed.Why] =
        [
            .noProfile, .nothingStored, .sessionRefused, .sessionExpired, .sessionEndsSoon(seconds: 50),
            .passwordRefusedBefore,
            .keyLocked(file: hostile), .noActiveAccount(known: [hostile]),
            .passwordCommandFailed(status: 3), .passwordCommandTookTooLong(seconds: 60),
            .ticket(.missing(reason: hostile)), .declined(.certificate),
            .otherRealm(hostile, of: hostile, login: hostile), .ticket(.expired(principal: hostile)),
            .ticket(.ofAnother(principal: hostile, wanted: hostile)),
            .undecided(Refusal(status: 401, words: hostile)), .noIdentity("the variable is not set"),
            .leftBlank(.secret(hostile)), .noSuchAccount(username: hostile, known: [hostile]),
            .refreshNotJudged(BusyFault(status: 403, retryAfter: nil, words: hostile, isDoubtful: true)),
            .unfinishedRefresh(machine: hostile),
        ] + replacements.map { .otherPerson($0) } + replacements.map { .sessionOfAnother($0) }
        + [ClockDifference(seconds: -7300)].compactMap { $0 }.map { .clockSetBack($0) }

    private static let replacements: [Replacement] = [
        Replacement(
            of: Identity(username: hostile, serverName: hostile), by: Identity(username: "", serverName: hostile + "2"))
    ].compactMap { $0 }

    private static let network: [NetworkFault] = [
        .nameNotResolved(host: hostile), .notConnected(ignoredProxyVariable: nil),
        .notConnected(ignoredProxyVariable: "https_proxy"), .timedOut(seconds: 60), .tooSlow, .connectionLost, .notTLS,
        .proxy(ProxyFault(proxy: hostile, source: .option, problem: .failed(hostile))),
        .proxy(ProxyFault(proxy: hostile, source: .file, problem: .notResolved)),
        .proxy(ProxyFault(proxy: hostile, source: .variable("https_proxy"), problem: .notConnected(errno: 111))),
        .proxy(ProxyFault(proxy: hostile, source: .option, problem: .timedOut(seconds: 10))),
        .proxy(ProxyFault(proxy: hostile, source: .option, problem: .refused(status: 407))),
        .handshakeLost, .notHTTP, .endedUnanswered, .notConnected(ignoredProxyVariable: nil, errno: 111),
        .redirectLoop(limit: 5),
        .brokenResponse(hostile), .answerTooLarge(limit: 1),
        .noKerberosServer(reason: hostile), .other(code: 1, text: hostile), .unanswered(.brokenResponse(hostile)),
    ]

    private static func trust(_ reason: ServerTrust.Reason) -> ServerTrust {
        ServerTrust(
            origin: origin, reasons: [reason], subject: hostile, issuer: hostile, notBefore: .min,
            notAfter: .max, fingerprint: fingerprint, key: hostile)
    }

    private static let trust: [TrustFault] =
        [
            .clientCertificate(hostile, next: "\(hostile)"), .other(hostile, details: [hostile], next: "\(hostile)"),
            .certificate(trust(.selfSigned)), .certificateRejected, .certificate(trust(.tooWeak)),
            .certificateUnseen(reason: hostile),
            .otherFingerprint(trust(.expired)), .certificateChanged(origin, now: nil),
            .certificateChanged(origin, now: fingerprint),
            .plainHTTP,
            .weakerMethod(offered: [hostile, "basic"], accepted: [.digest]), .otherOrigin(target: hostile),
            .localServer(Origin(scheme: "https", host: "10.0.0.1", port: 443)),
            .unclearRedirect(target: hostile),
            .requestElsewhere(target: hostile),
            .formElsewhere(page: hostile, target: hostile),
        ]

    private static let stores: [StoreFault] =
        [
            .unavailable(.keyring, problem: hostile),
            .noneWorks([UnusableStore(name: .keyring, fault: .unavailable(.keyring, problem: hostile))]),
            .locked(path: hostile, seconds: 10),
            .wrongPassphraseOrDamaged(path: hostile), .damaged(path: hostile, problem: hostile),
            .newerVersion(path: hostile), .newerVersion(path: hostile, of: hostile), .noSpace(path: hostile, errno: 28),
            .unsafeFile(path: hostile, problem: hostile), .notSetUp(.file), .alreadySetUp(.file, path: hostile),
            .passphraseMissing(path: hostile), .system(call: "write", path: hostile, errno: 28),
            .timedOut(.helper(hostile), seconds: 5), .tooLarge(.keyring, limit: 9), .namesTooLong(.keyring, limit: 9),
            .cannotBePermanent(.keyring),
            .passphraseCancelled, .passphraseBlank, .passphraseExpired(seconds: 300),
            .usage(.profileNotNamed(known: [hostile])), .other(hostile, next: "\(hostile)"),
        ]
        + [
            .helper(.helper(hostile), hostile, next: "\(hostile)"), .helperNotInPath(.helper(hostile)),
            .helper(.helper(hostile), notStarted: hostile, errno: 8), .helper(.helper(hostile), notUnderstood: "get"),
        ]
        + [
            .engineAway(words: nil), .engineAway(words: hostile), .notLoggedIn(profile: hostile, words: hostile),
            .notPermitted(words: hostile),
            .keyMissing(path: hostile), .otherKey(path: hostile), .oldCopy, .foreignValue(key: "authctl/0123"),
        ].map { .shared(.shared("mine"), $0) }
        + [
            .absent(hostile, details: [hostile], next: hostile), .foreignBus(owner: 1000),
            .foreignBus(owner: nil), .locked, .promptNeeded, .dismissed, .promptExpired(seconds: 300), .failed(hostile),
        ].map { .secretService($0) }

    private static let failures: [OtherFailure] = [
        .unexpectedStatus(418, step: "login", words: hostile), .redirected(step: "login", status: 302, target: hostile),
        .missingInResponse(place: hostile, step: "login"), .noCSRF(.text),
        .noSuchForm(page: hostile, fields: [hostile, "password"], found: 0),
        .noSuchForm(page: hostile, fields: [], found: 2), .formDisabled(page: hostile), .tokenTooShortLived(seconds: 3),
        .tokenTooShortLived(seconds: -7200, clock: ClockDifference(seconds: 7300)),
        .logoutIncomplete(hostile), .unexpectedEvent(hostile), .bodyNotRepeatable, .sessionFitsNoHeader,
        .libraryMissing(hostile), .system(call: "pipe", errno: 24), .other(hostile),
        .browser(.noBrowser(other: "firefox")), .browser(.confined(path: hostile, by: "snap")), .browser(.root),
        .browser(.noDisplay(isRemote: true)), .browser(.notStarted(program: hostile, errno: 2)),
        .browser(.noAnswer(program: hostile)), .browser(.ended(program: hostile, status: 1, words: hostile)),
        .browser(.closed), .browser(.brokenChannel(program: hostile)),
        .browser(.noFolder(.system(call: "mkdir", path: hostile, errno: 28))),
    ]
}
