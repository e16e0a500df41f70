extension AuthorizationFlow {
    /// The part of the table before anybody is told where to go: the server, its consent, and the client.
    mutating func handleBeginning(_ event: Event) -> Effect {
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
            if server.clientID == nil, !server.endpoints.contains(.registration) { throw .noClient }
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
}
