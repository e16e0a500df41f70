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

    /// What is stored beside the session is not asked for, unless something in it may have been refused.
    private func answer(_ question: Question, _ stored: StoredLogin) throws(LoginFault) -> Answer {
        guard case .credential(let challenge) = question, challenge.previousFailureCount == 0 else {
            return try prompt.ask(question)
        }
        var known = Set(stored.extraSecrets.keys)
        if let code, code.isSentAtOnce, code.isThere { known.insert(.code) }
        let answer = try prompt.ask(.credential(challenge.without(known)))
        guard case .credential(let credential, let code) = answer else { return answer }
        return .credential(credential.completed(by: stored.extraSecrets), code: code)
    }
}

extension Challenge {
    /// The challenge without some of its fields.
    fileprivate func without(_ known: Set<CredentialField>) -> Challenge {
        var rest = Challenge(
            profile: profile, protectionSpace: protectionSpace, fields: fields.filter { !known.contains($0) },
            proposedUsername: proposedUsername, previousFailureCount: previousFailureCount, attempt: attempt,
            maxAttempts: maxAttempts, reason: reason)
        rest.signup = signup
        return rest
    }
}
