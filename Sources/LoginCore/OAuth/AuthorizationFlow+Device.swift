extension AuthorizationFlow {
    /// The part of the table in which a code is typed somewhere else.
    mutating func handleDevice(_ event: Event) -> Effect {
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
