/// The part of the table that spares a person from typing anew what was not judged.
extension LoginFlow {
    /// Asks whether to send once more what was typed, after a fault that says nothing about it; any other failure is the end.
    mutating func offerRetry(after error: LoginError) -> Effect {
        guard state == .authenticating(.typed), error.leavesUnjudged, retriesOffered < policy.maxAttempts else {
            return finish(.failed(error))
        }
        retriesOffered += 1
        return go(.askingRetry(error), .askRetry(error))
    }

    mutating func handle(_ event: Event, retryingAfter error: LoginError) -> Effect {
        guard case .answeredRetry(let isWanted) = event else { return unexpected(event) }
        return isWanted ? go(.authenticating(.typed), .authenticateAgain) : finish(.failed(error))
    }
}

extension LoginError {
    /// Seconds that a person is kept waiting at most, where a server says when to come back.
    private static let longestWait = 300

    /// Whether the credential was not judged, and another try may go better.
    fileprivate var leavesUnjudged: Bool {
        switch self {
        case .network(.libraryMissing): false
        case .network: true
        case .busy(let fault): fault.retryAfter ?? 0 <= Self.longestWait
        case .usage, .rejected, .noTicketForService, .loginRequired, .cancelled, .untrusted, .store, .forbidden, .http,
            .promptExpired, .failure:
            false
        }
    }
}
