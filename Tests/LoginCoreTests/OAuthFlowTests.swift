import Testing

@testable import LoginKit

/// Some paths through a grant, one by one.
struct OAuthFlowTests {
    private let all = AuthorizationFlow.Server(endpoints: Set(OAuthEndpoint.allCases))
    private let known = AuthorizationFlow.Server(endpoints: Set(OAuthEndpoint.allCases), clientID: "4711")
    private let browserOnly = AuthorizationFlow.Server(endpoints: [.authorization, .token], clientID: "authctl")
    private let listened = AuthorizationFlow.Event.listened(redirect: SomeOAuth.redirect)

    /// Runs through these events.
    private func run(
        _ policy: AuthorizationFlow.Policy, _ events: [AuthorizationFlow.Event]
    ) -> [AuthorizationFlow.Effect] {
        var flow = AuthorizationFlow(policy: policy)
        return events.map { flow.handle($0) }
    }

    @Test func `a browser login, from metadata to exchange`() {
        let policy = AuthorizationFlow.Policy(choice: .init(canStartBrowser: true))
        let wait = AuthorizationFlow.CallbackWait(hears: true, asks: true, seconds: 300)
        let effects = run(
            policy,
            [.begun, .discovered(all), listened, .registered, .pushed, .shown, .heard(.right, after: 9), .exchanged])
        #expect(
            effects == [
                .discover, .listen, .register(.browser(starts: true)), .push,
                .show(starts: true, insteadOfDevice: false),
                .awaitAnswer(wait), .exchange, .finish(.granted),
            ])
    }

    @Test func `a device login`() {
        let policy = AuthorizationFlow.Policy(choice: .init(option: .device), mayAsk: false)
        let effects = run(
            policy,
            [
                .begun, .discovered(known), .codeIssued(.init(lifetime: 600)), .shown, .waited(total: 6000),
                .polled(.pending, total: 6500), .waited(total: 12_500), .polled(.granted, total: 13_000),
            ])
        #expect(
            effects == [
                .discover, .requestCode, .showCode, .wait(milliseconds: 6000, secondsLeft: 600), .poll,
                .wait(milliseconds: 6000, secondsLeft: 593), .poll, .finish(.granted),
            ])
    }

    @Test func `a device endpoint that refuses the client leads on to the browser, which says so`() {
        let refusal = OAuthRefusal(.unauthorizedClient, at: .deviceAuthorization, status: 400)
        let server = AuthorizationFlow.Server(
            endpoints: [.authorization, .deviceAuthorization, .token], clientID: "authctl")
        let events: [AuthorizationFlow.Event] = [.begun, .discovered(server), .codeRefused(refusal), listened]
        let policy = AuthorizationFlow.Policy(choice: .init(option: .device))
        #expect(run(policy, events).last == .show(starts: false, insteadOfDevice: true))
        var alone = policy
        alone.mayAsk = false
        #expect(run(alone, events)[2] == .finish(.failed(.oauth(.refused(refusal)))))
        let other = OAuthRefusal(.invalidScope, at: .deviceAuthorization, status: 400)
        #expect(
            run(policy, [.begun, .discovered(server), .codeRefused(other)]).last
                == .finish(.failed(.oauth(.refused(other)))))
    }

    @Test func `a port that is in use leaves pasting, and nothing without a terminal`() {
        var policy = AuthorizationFlow.Policy(choice: .init(canStartBrowser: true))
        let events: [AuthorizationFlow.Event] = [
            .begun, .discovered(browserOnly),
            .portTaken(8250, redirect: SomeOAuth.redirect), .shown,
        ]
        #expect(run(policy, events).last == .awaitAnswer(.init(hears: false, asks: true, seconds: 300)))
        policy.mayAsk = false
        guard case .finish(.failed(let error)) = run(policy, events).last else {
            Issue.record("went on")
            return
        }
        #expect(error.message().what.hasPrefix("port 8250 is in use here") && error.exitCode == .failure)
    }

    @Test func `a server elsewhere is asked about, and refused without a terminal`() {
        let server = AuthorizationFlow.Server(endpoints: Set(OAuthEndpoint.allCases), toAsk: OAuthFlowWalk.foreign)
        var policy = AuthorizationFlow.Policy()
        #expect(run(policy, [.begun, .discovered(server)]).last == .ask(OAuthFlowWalk.foreign))
        #expect(run(policy, [.begun, .discovered(server), .declined]).last == .finish(.failed(.cancelled)))
        policy.mayAsk = false
        let fault = MetadataFault.serverElsewhere(
            resource: "https://notes.example/mcp", origins: [SomeOAuth.url(SomeOAuth.issuer).origin])
        #expect(run(policy, [.begun, .discovered(server)]).last == .finish(.failed(.oauth(.metadata(fault)))))
        #expect(LoginFault.oauth(.metadata(fault)).exitCode == .untrusted)
    }

    @Test func `a code that is typed on another origin is asked about, and refused without a terminal`() {
        let times = DeviceAuthorization.Times(lifetime: 30, interval: 5)
        var policy = AuthorizationFlow.Policy()
        let events: [AuthorizationFlow.Event] = [
            .begun, .discovered(.init(endpoints: [.deviceAuthorization, .token], clientID: "authctl")),
            .codeIssued(times, toAsk: OAuthFlowWalk.foreignPage),
        ]
        #expect(run(policy, events).last == .ask(OAuthFlowWalk.foreignPage))
        #expect(run(policy, events + [.declined]).last == .finish(.failed(.cancelled)))
        #expect(run(policy, events + [.agreed]).last == .showCode)
        // The code ran out while the question was open.
        let late = run(policy, events + [.agreed, .shown, .waited(total: 31_000)]).last
        #expect(late == .finish(.failed(.oauth(.codeExpired(seconds: 30)))))
        policy.mayAsk = false
        let fault = MetadataFault.serverElsewhere(
            resource: "https://notes.example/mcp", origins: [SomeOAuth.url("https://page.example").origin])
        #expect(run(policy, events).last == .finish(.failed(.oauth(.metadata(fault)))))
    }

    @Test func `what is forged and what is pasted wrong goes on waiting, with less time`() {
        var flow = AuthorizationFlow(policy: .init(choice: .init(canStartBrowser: true)))
        for event in [.begun, .discovered(browserOnly), listened, .shown] {
            _ = flow.handle(event)
        }
        var wait = AuthorizationFlow.CallbackWait(hears: true, asks: true, seconds: 290, forgeries: 1)
        #expect(flow.handle(.heard(.forged, after: 10)) == .awaitAnswer(wait))
        wait.complaint = .otherState
        wait.seconds = 200
        #expect(flow.handle(.heard(.notAnAddress(.otherState), after: 100)) == .awaitAnswer(wait))
        let fault = OAuthFault.unanswered(seconds: 300, redirect: SomeOAuth.redirect, clientID: "authctl")
        #expect(flow.handle(.nothingHeard) == .finish(.failed(.oauth(fault))) && fault.exitCode == .expired)
    }

    @Test func `what floods the port is listened to no longer`() {
        var flow = AuthorizationFlow(
            policy: .init(choice: .init(option: .browser(starts: false)), mayAsk: false))
        for event in [.begun, .discovered(browserOnly), listened, .shown] {
            _ = flow.handle(event)
        }
        // A web page, or a program that does not know the state, does not end a login.
        for second in 0...3 * AuthorizationFlow.mostForgeries {
            let left = AuthorizationFlow.CallbackWait(hears: true, asks: false, seconds: 300 - second)
            #expect(flow.handle(.heard(.stray, after: second)) == .awaitAnswer(left))
        }
        for _ in 1..<AuthorizationFlow.mostForgeries {
            guard case .awaitAnswer = flow.handle(.heard(.forged, after: 0)) else {
                Issue.record("ended")
                return
            }
        }
        let limit = AuthorizationFlow.mostForgeries
        guard case .finish(.failed(let error)) = flow.handle(.heard(.forged, after: 0)) else {
            Issue.record("went on")
            return
        }
        #expect(error.message().what.hasPrefix("more than \(limit) responses arrived") && error.exitCode == .failure)
    }

    @Test func `a code that ran out is expired, whatever the server says of it`() {
        let policy = AuthorizationFlow.Policy(choice: .init(option: .device))
        let refusal = OAuthRefusal(.accessDenied, at: .token, status: 400)
        let events: [AuthorizationFlow.Event] = [
            .begun, .discovered(known), .codeIssued(.init(lifetime: 10)), .shown, .waited(total: 6000),
        ]
        #expect(
            run(policy, events + [.polled(.refused(refusal), total: 9000)]).last
                == .finish(.failed(.oauth(.refused(refusal)))))
        let expired = LoginFault.oauth(.codeExpired(seconds: 10))
        #expect(run(policy, events + [.polled(.refused(refusal), total: 11_000)]).last == .finish(.failed(expired)))
        #expect(run(policy, events + [.polled(.pending, total: 11_000)]).last == .finish(.failed(expired)))
        #expect(run(policy, events + [.polled(.granted, total: 11_000)]).last == .finish(.granted))
        #expect(expired.exitCode == .expired)
    }

    @Test func `no client and no registration is a fault of the profile`() {
        let server = AuthorizationFlow.Server(endpoints: [.authorization, .token])
        guard case .finish(.failed(let error)) = run(.init(), [.begun, .discovered(server)]).last else {
            Issue.record("went on")
            return
        }
        #expect(error.message().what.hasPrefix("the profile has no client-id") && error.exitCode == .usage)
    }
}
