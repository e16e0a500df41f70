/// The dialogue in which a person gives a grant (RFC 6749, section 4.1; RFC 8628), as one table, from the server's metadata to the
/// exchange.
///
/// As with `LoginFlow`, events say what happened and effects what is to be done; no state, event or effect holds a code, a token, a
/// state or a verifier. What is promised, and proved by a walk of every reachable state with every event
/// (`OAuthFlowWalkTests`):
/// - every wait ends: none is longer than what is left of its time, and only what a person or an anonymous client sends makes one anew;
/// - a code is exchanged once at most, and only after the right response; nothing is polled without a wait before it;
/// - the listener is open, or known to be in use, before a client is registered, and before anybody is told where to go;
/// - a server on another origin is asked for nothing but its metadata before the person has agreed;
/// - a code that is typed on another origin than the issuer's is shown to nobody before the person has agreed;
/// - every path ends, and nothing happens after the end.
/// Begins with nothing known of the server.
struct AuthorizationFlow: Equatable, Sendable {
    /// The caller's settings and knowledge.
    /// Without arguments, a person at a terminal without a browser.
    struct Policy: Equatable, Sendable {
        /// The facts that decide between browser and device.
        var choice = AuthorizationWay.Choice()
        /// Whether a person may be asked: to agree, and for the address.
        var mayAsk = true
        /// Seconds that are waited for the browser.
        var patience = 300
    }

    /// The server, by the profile first and its metadata second.
    struct Server: Equatable, Sendable {
        /// The endpoints that it has.
        var endpoints: Set<OAuthEndpoint>
        /// The server that a person must agree to first; `nil` if nobody is asked.
        var toAsk: ForeignServer?
        /// The client that is known there; `nil` if one is registered.
        var clientID: String?
    }

    /// The progress of an authorization: what was asked for last.
    enum State: Equatable, Sendable, NamedCase {
        case starting
        /// The search for the server and a client, as the next ones.
        case discovering
        case asking(ForeignServer)
        case registering(AuthorizationWay, hears: Bool)
        /// A browser, as the next ones; `starts` as in the way.
        case listening(starts: Bool)
        case pushing(starts: Bool, hears: Bool)
        case showing(hears: Bool)
        case awaitingAnswer(CallbackWait)
        /// A device code, as the next ones.
        case requestingCode
        case askingPage(ForeignServer, DeviceAuthorization.Times)
        case showingCode(DevicePolling)
        case waiting(DevicePolling)
        case polling(DevicePolling)
        case exchanging
        case finished(Outcome)
    }

    /// The result of the last effect, or the beginning of the flow.
    enum Event: Equatable, Sendable, NamedCase {
        case begun
        case discovered(Server)
        case agreed, declined
        /// With the whole redirect, for messages.
        case listened(redirect: String)
        /// Another program has the port.
        case portTaken(Int, redirect: String)
        case registered
        case pushed
        case shown
        /// So many seconds after the wait began.
        case heard(Reply, after: Int)
        case nothingHeard
        /// With what a person has to agree to before they see it.
        case codeIssued(DeviceAuthorization.Times, toAsk: ForeignServer? = nil)
        case codeRefused(OAuthRefusal)
        /// So many milliseconds after the code came, as the next one.
        case waited(total: Int)
        case polled(DevicePolling.Answer, total: Int)
        case exchanged
        case failed(LoginFault)
    }

    /// The next step. Its result is the next event.
    enum Effect: Equatable, Sendable {
        /// Finds the server and reads its metadata.
        case discover
        case ask(ForeignServer)
        case listen
        case register(AuthorizationWay)
        case push
        /// Tells where to go, and starts a browser; `insteadOfDevice` where the server has refused a device code.
        case show(starts: Bool, insteadOfDevice: Bool)
        case awaitAnswer(CallbackWait)
        case requestCode
        case showCode
        case wait(milliseconds: Int, secondsLeft: Int)
        case poll
        case exchange
        /// The listener is closed, whatever the outcome.
        case finish(Outcome)
    }

