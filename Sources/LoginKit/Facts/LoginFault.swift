/// Everything that can end a command. A fault that some caller matches is a case with its facts, which `LoginFault.message` puts into words;
/// all others are thrown in words. `exitCode` has the number of each.
package enum LoginFault: Error, Equatable, Sendable {
    case usage(UsageFault)
    case rejected(Refusal)
    /// The Kerberos server gives no ticket for the service; its words.
    case noTicketForService(reason: String)
    /// There is no usable session, and no person can be asked.
    case loginRequired(LoginNeed)
    case cancelled
    case network(NetworkFault)
    case untrusted(TrustFault)
    case store(StoreFault)
    /// The first factor was accepted; the code of the second is missing or was refused.
    case secondFactor(SecondFactorFault)
    case forbidden(Refusal)
    case busy(BusyFault)
    /// A request of the person's own was answered with this status, of 400 or above.
    case http(status: Int)
    /// A person took longer than so many seconds.
    case promptExpired(seconds: Int)
    /// An authorization server or its metadata is not as it has to be, or it said no.
    case oauth(OAuthFault)
    case failure(OtherFailure)

    /// The code that the program ends with.
    package var exitCode: ExitCode {
        switch self {
        case .usage: .usage
        case .rejected, .noTicketForService: .rejected
        case .loginRequired: .loginRequired
        case .cancelled: .cancelled
        case .network: .network
        case .untrusted: .untrusted
        case .store(.locked): .locked
        case .store(.shared(_, .engineAway)): .network
        case .store(.usage): .usage
        case .store(.passphraseCancelled), .store(.secretService(.dismissed)): .cancelled
        case .store(.passphraseExpired), .store(.secretService(.promptExpired)): .expired
        case .store: .store
        case .secondFactor: .secondFactor
        case .forbidden: .forbidden
        case .busy: .busy
        case .http: .http
        case .promptExpired: .expired
        case .oauth(let fault): fault.exitCode
        case .failure(.logoutIncomplete): .partial
        case .failure(.browser(.closed)): .cancelled
        case .failure(.browser(.noFolder)): .store
        case .failure: .failure
        }
    }
}

// A fault that no caller matches is thrown in words: what happened, and what to do next.
extension LoginFault {
    /// The call or the configuration is wrong, in a way that no caller matches.
    package static func usage(_ what: String, details: [String] = [], next: Advice = "") -> LoginFault {
        .usage(.other(what, details: details, next: next))
    }

    /// authctl will not go on, for a reason that no caller matches.
    package static func untrusted(_ what: String, details: [String] = [], next: Advice = "") -> LoginFault {
        .untrusted(.other(what, details: details, next: next))
    }

    /// Any other failure that no caller matches.
    package static func failure(_ what: String, details: [String] = [], next: Advice = "") -> LoginFault {
        .failure(.other(what, details: details, next: next))
    }
}

/// The call or the configuration is wrong; nothing was sent with a secret in it.
/// `exec --serve` answers 400 for it, unless `servedStatus` says otherwise.
package enum UsageFault: Error, Equatable, Sendable {
    case unknownProfile(name: String, near: [String])
    /// More than one profile could be meant.
    case profileNotNamed(known: [String])
    case badValue(option: String, problem: String)
    /// `path` is the place in the file, such as `profiles.blog.login`.
    case badConfig(file: String, path: String?, line: Int?, problem: String)
    case badURL(url: String, problem: String)
    /// A host without a scheme was given where a URL is needed.
    case missingScheme(host: String)
    /// It does not open the key in the file.
    case wrongPassphrase(file: String)
    case usernameHasColon
    case controlCharacter(CredentialField)
    case invalidUTF8(CredentialField)
    /// The form of a page is in an encoding that has no code for a character of this field.
    case notInEncoding(field: String, encoding: String)
    /// The verify endpoint accepts requests without credentials.
    case verifyProvesNothing(url: String, withCookies: Bool = false)
    /// The login ended as a right one may, and verify gives the same response as without it.
    case unconfirmed(UnconfirmedLogin)
    /// A response before the request has changed the session, and verify names another user for it; `nil` where verify does not confirm
    /// it at all. The request was not sent with it.
    case sessionChanged(by: Replacement?)
    /// The profile has no verify, and the response to the login does not prove one.
    case unprovenLogin(String)
    /// A container registry that takes tokens of its own alone, issued at this URL, where no password can be verified.
    case registry(url: String, tokens: String)
    case tokenHasOnlyHeader(method: AuthenticationMethod)
    /// A command was to get a token of a login that has none.
    case commandGetsNoToken(method: AuthenticationMethod)
    /// The method computes a new value for each request, so it has no fixed header.
    case hasNoHeader(method: AuthenticationMethod)
    /// A password was given for a method that has none.
    case takesNoPassword(method: AuthenticationMethod)
    /// In words, since no caller matches it.
    case other(String, details: [String] = [], next: Advice = "")
}

