extension AuthorizationFlow {
    /// A response from the port or pasted, without its code, which stays with the loop.
    enum Reply: Equatable, Sendable {
        case right
        case denied(OAuthRefusal)
        /// With the state of this login, and no response to it.
        case forged
        /// A response without the state of this login.
        case stray
        case notAnAddress(PasteFault)
        /// The person said no at the question for the address.
        case cancelled

        /// - Returns: the same without the code.
        init(_ answer: AuthorizationResponse) {
            switch answer {
            case .right: self = .right
            case .denied(let refusal): self = .denied(refusal)
            case .refused(let forgery): self = forgery.knowsState ? .forged : .stray
            case .notAnAddress(let fault): self = .notAnAddress(fault)
            }
        }
    }

    /// One wait for the browser, at the port and at the prompt together.
    /// Without a complaint, as the first one of a login.
    struct CallbackWait: Equatable, Sendable {
        /// Whether the port is listened on.
        var hears: Bool
        /// Whether a person is asked for the address.
        var asks: Bool
        /// Seconds that are left.
        var seconds: Int
        /// The complaint about the last pasted text.
        var complaint: PasteFault?
        /// The number of forged responses.
        var forgeries = 0
    }

    /// The largest number of forged responses with the right state; then the port closes.
    static let mostForgeries = 64

    /// The part of the table in which a browser brings the response.
    mutating func handleBrowser(_ event: Event) -> Effect {
        switch (state, event) {
        case (.listening(let starts), .listened(let redirect)):
            self.redirect = redirect
            return registerOrGo(.browser(starts: starts), hears: true)
        case (.listening(let starts), .portTaken(let port, let redirect)):
            guard policy.mayAsk else {
                return fail(
                    .other(
                        .failure, "port \(port) is in use here, so the browser's answer cannot arrive",
                        next: "end the program that uses it, or at a terminal: \(.login)"))
            }
            self.redirect = redirect
            return registerOrGo(.browser(starts: starts), hears: false)
        case (.pushing(let starts, let hears), .pushed):
            return show(starts: starts, hears: hears)
        case (.showing(let hears), .shown):
            return awaitAnswer(CallbackWait(hears: hears, asks: policy.mayAsk, seconds: policy.patience))
        case (.awaitingAnswer(let wait), .heard(let reply, let seconds)):
            return take(reply, after: seconds, wait)
        case (.awaitingAnswer, .nothingHeard):
            return fail(unanswered)
        // The other states never come here; a new one has to be named before this builds.
        case (.listening, _), (.pushing, _), (.showing, _), (.awaitingAnswer, _), (.starting, _), (.discovering, _),
            (.asking, _), (.registering, _), (.requestingCode, _), (.askingPage, _), (.showingCode, _), (.waiting, _),
            (.polling, _), (.exchanging, _), (.finished, _):
            return unexpected(event)
        }
    }

    mutating func pushOrShow(starts: Bool, hears: Bool) -> Effect {
        guard server.endpoints.contains(.pushedAuthorization) else { return show(starts: starts, hears: hears) }
        return go(.pushing(starts: starts, hears: hears), .push)
    }

    private mutating func show(starts: Bool, hears: Bool) -> Effect {
        go(.showing(hears: hears), .show(starts: starts, insteadOfDevice: wasRefusedDevice))
    }

    private mutating func awaitAnswer(_ wait: CallbackWait) -> Effect {
        guard wait.seconds > 0 else { return fail(unanswered) }
        return go(.awaitingAnswer(wait), .awaitAnswer(wait))
    }

    private var unanswered: OAuthFault {
        .unanswered(seconds: policy.patience, redirect: redirect, clientID: server.clientID)
    }

    private mutating func take(_ reply: Reply, after seconds: Int, _ wait: CallbackWait) -> Effect {
        var next = wait
        // Time only passes.
        next.seconds = min(wait.seconds, policy.patience - seconds)
        switch reply {
        case .right:
            return go(.exchanging, .exchange)
        case .denied(let refusal):
            return fail(.refused(refusal))
        case .cancelled:
            return finish(.failed(.cancelled))
        case .notAnAddress(let fault):
            next.complaint = fault
            return awaitAnswer(next)
        case .stray:
            guard wait.hears else { return unexpected(.heard(reply, after: seconds)) }
            guard next.seconds > 0 else { return fail(unanswered) }
            // What was said of the last paste stands, and is not said again.
            var unsaid = next
            unsaid.complaint = nil
            return go(.awaitingAnswer(next), .awaitAnswer(unsaid))
        case .forged:
            guard wait.hears else { return unexpected(.heard(reply, after: seconds)) }
            next.forgeries += 1
            next.complaint = nil
            next.hears = next.forgeries < Self.mostForgeries
            guard next.hears || next.asks else {
                return fail(
                    .other(
                        .failure,
                        "more than \(Self.mostForgeries) responses arrived that do not belong to this login, so it was given up",
                        next: "find out which program sends them, then: \(.login)"))
            }
            return awaitAnswer(next)
        }
    }
}