    /// The end of the flow.
    enum Outcome: Equatable, Sendable {
        case granted
        case failed(LoginFault)
    }

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

    /// Where it is now.
    private(set) var state = State.starting
    let policy: Policy
    /// As the server was discovered.
    var server = Server(endpoints: [])
    /// Whether the server has refused a device code.
    var wasRefusedDevice = false
    /// Where the response comes back; no secret.
    var redirect: String?

    /// Takes note of what happened.
    /// - Returns: what to do next; `finish` with the outcome at the end, and after it whatever happens. An event that cannot
    ///   follow ends it as a failure.
    mutating func handle(_ event: Event) -> Effect {
        switch state {
        case .finished(let outcome):
            return .finish(outcome)

        // Before anybody is told where to go: the server, its consent, and the client.
        case .starting:
            if event == .begun { return go(.discovering, .discover) }
        case .discovering:
            guard case .discovered(let server) = event else { break }
            self.server = server
            guard let foreign = server.toAsk else { return begin() }
            return ask(foreign, in: .asking(foreign))
        case .asking:
            if event == .agreed { return begin() }
            if event == .declined { return finish(.failed(.cancelled)) }
        case .registering(let way, let hears):
            if event == .registered { return goOn(way, hears: hears) }

        // A browser brings the response.
        case .listening(let starts):
            if case .listened(let redirect) = event {
                self.redirect = redirect
                return registerOrGo(.browser(starts: starts), hears: true)
            }
            guard case .portTaken(let port, let redirect) = event else { break }
            guard policy.mayAsk else {
                return fail(
                    .other(
                        .failure, "port \(port) is in use here, so the browser's answer cannot arrive",
                        next: "end the program that uses it, or at a terminal: \(.login)"))
            }
            self.redirect = redirect
            return registerOrGo(.browser(starts: starts), hears: false)
        case .pushing(let starts, let hears):
            if event == .pushed { return show(starts: starts, hears: hears) }
        case .showing(let hears):
            guard event == .shown else { break }
            return awaitAnswer(CallbackWait(hears: hears, asks: policy.mayAsk, seconds: policy.patience))
        case .awaitingAnswer(let wait):
            if case .heard(let reply, let seconds) = event { return take(reply, after: seconds, wait) }
            if event == .nothingHeard { return fail(unanswered) }
        case .exchanging:
            if event == .exchanged { return finish(.granted) }

        // A code is typed somewhere else.
        case .requestingCode:
            if case .codeRefused(let refusal) = event { return leaveDevice(refusal) }
            guard case .codeIssued(let times, let foreign) = event else { break }
            guard let foreign else { return show(times) }
            return ask(foreign, in: .askingPage(foreign, times))
        case .askingPage(_, let times):
            if event == .agreed { return show(times) }
            if event == .declined { return finish(.failed(.cancelled)) }
        case .showingCode(let polling):
            if event == .shown { return goOn(polling) }
        case .waiting(var polling):
            guard case .waited(let total) = event else { break }
            polling.waited(total: total)
            return goOn(polling)
        case .polling(let polling):
            if case .polled(let answer, let total) = event { return take(answer, total: total, polling) }
            // A fault in the middle says nothing about the code; it is asked for again, more slowly.
            if case .failed(let error) = event, let answer = DevicePolling.Answer(error) {
                return take(answer, total: polling.elapsed, polling)
            }
        }
        guard case .failed(let error) = event else { return unexpected(event) }
        return finish(.failed(error))
    }

    private mutating func go(_ next: State, _ effect: Effect) -> Effect {
        state = next
        return effect
    }

    private mutating func finish(_ outcome: Outcome) -> Effect { go(.finished(outcome), .finish(outcome)) }

