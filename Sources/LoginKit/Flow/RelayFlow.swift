import Secrets

/// The table of a person's own request: it is sent, and once more, the same, after a login if its answer means that
/// there was none.
///
/// One table like `LoginFlow`, which promises:
/// - one question to `verify` and one login at most, and every path ends;
/// - once a request is out, nothing is refreshed, erased or logged in for before the server has refused the session at `verify`, unless
///   it has refused the password itself, or there is no session: then it is not asked about that once more (a session past its end is
///   refreshed before that: `SessionProvider.enterUnverified`);
/// - a session goes out twice at most: with the first login and with the next one;
/// - what is forbidden, or of another protection space, never leads to a login.
struct RelayFlow: Equatable, Sendable {
    /// The session that is sent with the request.
    enum Attachment: Equatable, Sendable {
        /// No session: there never was a login here.
        case nothing
        /// A password that is not sent here before the server asks for it.
        case withheld(isConfirmed: Bool)
        /// `isConfirmed` by the server a moment ago, so that another login would be answered the same.
        case session(isConfirmed: Bool)
    }

    /// Where the request is.
    enum State: Equatable, Sendable {
        case sending(Attachment)
        /// After an answer that was taken for this.
        case verifying(RelayJudgement)
        case entering
        case ended
    }

    /// An event.
    enum Event: Equatable, Sendable {
        case answered(RelayJudgement)
        /// The verify endpoint was asked whether it knows the session.
        case verified(isKnown: Bool)
        /// Somebody is logged in anew. `sendsAhead` unless it is with a password that is not sent here unasked.
        case entered(sendsAhead: Bool)
    }

    /// The next step.
    enum Effect: Equatable, Sendable {
        case verify, enter
        /// Sends the request again, with this.
        case send(Attachment)
        /// The answer that there is goes to the person.
        case finish(Ending)
    }

    /// The meaning of the last response.
    enum Ending: Equatable, Sendable {
        /// As its status says.
        case answered
        case forbidden
        /// The server wants a login to this realm.
        case otherRealm(String)
        /// An event that cannot come where we are.
        case lost
    }

    /// Begins with the request on its way.
    private(set) var state: State
    private let canVerify: Bool
    /// Whether the server has asked for the password at this very URL.
    private var wasAsked = false

    /// - Parameters:
    ///   - attachment: what the request is sent with.
    ///   - canVerify: whether there is a verify endpoint to be asked; else the rules decide alone.
    init(sending attachment: Attachment, canVerify: Bool = true) {
        state = .sending(attachment)
        self.canVerify = canVerify
    }

    /// - Returns: what to do next; after `finish` nothing is left to be done.
    mutating func handle(_ event: Event) -> Effect {
        switch (state, event) {
        case (.sending(let attachment), .answered(let judgement)):
            return judge(judgement, attachment)
        case (.verifying(.likeAnonymous), .verified(isKnown: true)):
            // A redirect after a post, say, or a value that the request lacks: whoever is logged in gets that, too.
            return finish(.answered)
        case (.verifying, .verified(isKnown: true)):
            return finish(.forbidden)
        case (.verifying, .verified(isKnown: false)):
            return go(.entering, .enter)
        case (.entering, .entered(let sendsAhead)):
            return send(sendsAhead || wasAsked ? .session(isConfirmed: true) : .withheld(isConfirmed: true))
        case (.sending, _), (.verifying, _), (.entering, _), (.ended, _):
            return finish(.lost)
        }
    }

    private mutating func judge(_ judgement: RelayJudgement, _ attachment: Attachment) -> Effect {
        switch (attachment, judgement) {
        case (_, .passed):
            return finish(.answered)
        case (.nothing, _):
            // Without a session, any refusal means: log in.
            return go(.entering, .enter)
        case (_, .otherRealm(let realm)):
            return finish(.otherRealm(realm))
        case (.withheld(let isConfirmed), _):
            wasAsked = true
            return send(.session(isConfirmed: isConfirmed))
        case (.session, .forbidden):
            return finish(.forbidden)
        case (.session(isConfirmed: true), .likeAnonymous):
            return finish(.answered)
        case (.session(isConfirmed: true), _):
            return finish(.forbidden)
        case (.session, .refusedPassword):
            return go(.entering, .enter)
        case (.session, .loggedOut), (.session, .undecided), (.session, .likeAnonymous):
            return canVerify ? go(.verifying(judgement), .verify) : go(.entering, .enter)
        }
    }

