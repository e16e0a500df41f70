public import Secrets

extension LoginError {
    /// The same without the server's words, where they repeat a secret that was sent to it: `no user "ann" with the
    /// password "…"`.
    public func withoutWords(repeating secrets: [Secret?]) -> LoginError {
        let repeated = { (words: String?) in
            words.map { words in secrets.contains { $0.map { $0.isPart(of: words) } ?? false } } ?? false
        }
        switch self {
        case .rejected(let refusal) where repeated(refusal.words): return .rejected(refusal.withoutWords)
        case .forbidden(let refusal) where repeated(refusal.words): return .forbidden(refusal.withoutWords)
        case .busy(let fault) where repeated(fault.words):
            return .busy(BusyFault(status: fault.status, retryAfter: fault.retryAfter, words: nil))
        case .failure(.unexpectedStatus(let status, let step, let words)) where repeated(words):
            return .failure(.unexpectedStatus(status, step: step, words: nil))
        case .usage, .rejected, .noTicketForService, .loginRequired, .cancelled, .network, .untrusted, .store,
            .forbidden, .busy,
            .promptExpired, .failure:
            return self
        }
    }
}

extension Refusal {
    fileprivate var withoutWords: Refusal {
        Refusal(status: status, words: nil, mayMeanForbidden: mayMeanForbidden, hadTicket: hadTicket)
    }
}

extension Secret {
    fileprivate func isPart(of text: String) -> Bool {
        guard !isEmpty else { return false }
        let bytes = Array(text.utf8)
        return withUnsafeBytes { bytes.firstRange(of: $0) != nil }
    }
}