    private mutating func fail(_ fault: OAuthFault) -> Effect { finish(.failed(.oauth(fault))) }

    private mutating func unexpected(_ event: Event) -> Effect {
        finish(.failed(.failure(.unexpectedEvent("\(event.name) while \(state.name)"))))
    }
}

extension AuthorizationFlow {
    /// Where nobody can be asked, nothing that another origin would answer is sent or shown.
    private mutating func ask(_ foreign: ForeignServer, in state: State) -> Effect {
        guard policy.mayAsk else {
            return fail(.metadata(.serverElsewhere(resource: foreign.resource.text, origins: foreign.origins)))
        }
        return go(state, .ask(foreign))
    }

    private mutating func begin() -> Effect {
        do throws(OAuthFault) {
            guard server.endpoints.contains(.token) else { throw .noEndpoint(.token) }
            if server.clientID == nil, !server.endpoints.contains(.registration) {
                throw .other(
                    .usage, "the profile has no client-id, and the authorization server registers none",
                    details: [
                        "register authctl at the server, and write its ID into the profile's oauth: client-id = \"ID\"",
                        "or publish a client ID metadata document, if the server reads them, and write at the top of config.toml: "
                            + "client-metadata = \"https://…\"",
                        "or, if the server registers clients without saying where: registration-endpoint = \"URL\"",
                    ], next: "the document is printed by: authctl profile client-metadata URL")
            }
            switch try policy.choice.way(with: server.endpoints) {
            case .browser(let starts): return go(.listening(starts: starts), .listen)
            case .device: return registerOrGo(.device, hears: false)
            }
        } catch {
            return fail(error)
        }
    }

    /// A client is registered anew for each login, with the redirect that is open now.
    private mutating func registerOrGo(_ way: AuthorizationWay, hears: Bool) -> Effect {
        guard server.clientID != nil else { return go(.registering(way, hears: hears), .register(way)) }
        return goOn(way, hears: hears)
    }

    private mutating func goOn(_ way: AuthorizationWay, hears: Bool) -> Effect {
        switch way {
        case .browser(let starts): return pushOrShow(starts: starts, hears: hears)
        case .device: return go(.requestingCode, .requestCode)
        }
    }

    private mutating func pushOrShow(starts: Bool, hears: Bool) -> Effect {
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

    private mutating func show(_ times: DeviceAuthorization.Times) -> Effect {
        go(.showingCode(DevicePolling(times)), .showCode)
    }

    /// Where the client may not have a device code, the browser may do.
    private mutating func leaveDevice(_ refusal: OAuthRefusal) -> Effect {
        let insists = policy.choice.option == .device && !policy.mayAsk
        guard refusal.rulesOutDeviceFlow, server.endpoints.contains(.authorization), !insists else {
            return fail(.refused(refusal))
        }
        wasRefusedDevice = true
        let starts = policy.choice.option == nil && policy.choice.canStartBrowser
        return go(.listening(starts: starts), .listen)
    }

    private mutating func goOn(_ polling: DevicePolling) -> Effect {
        switch polling.next {
        case .expired:
            return fail(.codeExpired(seconds: polling.times.lifetime))
        case .poll:
            return go(.polling(polling), .poll)
        case .wait(let milliseconds):
            return go(.waiting(polling), .wait(milliseconds: milliseconds, secondsLeft: polling.left / 1000))
        }
    }

    private mutating func take(_ answer: DevicePolling.Answer, total: Int, _ polling: DevicePolling) -> Effect {
        var next = polling
        next.note(answer, total: total)
        switch answer {
        case .granted:
            return finish(.granted)
        case .refused(let refusal):
            // Of a code that has ended, servers say many things.
            guard next.left > 0 else { return fail(.codeExpired(seconds: next.times.lifetime)) }
            return fail(.refused(refusal))
        case .pending, .slowDown, .tooMany, .unavailable:
            return goOn(next)
        }
    }
}