    private mutating func send(_ attachment: Attachment) -> Effect { go(.sending(attachment), .send(attachment)) }

    private mutating func go(_ next: State, _ effect: Effect) -> Effect {
        state = next
        return effect
    }

    private mutating func finish(_ ending: Ending) -> Effect { go(.ended, .finish(ending)) }
}

/// The meaning of a response to the person's own request for the session that was sent with it.
enum RelayJudgement: Equatable, Sendable {
    /// Nothing: it is the person's to read.
    case passed
    /// A 401 or 403 of which a rule of the profile says that the session has ended.
    case loggedOut
    /// The session is good, and the account may not.
    case forbidden
    /// 401 or 403, and no rule of the profile says which of the two it means.
    case undecided
    /// Another response that anonymous clients get, by a rule of the profile, by a redirect to where people log in, or by the form of
    /// the login. Whoever is logged in may get it for another reason.
    case likeAnonymous
    /// A 401 to the password itself that asks for the password of the login's own realm again: the server has judged it, and asking
    /// verify would be another attempt. A 401 without such a challenge does not say that it looked at the password.
    case refusedPassword
    /// A 401 of another protection space than the login's, by the realm that its challenge names.
    case otherRealm(String)
}

/// The facts for reading such a response, beside the rules of the profile.
/// Without arguments: a session other than a password, of which no more is known.
struct RelayContext: Equatable, Sendable {
    /// Where the login was verified, as far as that is known.
    var space: VerifiedSpace?
    /// Whether the password itself was sent, by HTTP authentication.
    var carriedPassword = false
    /// Where people log in: paths of the profile's own requests.
    var loginPaths: [String] = []
    /// The response of verify to anonymous clients.
    var anonymous: AnonymousResponse?
}

extension ParsedResponse {
    /// Reads the answer by the rules that hold for every request with the session. Where no verify endpoint can be asked, the
    /// status decides what no rule names.
    func relayed(by proof: Proof, in context: RelayContext = RelayContext()) -> RelayJudgement {
        let judgement = relayed(by: proof.rules, in: context)
        guard case .loginResponse(let rules) = proof, judgement == .undecided else { return judgement }
        if status == 403 { return .forbidden }
        return rules.loggedOut == nil ? .loggedOut : .passed
    }

    /// Reads the answer by the rules of `verify`, which hold for every request with the session.
    func relayed(by rule: ResponseRule, in context: RelayContext = RelayContext()) -> RelayJudgement {
        let offered = AuthenticateChallenge.parse(response.values(of: "WWW-Authenticate"))
        if status == 401, let realm = context.space?.otherRealm(in: offered) { return .otherRealm(realm) }
        if matches(any: rule.forbidden ?? []) { return .forbidden }
        let isToldForbidden = toldForbidden(Refusal(status: status)) != nil
        let passwords = offered.filter(\.takesPassword)
        if status == 401, context.carriedPassword, let space = context.space, !passwords.isEmpty,
            passwords.allSatisfy({
                space.isNamed(by: $0) && context.anonymous?.challenges?.contains($0.spaceName) ?? true
            })
        {
            return isToldForbidden ? .forbidden : .refusedPassword
        }
        if matches(any: rule.loggedOut ?? []) { return response.isRefusal ? .loggedOut : .likeAnonymous }
        if isRedirect(toLoginOf: context) || asksAgain && (200..<300).contains(status) { return .likeAnonymous }
        guard response.isRefusal else { return isLikeAnonymous(context.anonymous) ? .likeAnonymous : .passed }
        return isToldForbidden ? .forbidden : .undecided
    }

    /// Whether anonymous clients get such a response from verify, or it has a status by which services say that a session has ended.
    private func isLikeAnonymous(_ anonymous: AnonymousResponse?) -> Bool {
        [419, 440, 498].contains(status)
            || anonymous?.meansLoggedOut(self) ?? false
    }

    private func isRedirect(toLoginOf context: RelayContext) -> Bool {
        guard (300..<400).contains(status), let path = locationPath else { return false }
        return path.lookedUpPath == context.anonymous?.location?.lookedUpPath
            || foreignRedirect == nil && context.loginPaths.contains { path.lookedUpPath == $0.lookedUpPath }
    }
}