/// The credential was not judged.
package enum NetworkFault: Equatable, Sendable {
    case nameNotResolved(host: String)
    /// With the number of the system's last error, where it told one (errno(3)).
    case notConnected(ignoredProxyVariable: String?, errno: Int32? = nil)
    case proxy(ProxyFault)
    case timedOut(seconds: Int)
    case tooSlow
    case connectionLost
    /// Before TLS stood: a server that does not speak it often just hangs up.
    case handshakeLost
    case notTLS
    /// Over plain http: what came is no HTTP.
    case notHTTP
    /// Over plain http, before a byte of an answer: a server that speaks TLS often just hangs up.
    case endedUnanswered
    case brokenResponse(String)
    /// One leads back to where another came from, or more than so many came in a row.
    case redirectLoop(limit: Int)
    case answerTooLarge(limit: Int)
    /// The Kerberos server of the realm is not found or does not answer.
    case noKerberosServer(reason: String)
    /// After a request that is not idempotent had gone out, so that it may have been carried out.
    indirect case unanswered(NetworkFault)
    case other(code: Int, text: String)
}

/// No connection through a proxy: nothing has reached the server.
package struct ProxyFault: Equatable, Sendable {
    enum Problem: Equatable, Sendable {
        case notResolved
        /// With the number of the system's last error, where it told one (errno(3)).
        case notConnected(errno: Int32?)
        case timedOut(seconds: Int)
        /// The status of its response to CONNECT (RFC 9110, section 9.3.6).
        case refused(status: Int)
        /// In libcurl's words.
        case failed(String)
    }

    /// Host and port, without a credential.
    let proxy: String
    let source: ProxySource
    let problem: Problem
    /// Whether its URL holds a user name and a password, which it then refused.
    var hadCredential = false
}

/// authctl itself will not go on.
package enum TrustFault: Equatable, Sendable {
    /// It does not verify, and was not accepted.
    case certificate(ServerTrust)
    /// It does not verify, and the person who was asked does not trust it.
    case certificateRejected
    /// It does not verify, and could not be had itself; in OpenSSL's words.
    case certificateUnseen(reason: String)
    /// It does not verify, and it is not the one that was named beforehand.
    case otherFingerprint(ServerTrust)
    /// It does not verify, and its key is another one than was accepted for the origin; what is there now, if that
    /// was seen.
    case certificateChanged(Origin, now: Fingerprint?)
    /// A TLS alert about the client certificate, or about its absence (RFC 8446, section 6.2), in words.
    case clientCertificate(String, next: Advice)
    case plainHTTP
    case weakerMethod(offered: [String], accepted: [AuthenticationMethod])
    case otherOrigin(target: String)
    /// A service far away names a server on this machine or in its network.
    case localServer(Origin)
    /// A redirect that browsers and other programs read in different ways.
    case unclearRedirect(target: String)
    /// The requested URL is not on the profile's origin.
    case requestElsewhere(target: String)
    /// The form of a page leads to another origin.
    case formElsewhere(page: String, target: String)
    /// In words, since no caller matches it.
    case other(String, details: [String] = [], next: Advice = "")
}

/// Where a proxy is named.
package enum ProxySource: Equatable, Sendable {
    case option
    case variable(String)
    /// The profile, or the top of config.toml.
    case file

    /// For a message.
    var name: String {
        switch self {
        case .option: "--proxy"
        case .variable(let name): name
        case .file: "'proxy' in the configuration"
        }
    }
}

