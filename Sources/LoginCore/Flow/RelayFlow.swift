/// The table of a person's own request: it is sent, and once more, the same, after a login if its answer means that
/// there was none.
///
/// One table like `LoginFlow`, which promises:
/// - one question to `verify` and one login at most, and every path ends;
/// - nothing is refreshed, erased or logged in for before the server has refused the session at `verify`, unless it has refused the
///   password itself, or there is no session: then it is not asked about that once more;
/// - a session goes out twice at most: with the first login and with the next one;
/// - what is forbidden, or of another protection space, never leads to a login.
package struct RelayFlow: Equatable, Sendable {
    /// The session that is sent with the request.
    package enum Attachment: Equatable, Sendable {
        /// No session: there never was a login here.
        case nothing
        /// A password that is not sent here before the server asks for it.
        case withheld(isConfirmed: Bool)
        /// `isConfirmed` by the server a moment ago, so that another login would be answered the same.
        case session(isConfirmed: Bool)
    }

    /// Where the request is.
    package enum State: Equatable, Sendable {
        case sending(Attachment)
        /// After an answer that was taken for this.
        case verifying(RelayJudgement)
        case entering
        case ended
    }

    /// An event.
    package enum Event: Equatable, Sendable {
        case answered(RelayJudgement)
        /// The verify endpoint was asked whether it knows the session.
        case verified(isKnown: Bool)
        /// Somebody is logged in anew. `sendsAhead` unless it is with a password that is not sent here unasked.
        case entered(sendsAhead: Bool)
    }

    /// The next step.
    package enum Effect: Equatable, Sendable {
        case verify, enter
        /// Sends the request again, with this.
        case send(Attachment)
        /// The answer that there is goes to the person.
        case finish(Ending)
    }

    /// The meaning of the last response.
    package enum Ending: Equatable, Sendable {
        /// As its status says.
        case answered
        case forbidden
        /// The server wants a login to this realm.
        case otherRealm(String)
        /// An event that cannot come where we are.
        case lost
    }

    /// Begins with the request on its way.
    package private(set) var state: State
    private let canVerify: Bool
    /// Whether the server has asked for the password at this very URL.
    private var wasAsked = false

    /// - Parameters:
    ///   - attachment: what the request is sent with.
    ///   - canVerify: whether there is a verify endpoint to be asked; else the rules decide alone.
    package init(sending attachment: Attachment, canVerify: Bool = true) {
        state = .sending(attachment)
        self.canVerify = canVerify
    }

    /// - Returns: what to do next; after `finish` nothing is left to be done.
    package mutating func handle(_ event: Event) -> Effect {
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
            // Who is nobody can only be refused as nobody.
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
