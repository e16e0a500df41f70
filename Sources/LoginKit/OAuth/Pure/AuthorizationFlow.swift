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
        /// The search for the server and a client, below, as the next ones.
        case discovering
        case asking(ForeignServer)
        case registering(AuthorizationWay, hears: Bool)
        /// `starts` as in the way; `AuthorizationFlow+Browser.swift`, as the next ones.
        case listening(starts: Bool)
        case pushing(starts: Bool, hears: Bool)
        case showing(hears: Bool)
        case awaitingAnswer(CallbackWait)
        /// A device code, below, as the next ones.
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

    /// Where it is now.
    var state = State.starting
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
        switch (state, event) {
        case (.finished(let outcome), _):
            return .finish(outcome)
        case (.polling(let polling), .failed(let error)):
            return handle(error, polling: polling)
        case (_, .failed(let error)):
            return finish(.failed(error))

        case (.starting, .begun):
            return go(.discovering, .discover)
        case (.exchanging, .exchanged):
            return finish(.granted)

        case (.discovering, _), (.asking, _), (.registering, _):
            return handleBeginning(event)
        case (.listening, _), (.pushing, _), (.showing, _), (.awaitingAnswer, _):
            return handleBrowser(event)
        case (.requestingCode, _), (.askingPage, _), (.showingCode, _), (.waiting, _), (.polling, _):
            return handleDevice(event)
        // Nothing else can follow; a new state has to be named here before this builds.
        case (.starting, _), (.exchanging, _):
            return unexpected(event)
        }
    }

    mutating func go(_ next: State, _ effect: Effect) -> Effect {
        state = next
        return effect
    }

    mutating func finish(_ outcome: Outcome) -> Effect { go(.finished(outcome), .finish(outcome)) }

    mutating func fail(_ fault: OAuthFault) -> Effect { finish(.failed(.oauth(fault))) }

    mutating func unexpected(_ event: Event) -> Effect {
        finish(.failed(.failure(.unexpectedEvent("\(event.name) while \(state.name)"))))
    }
}

extension AuthorizationFlow {
    /// The part of the table before anybody is told where to go: the server, its consent, and the client.
    private mutating func handleBeginning(_ event: Event) -> Effect {
        switch (state, event) {
        case (.discovering, .discovered(let server)):
            self.server = server
            guard let foreign = server.toAsk else { return begin() }
            return ask(foreign, in: .asking(foreign))
        case (.asking, .agreed):
            return begin()
        case (.asking, .declined):
            return finish(.failed(.cancelled))
        case (.registering(.browser(let starts), let hears), .registered):
            return pushOrShow(starts: starts, hears: hears)
        case (.registering(.device, _), .registered):
            return go(.requestingCode, .requestCode)
        // The other states never come here; a new one has to be named before this builds.
        case (.discovering, _), (.asking, _), (.registering, _), (.starting, _), (.listening, _), (.pushing, _),
            (.showing, _), (.awaitingAnswer, _), (.requestingCode, _), (.askingPage, _), (.showingCode, _),
            (.waiting, _),
            (.polling, _), (.exchanging, _), (.finished, _):
            return unexpected(event)
        }
    }

    /// Where nobody can be asked, nothing that another origin would answer is sent or shown.
    mutating func ask(_ foreign: ForeignServer, in state: State) -> Effect {
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
    mutating func registerOrGo(_ way: AuthorizationWay, hears: Bool) -> Effect {
        guard server.clientID != nil else { return go(.registering(way, hears: hears), .register(way)) }
        switch way {
        case .browser(let starts): return pushOrShow(starts: starts, hears: hears)
        case .device: return go(.requestingCode, .requestCode)
        }
    }

    /// The part of the table in which a code is typed somewhere else.
    private mutating func handleDevice(_ event: Event) -> Effect {
        switch (state, event) {
        case (.requestingCode, .codeIssued(let times, let foreign)):
            guard let foreign else { return show(times) }
            return ask(foreign, in: .askingPage(foreign, times))
        case (.askingPage(_, let times), .agreed):
            return show(times)
        case (.askingPage, .declined):
            return finish(.failed(.cancelled))
        case (.requestingCode, .codeRefused(let refusal)):
            return leaveDevice(refusal)
        case (.showingCode(let polling), .shown):
            return goOn(polling)
        case (.waiting(var polling), .waited(let total)):
            polling.waited(total: total)
            return goOn(polling)
        case (.polling(let polling), .polled(let answer, let total)):
            return take(answer, total: total, polling)
        // The other states never come here; a new one has to be named before this builds.
        case (.requestingCode, _), (.askingPage, _), (.showingCode, _), (.waiting, _), (.polling, _), (.starting, _),
            (.discovering, _), (.asking, _), (.listening, _), (.registering, _), (.pushing, _), (.showing, _),
            (.awaitingAnswer, _), (.exchanging, _), (.finished, _):
            return unexpected(event)
        }
    }

    private mutating func show(_ times: DeviceAuthorization.Times) -> Effect {
        go(.showingCode(DevicePolling(times)), .showCode)
    }

    /// A fault in the middle says nothing about the code; it is asked for again, more slowly.
    mutating func handle(_ error: LoginFault, polling: DevicePolling) -> Effect {
        guard let answer = DevicePolling.Answer(error) else { return finish(.failed(error)) }
        return take(answer, total: polling.elapsed, polling)
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
