import Secrets

/// When a device code is asked for next (RFC 8628, section 3.5): a gap that only ever grows, up to the end of the code.
///
/// It has no clock. It is told what has passed since the code came, by a clock that goes on while the machine sleeps.
struct DevicePolling: Equatable, Sendable {
    /// The result of a poll.
    enum Answer: Equatable, Sendable {
        case pending
        /// With the new interval, in seconds, where the server names one.
        case slowDown(interval: Int?)
        /// 429, with `Retry-After` in seconds.
        case tooMany(retryAfter: Int?)
        /// No answer, or a 5xx: some servers fail in the middle, and go on.
        case unavailable(retryAfter: Int?)
        case granted
        case refused(OAuthRefusal)
    }

    /// The next step.
    enum Next: Equatable, Sendable {
        case wait(milliseconds: Int)
        case poll
        case expired
    }

    /// The lifetime and interval of the code.
    let times: DeviceAuthorization.Times
    /// Seconds between two polls, as the server wants them by now.
    private(set) var interval: Int
    /// Milliseconds since the code came.
    private(set) var elapsed = 0
    private var due: Int

    /// Seconds that each reason to go slower adds (RFC 8628, section 3.5).
    private static let step = 5

    /// Begins when the code came: the first poll waits, too.
    init(_ times: DeviceAuthorization.Times) {
        self.times = times
        interval = times.interval
        due = 0
        due = gap
    }

    /// Milliseconds between two polls. A fifth more than is asked for: clocks differ, and an early poll costs five seconds.
    var gap: Int { interval * 1200 }

    private var end: Int { times.lifetime * 1000 }

    /// Milliseconds until the code is of no use.
    var left: Int { max(end - elapsed, 0) }

    /// Past its end a code is expired, whatever the server would say.
    var next: Next {
        if elapsed >= end { return .expired }
        return elapsed >= due ? .poll : .wait(milliseconds: min(due, end) - elapsed)
    }

    /// A wait is over.
    /// - Parameter total: milliseconds since the code came. A clock that stands still does not keep the wait from ending.
    mutating func waited(total: Int) {
        guard case .wait(let milliseconds) = next else { return }
        elapsed = max(total, elapsed + milliseconds)
    }

    /// A poll was answered, and the next one has to wait again.
    /// - Parameter total: milliseconds since the code came.
    mutating func note(_ answer: Answer, total: Int) {
        elapsed = max(elapsed, total)
        switch answer {
        case .pending, .granted, .refused: break
        case .slowDown(let wanted), .tooMany(let wanted), .unavailable(let wanted):
            // By five seconds at least, and for good; longer than the code lives is as long as it lives.
            interval = min(max(interval + Self.step, wanted ?? 0), max(times.lifetime, interval))
        }
        due = elapsed + gap
    }
}

extension DevicePolling.Answer {
    /// Reads the response to a poll.
    /// - Returns: the tokens beside `granted` alone.
    /// - Throws: for what is neither tokens nor a refusal.
    static func read(_ response: HTTPResponse) throws(LoginFault) -> (DevicePolling.Answer, IssuedTokens?) {
        let body = OAuthBody(response)
        if response.status < 500 {
            if body.code == .authorizationPending { return (.pending, nil) }
            if body.code == .slowDown {
                return (.slowDown(interval: body.seconds("interval", in: 1...60) ?? response.retryAfter), nil)
            }
        }
        if response.status == 429 { return (.tooMany(retryAfter: response.retryAfter), nil) }
        switch try TokenResponse(response) {
        case .issued(let tokens): return (.granted, tokens)
        case .unavailable(let fault): return (.unavailable(retryAfter: fault.retryAfter), nil)
        case .refused(let refusal): return (.refused(refusal), nil)
        }
    }

