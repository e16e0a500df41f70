extension LoginLoop {
    /// Hands a person's answer on without its secrets.
    func ask(_ question: Question, _ held: inout Held) throws(LoginFault) -> LoginFlow.Reply {
        switch try answer(question, held.stored) {
        case .credential(let credential, let code):
            var name = credential.username
            if case .credential(let challenge) = question { name = name ?? challenge.proposedUsername }
            held.typed = Credential(username: name, credential.kind, extraSecrets: credential.extraSecrets)
            held.code = code
            return .credential(username: name)
        case .code(let code):
            held.code = code
            return .code
        case .leftBlank(let field, let username): return .leftBlank(field, username: username)
        case .trust(let answer): return .trust(answer)
        case .yes: return .yes
        case .no: return .no
        case .continueWithout: return .continueWithout
        case .cancelled: return .cancelled
        case .declined: return .declined
        }
    }

    /// Asks for nothing that is stored beside the session, unless it may have been refused.
    private func answer(_ question: Question, _ stored: StoredLogin) throws(LoginFault) -> Answer {
        if case .replacement(let replacement) = question, consent?.mayAsk == false {
            throw .loginRequired(LoginNeed(why: .otherPerson(replacement)))
        }
        guard case .credential(let challenge) = question else { return try prompt.ask(question) }
        guard challenge.previousFailureCount == 0 else { return try credential(challenge) }
        var known = Set(stored.extraSecrets.keys)
        if let code, code.isSentAtOnce, code.isThere { known.insert(.code) }
        let answer = try credential(challenge.without(known))
        guard case .credential(let credential, let code) = answer else { return answer }
        return .credential(credential.completed(by: stored.extraSecrets), code: code)
    }

    /// Asks the person here, and then at the authorization server if the login is there.
    private func credential(_ challenge: Challenge) throws(LoginFault) -> Answer {
        guard let consent else {
            // Nothing to ask: the person logs in on a page that the service names.
            if challenge.fields.isEmpty { return .credential(Credential(username: nil, .noSecret)) }
            return try prompt.ask(.credential(challenge))
        }
        if challenge.fields.isEmpty { return .credential(try consent.credential([:])) }
        let answer = try prompt.ask(.credential(challenge))
        guard case .credential(let credential, _) = answer else { return answer }
        return .credential(try consent.credential(credential.extraSecrets))
    }
}

extension Challenge {
    /// The challenge without some of its fields.
    fileprivate func without(_ known: Set<CredentialField>) -> Challenge {
        var rest = Challenge(
            profile: profile, protectionSpace: protectionSpace, fields: fields.filter { !known.contains($0) },
            proposedUsername: proposedUsername, previousFailureCount: previousFailureCount, attempt: attempt,
            maxAttempts: maxAttempts, reason: reason)
        (rest.signup, rest.asksForClientSecret) = (signup, asksForClientSecret)
        return rest
    }
}
