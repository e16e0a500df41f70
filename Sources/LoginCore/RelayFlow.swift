/// What becomes of a request of the person's own: sent, and once more, the same, after a login, if its answer means that
/// there was none.
///
/// One table like `LoginFlow`: two sendings, one question to `verify` and one login at most, and what is forbidden never leads
/// to a login.
public struct RelayFlow: Equatable, Sendable {
    /// Where the request is.
    public enum State: Equatable, Sendable, CaseIterable {
        case sending, verifying, entering, sendingAgain, ended
    }

    /// What happened.
    public enum Event: Equatable, Sendable {
        case answered(RelayJudgement)
        /// The verify endpoint was asked whether it knows the session.
        case verified(isKnown: Bool)
        /// Somebody is logged in anew.
        case entered
    }

    /// What to do next.
    public enum Effect: Equatable, Sendable {
        case verify, enter, sendAgain
        /// The answer that there is goes to the person.
        case finish(Ending)
    }

    /// What the last answer means.
    public enum Ending: Equatable, Sendable {
        /// What its status says.
        case answered
        case forbidden
        /// An event that cannot come where we are.
        case lost
    }

    /// Begins with the request on its way.
    public private(set) var state = State.sending

    /// Begins with `sending`.
    public init() {}

    /// - Returns: what to do next; after `finish` nothing is left to be done.
    public mutating func handle(_ event: Event) -> Effect {
        switch (state, event) {
        case (.sending, .answered(.passed)), (.sendingAgain, .answered(.passed)): return finish(.answered)
        case (.sending, .answered(.forbidden)), (.sendingAgain, .answered(.forbidden)): return finish(.forbidden)
        case (.sending, .answered(.loggedOut)): return go(.entering, .enter)
        case (.sending, .answered(.undecided)): return go(.verifying, .verify)
        case (.verifying, .verified(isKnown: true)): return finish(.forbidden)
        case (.verifying, .verified(isKnown: false)): return go(.entering, .enter)
        case (.entering, .entered): return go(.sendingAgain, .sendAgain)
        // The session was verified a moment ago: another login would be answered the same.
        case (.sendingAgain, .answered(.loggedOut)), (.sendingAgain, .answered(.undecided)): return finish(.forbidden)
        case (.sending, .verified), (.sending, .entered), (.verifying, .answered), (.verifying, .entered),
            (.entering, .answered), (.entering, .verified), (.sendingAgain, .verified), (.sendingAgain, .entered),
            (.ended, .answered), (.ended, .verified), (.ended, .entered):
            return finish(.lost)
        }
    }

    private mutating func go(_ next: State, _ effect: Effect) -> Effect {
        state = next
        return effect
    }

    private mutating func finish(_ ending: Ending) -> Effect { go(.ended, .finish(ending)) }
}
