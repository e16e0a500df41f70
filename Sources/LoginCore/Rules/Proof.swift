/// The proof that a login works.
package enum Proof: Equatable, Sendable {
    /// The endpoint that answers whether a session is good and, if it can, whose it is. Its rules hold for requests of a
    /// person's own, too.
    case verify(RequestRule)
    /// The service has no such endpoint: the answer to the login request is the proof, by a 2xx with the token or a cookie in it.
    /// The rules are for requests of a person's own alone.
    case loginResponse(ResponseRule)

    /// By which the answer to a request with a session is read.
    package var rules: ResponseRule {
        switch self {
        case .verify(let request): request.response
        case .loginResponse(let rules): rules
        }
    }
}

extension Profile {
    /// The verify endpoint, if the service has one.
    package var verify: RequestRule? {
        switch proof {
        case .verify(let request): request
        case .loginResponse: nil
        }
    }

    /// The request that has to send an anonymous client away before anybody is asked for a credential. Login forms
    /// are never submitted empty.
    package var guarded: (rule: RequestRule, step: Step)? {
        switch proof {
        case .verify(let request): return (request, .verify)
        case .loginResponse:
            return traits.authenticatesRequests ? login.map { ($0, .login) } : nil
        }
    }
}