    /// The next step after a poll without a response; `nil` if another try cannot help.
    init?(_ error: LoginFault) {
        switch error {
        // What could not be read may have been the tokens; they are issued once.
        case .network(.brokenResponse), .network(.answerTooLarge): return nil
        case .network: self = .unavailable(retryAfter: nil)
        case .busy(let fault): self = .unavailable(retryAfter: fault.retryAfter)
        case .usage, .rejected, .noTicketForService, .loginRequired, .cancelled, .untrusted, .store, .secondFactor,
            .forbidden, .http, .promptExpired, .oauth, .failure:
            return nil
        }
    }
}

/// The response of the device authorization endpoint (RFC 8628, section 3.2).
struct DeviceAuthorization: Equatable, Sendable {
    /// The device code, for polling; never shown.
    let deviceCode: Secret
    /// The code that a person types, in printable ASCII.
    let userCode: String
    /// Where they type it; safe to be shown.
    let verificationURL: EndpointURL
    /// The same with the code in it, where the server has one; safe to be shown.
    let completeURL: EndpointURL?
    /// Its lifetime, and the interval between two questions.
    let times: Times

    /// The times of a device code, within reason.
    struct Times: Equatable, Sendable {
        /// Seconds from the receipt on.
        let lifetime: Int
        /// Seconds between two polls, at least.
        let interval: Int

        /// - Parameters:
        ///   - lifetime: 900 where the server says none from 10 to 3600.
        ///   - interval: 5 where the server says none from 1 to 60 (RFC 8628, section 3.2).
        init(lifetime: Int? = nil, interval: Int? = nil) {
            self.lifetime = lifetime ?? 900
            self.interval = interval ?? 5
        }
    }

    /// In characters: more is no code that anybody types.
    private static let longestUserCode = 40

    /// Reads the response.
    /// - Throws: `busy`; `oauth` with the refusal, with a URL that is not safe to be shown, for pages on two origins, or for what is
    ///   missing.
    init(
        _ response: HTTPResponse, from endpoint: Origin? = nil, rule: EndpointRule, parse: URLReading
    ) throws(LoginFault) {
        let step = OAuthStep.deviceAuthorization
        let body = OAuthBody(response)
        try body.checkAccepted(at: step)
        guard let code = body.text("device_code") else { throw body.lacking("device_code", at: step) }
        guard let userCode = body.text("user_code") else { throw body.lacking("user_code", at: step) }
        guard Self.isUserCode(userCode) else {
            throw .unsafeText("user_code", at: step)
        }
        // Google's name for it, of before the RFC.
        guard let address = body.text("verification_uri") ?? body.text("verification_url") else {
            throw body.lacking("verification_uri", at: step)
        }
        deviceCode = Secret(code)
        self.userCode = userCode
        let complete = body.text("verification_uri_complete")
        do throws(OAuthFault) {
            verificationURL = try rule.shown(address, namedBy: endpoint, read: parse)
            completeURL = try complete.map { (text) throws(OAuthFault) in
                try rule.shown(text, namedBy: endpoint, read: parse)
            }
            if let other = completeURL?.origin, other != verificationURL.origin {
                // RFC 8628, section 3.3.1.
                throw .other(
                    .untrusted,
                    "the server names two sites for one code, \(verificationURL.origin) and \(other); the code is not shown",
                    next: "\(OAuthFault.advice)")
            }
        } catch {
            throw .oauth(error)
        }
        times = Times(
            lifetime: body.seconds("expires_in", in: 10...3600), interval: body.seconds("interval", in: 1...60))
    }

    /// Whether a code fits in one line of a terminal and controls nothing (RFC 8628, section 6.1).
    private static func isUserCode(_ text: String) -> Bool {
        text.utf8.count <= longestUserCode && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
            && text.first != " " && text.last != " "
    }
}

extension OAuthRefusal {
    /// Whether a device endpoint refuses the client or the whole grant, so that the browser may do better.
    var rulesOutDeviceFlow: Bool {
        step == .deviceAuthorization && (code == .unauthorizedClient || status == 404 || status == 405)
    }
}
