extension LoginFlow {
    /// Where the code of a second factor comes from; none where an approval on another device is waited for.
    enum CodeSource: Equatable, Sendable { case supplied, typed, none }

    /// The part of the table that is about a second factor: what was sent first is good, whatever becomes of the code.
    mutating func handleSecondFactor(_ event: Event) -> Effect {
        switch (state, event) {
        case (.authenticating(let source), .needsCode(let words)), (.resuming(let source, _), .needsCode(let words)):
            return demandCode(words: words, from: source)
        case (.authenticating(let source), .pending(let seconds, let took)),
            (.resuming(let source, _), .pending(let seconds, let took)):
            secondsWaited += took
            return wait(seconds, for: source)
        case (.waiting(let source), .waited):
            return go(.resuming(source, .none), .resume(.none))
        case (.resuming(let source, _), .confirmed(let identity, let isRefreshed)):
            return confirm(identity, isRefreshed, from: source)
        // Another password would need another code.
        case (.resuming, .unconfirmed(let login)):
            return finish(.failed(.usage(.unconfirmed(login))))
        case (.resuming(_, .none), .refused(let refusal)):
            return finish(.failed(.secondFactor(.refused(refusal))))
        case (.resuming(let source, _), .refused(let refusal)):
            return demandCode(refused: refusal, words: refusal.words, from: source)
        // The other states never come here; a new one has to be named before this builds.
        case (.resuming, _), (.waiting, _), (.authenticating, _), (.starting, _), (.lookingUp, _), (.judging, _),
            (.preparing, _), (.awaiting, _), (.rejectingCredential, _), (.saving, _), (.trusting, _),
            (.rememberingTrust, _), (.finished, _):
            return unexpected(event)
        }
    }

    /// The answer to a question for a code.
    mutating func take(_ reply: Reply, to request: CodeRequest, from source: Source) -> Effect {
        switch reply {
        case .code:
            (codesSent, blanksInARow) = (codesSent + 1, 0)
            return go(.resuming(source, .typed), .resume(.typed))
        case .leftBlank:
            blanksInARow += 1
            return demandCode(refused: request.refusal, words: request.words, from: source)
        case .credential, .trust, .yes, .no, .continueWithout, .cancelled, .declined:
            return unexpected(.answered(reply))
        }
    }

    /// A code that was given is tried once, and no question follows it.
    private mutating func demandCode(refused refusal: Refusal? = nil, words: String?, from source: Source) -> Effect {
        if policy.hasSuppliedCode, !hasSentSuppliedCode {
            hasSentSuppliedCode = true
            return go(.resuming(source, .supplied), .resume(.supplied))
        }
        guard policy.mayAsk, !hasSentSuppliedCode, codesSent < policy.maxAttempts, blanksInARow < policy.maxBlanks
        else {
            return finish(.failed(.secondFactor(refusal.map { .refused($0) } ?? .required(words: words))))
        }
        let request = CodeRequest(
            profile: subject.profile, origin: subject.protectionSpace.origin, words: words, refusal: refusal,
            attempt: codesSent + 1, maxAttempts: policy.maxAttempts)
        return ask(.code(request), then: .resume(source))
    }

    /// Only at a login: a command that uses a kept password has no person who looks at another device.
    private mutating func wait(_ seconds: Int, for source: Source) -> Effect {
        guard policy.mayAsk || policy.hasSuppliedCredential else {
            return finish(.failed(.secondFactor(.required(words: nil))))
        }
        guard secondsWaited + seconds <= policy.patience else {
            return finish(.failed(.promptExpired(seconds: policy.patience)))
        }
        secondsWaited += max(seconds, 1)
        return go(.waiting(source), .wait(seconds: seconds))
    }
}