/// A login after which verify gives the same response as without one.
package struct UnconfirmedLogin: Equatable, Sendable {
    /// The service's reaction to the credential.
    enum Response: Equatable, Sendable {
        /// It took the password.
        case tookPassword
        /// It issued a token, which verify does not take.
        case issuedToken
        /// Its response means both, and so does that of verify.
        case undecided
    }

    /// The service's reaction.
    let response: Response
    /// The URL of the verify endpoint.
    let url: String
    /// The response of verify to the login; `nil` where it was not asked, since anybody is accepted.
    var refusal: Refusal?
    /// The status of verify's response to anybody.
    var anonymousStatus: Int?
    /// Where verify leads with this login, as a path or as a URL of another origin, without a query, which may hold a secret; `nil` if
    /// nowhere.
    var leadsTo: String?

    /// Whether a wrong password is one of the readings.
    var mayBeWrong: Bool { response == .undecided }
}

/// A login that cannot go on without a person.
package struct LoginNeed: Equatable, Sendable {
    /// The reason that nobody is logged in.
    package enum Why: Equatable, Sendable {
        case noProfile
        case nothingStored
        case sessionRefused
        /// The response of verify to the stored login, which it has accepted before, judges nothing. Nothing is erased for it.
        case undecided(Refusal)
        case sessionExpired
        /// In so many seconds, sooner than was asked for, and it cannot be refreshed.
        case sessionEndsSoon(seconds: Int64)
        case passwordRefusedBefore
        /// The key of the client certificate is encrypted.
        case keyLocked(file: String)
        /// The identity of a machine is missing, for this reason, in words.
        case noIdentity(String)
        /// A person left it blank until no question was left.
        case leftBlank(CredentialField)
        /// The profile has logins, but not of the account that was named.
        case noSuchAccount(username: String, known: [String])
        /// The profile has logins, but the active one has ended and no other was chosen.
        case noActiveAccount(known: [String])
        /// The server names another person than the one that is stored; what is stored stays.
        case otherPerson(Replacement)
        /// The service names another person for the session, or has refreshed it for one: it is kept, and not used.
        case sessionOfAnother(Replacement)
        /// The session has ended, and the response to its refresh judges nothing. Nothing is erased for it.
        case refreshNotJudged(BusyFault)
        /// Another machine, or an earlier process of this one, began to refresh a login that machines share, and has not ended it; the
        /// service refuses a second refresh.
        case unfinishedRefresh(machine: String)
        /// The clock shows an earlier time than when the login was saved, and the service was not to be asked.
        case clockSetBack(ClockDifference)
        /// With what it was to print.
        case passwordCommandFailed(status: Int32, field: CredentialField = .password)
        case passwordCommandTookTooLong(seconds: Int, field: CredentialField = .password)
        case ticket(TicketProblem)
        /// The resource is in this realm; the login is for another one.
        case otherRealm(String, of: String, login: String)
        /// The server wants a method for which no person is asked here.
        case declined(AuthenticationMethod)
    }

    /// The reason.
    package let why: Why
    /// The missing fields; empty if they are not known, or would not help.
    let missing: [CredentialField]

    /// Whether the service has judged nothing, so that the stored login may be as good as before.
    package var isUndecided: Bool { if case .undecided = why { true } else { false } }

    /// Without `missing`, a message names no single field.
    package init(why: Why, missing: [CredentialField] = []) {
        self.why = why
        self.missing = missing
    }
}

/// A second factor that was missing or refused.
package enum SecondFactorFault: Equatable, Sendable {
    /// A code is wanted, and no person could be asked; with the server's own words, unescaped.
    case required(words: String?)
    /// The code was refused, or the approval was.
    case refused(Refusal)
    /// The server wants one, and the profile does not say how it is sent.
    case notDescribed(words: String?)
}

/// Rethrows a usage fault as a `LoginFault`.
package func fromUsage<Result>(_ body: @autoclosure () throws(UsageFault) -> Result) throws(LoginFault) -> Result {
    do {
        return try body()
    } catch {
        throw .usage(error)
    }
}
