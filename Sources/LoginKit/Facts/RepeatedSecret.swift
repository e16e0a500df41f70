extension LoginFault {
    /// The fault without the server's words, if they repeat a secret.
    func without(_ secrets: RepeatedSecrets) -> LoginFault {
        let told = { (text: String) in secrets.stand(in: text) ? "…" : text }
        switch self {
        case .rejected(let refusal): return .rejected(refusal.without(secrets))
        case .forbidden(let refusal): return .forbidden(refusal.without(secrets))
        case .secondFactor(let fault): return .secondFactor(fault.without(secrets))
        case .busy(let fault):
            let words = fault.words.flatMap { secrets.stand(in: $0) ? nil : $0 }
            return .busy(
                BusyFault(
                    status: fault.status, retryAfter: fault.retryAfter, words: words, isDoubtful: fault.isDoubtful))
        case .oauth(let fault): return .oauth(fault.without(secrets))
        case .failure(let fault): return .failure(fault.without(secrets))
        case .untrusted(.otherOrigin(let target)): return .untrusted(.otherOrigin(target: told(target)))
        case .untrusted(.unclearRedirect(let target)): return .untrusted(.unclearRedirect(target: told(target)))
        case .untrusted(.formElsewhere(let page, let target)):
            return .untrusted(.formElsewhere(page: told(page), target: told(target)))
        case .untrusted(.weakerMethod(let offered, let accepted)):
            return .untrusted(.weakerMethod(offered: offered.map(told), accepted: accepted))
        case .network(.brokenResponse(let problem)): return .network(.brokenResponse(told(problem)))
        case .network(.unanswered(.brokenResponse(let problem))):
            return .network(.unanswered(.brokenResponse(told(problem))))
        case .usage(.unprovenLogin(let response)) where secrets.stand(in: response):
            return .usage(.unprovenLogin("the response to login repeats a secret, and does not prove a login"))
        case .usage, .noTicketForService, .loginRequired, .cancelled, .network, .untrusted, .store, .promptExpired,
            .http:
            return self
        }
    }
}

extension OtherFailure {
    fileprivate func without(_ secrets: RepeatedSecrets) -> OtherFailure {
        switch self {
        case .unexpectedStatus(let status, let step, let words):
            .unexpectedStatus(status, step: step, words: words.flatMap { secrets.stand(in: $0) ? nil : $0 })
        case .redirected(let step, let status, let target):
            .redirected(step: step, status: status, target: secrets.stand(in: target) ? "…" : target)
        case .other(let what, let details, _) where ([what] + details).contains(where: secrets.stand):
            .other("the response cannot be used; it repeats a secret")
        case .missingInResponse, .noCSRF, .noSuchForm, .formDisabled, .tokenTooShortLived,
            .logoutIncomplete, .unexpectedEvent, .bodyNotRepeatable, .sessionFitsNoHeader, .libraryMissing, .system,
            .browser, .other:
            self
        }
    }
}

extension SecondFactorFault {
    fileprivate func without(_ secrets: RepeatedSecrets) -> SecondFactorFault {
        switch self {
        case .required(let words): .required(words: words.flatMap { secrets.stand(in: $0) ? nil : $0 })
        case .refused(let refusal): .refused(refusal.without(secrets))
        case .notDescribed(let words): .notDescribed(words: words.flatMap { secrets.stand(in: $0) ? nil : $0 })
        }
    }
}

extension Refusal {
    /// The fault without the server's words, if they repeat a secret.
    func without(_ secrets: RepeatedSecrets) -> Refusal {
        var refusal = self
        if let words, secrets.stand(in: words) { refusal.words = nil }
        if case .otherChallenge(let challenge, let former) = doubt {
            refusal.doubt = .otherChallenge(
                secrets.stand(in: challenge) ? "…" : challenge, than: secrets.stand(in: former) ? "…" : former)
        }
        return refusal
    }
}
