extension LoginFlow {
    /// An answer without what is secret in it: that stays with the loop.
    enum Reply: Equatable, Sendable {
        /// With the user name that was typed, or that stood there.
        case credential(username: String?)
        case leftBlank(CredentialField, username: String? = nil)
        case code
        case trust(TrustAnswer)
        case yes, no, continueWithout, cancelled, declined
    }

    mutating func ask(_ question: Question, then continuation: Continuation) -> Effect {
        go(.awaiting(question, then: continuation), .ask(question))
    }

    /// The part of the table that is about a person's answers.
    mutating func take(_ reply: Reply, to question: Question, then continuation: Continuation) -> Effect {
        switch (question, continuation, reply) {
        case (_, _, .cancelled):
            return finish(.failed(.cancelled))
        case (.credential, .authenticate, let reply):
            return take(reply)
        case (.code(let request), .resume(let source), let reply):
            return take(reply, to: request, from: source)
        case (.certificate(let trust), .retake(let interruption), .trust(let answer)):
            return take(answer, about: trust, then: interruption)
        case (.replacement, .save(let identity, let source), .yes):
            return keep(identity, from: source)
        case (.replacement, .save, .no):
            return finish(.failed(.cancelled))
        case (.retry, .authenticate, .yes):
            return authenticate(.typed)
        case (.retry, .resume(let source), .yes):
            return go(.resuming(source, .typed), .resume(.typed))
        case (.retry, .retype, .yes):
            return ask(.unjudged)
        case (.retry(let request), _, .no):
            return finish(.failed(request.fault))
        // Nothing else fits; a new question has to be named here before this builds.
        case (.credential, _, _), (.code, _, _), (.certificate, _, _), (.replacement, _, _), (.retry, _, _):
            return unexpected(.answered(reply))
        }
    }

    private mutating func take(_ reply: Reply) -> Effect {
        switch reply {
        case .credential(let username):
            proposedUsername = username ?? proposedUsername
            (credentialsSent, blanksInARow) = (credentialsSent + 1, 0)
            return authenticate(.typed)
        case .leftBlank(let field, let username):
            proposedUsername = username ?? proposedUsername
            blanksInARow += 1
            if blanksInARow < policy.maxBlanks { return ask(.leftBlank(field)) }
            return finish(.failed(lastRefusal.map { .rejected($0) } ?? .loginRequired(need(.leftBlank(field)))))
        case .continueWithout:
            return finish(.continuedWithout)
        case .declined:
            let need = LoginNeed(why: .declined(subject.protectionSpace.method))
            return finish(.failed(lastRefusal.map { .rejected($0) } ?? .loginRequired(need)))
        case .code, .trust, .yes, .no, .cancelled:
            return unexpected(.answered(reply))
        }
    }
}

/// The part that spares a person from typing anew what was not judged.
extension LoginFlow {
    /// Asks whether to send once more what was typed, after a fault that says nothing about it; any other failure is the end.
    mutating func offerRetry(after error: LoginFault) -> Effect {
        guard let continuation = state.retryable, error.leavesUnjudged, retriesOffered < policy.maxAttempts else {
            return finish(.failed(error))
        }
        retriesOffered += 1
        return ask(.retry(RetryRequest(error)), then: continuation)
    }

    /// Ends with a login that nothing has judged, unless the person types the password once more: it may have been wrong. That is no
    /// attempt.
    mutating func end(with login: UnconfirmedLogin, from source: Source) -> Effect {
        let fault = LoginFault.usage(.unconfirmed(login))
        guard source == .typed, login.mayBeWrong, retriesOffered < policy.maxAttempts else {
            return finish(.failed(fault))
        }
        (retriesOffered, credentialsSent) = (retriesOffered + 1, credentialsSent - 1)
        return ask(.retry(RetryRequest(fault)), then: .retype)
    }
}

extension LoginFlow.State {
    /// The way to send the typed credential again, while it is being judged.
    fileprivate var retryable: LoginFlow.Continuation? {
        switch self {
        case .authenticating(.typed): .authenticate
        case .resuming(let source, .typed): .resume(source)
        case .starting, .lookingUp, .judging, .preparing, .awaiting, .authenticating, .resuming, .waiting,
            .rejectingCredential, .saving, .trusting, .rememberingTrust, .finished:
            nil
        }
    }
}

extension LoginFault {
    /// Seconds that a person is kept waiting at most, where a server says when to come back.
    private static let longestWait = 300

    /// Whether what was sent was not judged, and another try may go better.
    fileprivate var leavesUnjudged: Bool {
        switch self {
        case .network: true
        case .busy(let fault): fault.retryAfter ?? 0 <= Self.longestWait
        case .usage, .rejected, .noTicketForService, .loginRequired, .cancelled, .untrusted, .store, .secondFactor,
            .forbidden, .http, .promptExpired, .oauth, .failure:
            false
        }
    }
}

/// The part of the table that keeps one account's login from being used for another.
extension LoginFlow {
    /// Saves a login that was confirmed, unless it is another person's: then a person is asked first.
    mutating func save(_ identity: Identity, from source: Source) -> Effect {
        guard let replacement = replacement(by: identity) else { return keep(identity, from: source) }
        guard policy.mayAsk, source != .supplied else {
            return finish(.failed(.loginRequired(LoginNeed(why: .otherPerson(replacement)))))
        }
        return ask(.replacement(replacement), then: .save(identity, source))
    }

    mutating func keep(_ identity: Identity, from source: Source) -> Effect {
        go(.saving(identity, source), .save(approval(source)))
    }

    func replacement(by confirmed: Identity) -> Replacement? {
        if let wanted = subject.wanted, let other = Replacement(wanted: wanted, confirmed: confirmed) { return other }
        let name = confirmed.accountName
        let same = subject.accounts.first { $0.username.isSame(as: name) }
        let meant = subject.account.flatMap { wanted in subject.accounts.first { $0.username.isSame(as: wanted) } }
        return (meant ?? same).flatMap { Replacement(of: $0, by: confirmed) }
    }
}
