@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// The one loop, with ports that answer by a script and fail at every call that is not in it.
struct LoginLoopTests {
    private func run(
        _ policy: LoginFlow.Policy = LoginFlow.Policy(), keeper: ScriptedKeeper = ScriptedKeeper(),
        service: ScriptedService = ScriptedService(), prompt: ScriptedPrompt = ScriptedPrompt(),
        supplied: Credential? = nil, refused: RefusedLogin? = nil
    ) -> LoginFlow.Outcome {
        keeper.service = service
        let outcome = LoginLoop(keeper: keeper, service: service, prompt: prompt, supplied: supplied, refused: refused)
            .run(SomeLogin.flow(policy))
        #expect(keeper.rest + service.rest + prompt.rest == 0, "something scripted was not asked for")
        return outcome
    }

    @Test func `a first login goes through the ports in this order`() {
        let journal = Journal()
        let keeper = ScriptedKeeper(
            prepare: [.success(())], fill: [.success(StoredLogin())], approve: [.success(())], journal: journal)
        let service = ScriptedService(
            prepare: [.success(SomeLogin.namedSpace)],
            authenticate: [.failure(.rejected(SomeLogin.refusal)), .success(SomeLogin.login)], journal: journal)
        let prompt = ScriptedPrompt(
            [.success(.credential(SomeLogin.credential)), .success(.credential(SomeLogin.credential))],
            journal: journal)
        #expect(run(keeper: keeper, service: service, prompt: prompt) == .loggedIn(SomeLogin.identity))
        #expect(
            journal.entries == [
                "keeper.fill", "keeper.prepare", "service.prepare", "keeper.beginWaiting", "prompt.takeTurn",
                "prompt.ask",
                "service.begin", "prompt.ask", "service.begin", "keeper.approve", "prompt.endTurn",
            ])
        #expect(prompt.challenges.map(\.previousFailureCount) == [0, 1])
        #expect(keeper.approved == [SomeLogin.login])
        #expect(keeper.rejected.isEmpty)
    }

    @Test func `a login that was stored before it is this one's turn to ask is taken, and nobody is asked`() {
        let prompt = ScriptedPrompt()
        let keeper = ScriptedKeeper(
            prepare: [.success(())],
            fill: [.success(StoredLogin()), .success(StoredLogin(session: SomeLogin.session, username: "anna"))])
        let service = ScriptedService(
            prepare: [.success(SomeLogin.namedSpace)], verify: [.success(SomeLogin.login)])
        keeper.hasChanged = true
        let outcome = run(keeper: keeper, service: service, prompt: prompt)
        #expect(outcome == .alreadyLoggedIn(SomeLogin.identity))
        #expect(prompt.challenges.isEmpty)
        #expect(prompt.turns == 0)
    }

    @Test func `where what was stored meanwhile is no login the person is asked, and nothing is looked at again`() {
        let prompt = ScriptedPrompt([.success(.credential(SomeLogin.credential))])
        let keeper = ScriptedKeeper(
            prepare: [.success(()), .success(())], fill: [.success(StoredLogin()), .success(StoredLogin())],
            approve: [.success(())])
        keeper.hasChanged = true
        let outcome = run(
            keeper: keeper,
            service: ScriptedService(
                prepare: [.success(SomeLogin.namedSpace), .success(SomeLogin.namedSpace)],
                authenticate: [.success(SomeLogin.login)]),
            prompt: prompt)
        #expect(outcome == .loggedIn(SomeLogin.identity))
        #expect(prompt.turns == 0)
    }

    @Test func `the notice is shown while the server is asked, and only then`() {
        let prompt = ScriptedPrompt([.success(.credential(SomeLogin.credential))])
        _ = run(
            keeper: ScriptedKeeper(
                prepare: [.success(())], fill: [.success(StoredLogin())], approve: [.success(())]),
            service: ScriptedService(
                prepare: [.success(SomeLogin.namedSpace)], authenticate: [.success(SomeLogin.login)]),
            prompt: prompt)
        #expect(
            prompt.notices == ["Contacting the service, please wait…", nil, "Authenticating, please wait…", nil])
    }

    @Test func `the notice goes when the server fails, too`() {
        let prompt = ScriptedPrompt()
        _ = run(
            keeper: ScriptedKeeper(fill: [.success(StoredLogin(session: SomeLogin.session, username: "anna"))]),
            service: ScriptedService(verify: [.failure(SomeLogin.network)]), prompt: prompt)
        #expect(prompt.notices == ["Authenticating, please wait…", nil])
    }

    @Test func `a stored session is verified under its name, and nothing else is touched`() {
        let journal = Journal()
        let stored = StoredLogin(session: SomeLogin.session, username: "anna")
        let outcome = run(
            keeper: ScriptedKeeper(fill: [.success(stored)], journal: journal),
            service: ScriptedService(verify: [.success(SomeLogin.login)], journal: journal))
        #expect(outcome == .alreadyLoggedIn(SomeLogin.identity))
        #expect(journal.entries == ["keeper.fill", "service.verify as 'anna'"])
    }

    @Test func `what the server refreshed is kept`() {
        let refreshed = Login(identity: SomeLogin.identity, session: .cookies([.named("sid", "new")]))
        let keeper = ScriptedKeeper(
            fill: [.success(StoredLogin(session: .cookies([.named("sid", "old")]), username: "anna"))],
            approve: [.success(())])
        let outcome = run(keeper: keeper, service: ScriptedService(verify: [.success(refreshed)]))
        #expect(outcome == .alreadyLoggedIn(SomeLogin.identity))
        #expect(keeper.approved == [refreshed])
    }

    @Test func `a stored Basic credential is its own session: sent at once, in one request`() {
        let journal = Journal()
        let session = Session.credential(SomeLogin.credential)
        let login = Login(identity: SomeLogin.identity, session: session)
        let outcome = run(
            keeper: ScriptedKeeper(fill: [.success(StoredLogin(session: session, username: "bert"))], journal: journal),
            service: ScriptedService(verify: [.success(login)], journal: journal))
        #expect(outcome == .alreadyLoggedIn(SomeLogin.identity))
        #expect(journal.entries == ["keeper.fill", "service.verify as 'bert'"])
    }

    @Test func `a stored Basic credential that is refused is marked as a password`() {
        let session = Session.credential(SomeLogin.credential)
        let keeper = ScriptedKeeper(
            fill: [.success(StoredLogin(session: session, username: "bert"))], reject: [.success(())])
        let outcome = run(
            LoginFlow.Policy(mayAsk: false), keeper: keeper,
            service: ScriptedService(verify: [.failure(.rejected(SomeLogin.refusal))]))
        #expect(outcome == .failed(.rejected(SomeLogin.refusal)))
        #expect(keeper.rejected == [.credential])
    }

    @Test func `the credential that a request was refused with is not sent once more`() {
        let session = Session.credential(SomeLogin.credential)
        let keeper = ScriptedKeeper(
            fill: [.success(StoredLogin(session: session, username: "bert"))], reject: [.success(())])
        let outcome = run(
            LoginFlow.Policy(mayAsk: false), keeper: keeper,
            refused: RefusedLogin(session: session, refusal: SomeLogin.refusal))
        #expect(outcome == .failed(.rejected(SomeLogin.refusal)))
        #expect(keeper.rejected == [.credential])
    }

    @Test func `a password that another process has saved since is judged, not marked`() {
        let next = Session.credential(Credential(username: "bert", .password(Secret("the new one"))))
        let login = Login(identity: SomeLogin.identity, session: next)
        let keeper = ScriptedKeeper(fill: [.success(StoredLogin(session: next, username: "bert"))])
        let outcome = run(
            keeper: keeper, service: ScriptedService(verify: [.success(login)]),
            refused: RefusedLogin(session: .credential(SomeLogin.credential), refusal: SomeLogin.refusal))
        #expect(outcome == .alreadyLoggedIn(SomeLogin.identity))
        #expect(keeper.rejected.isEmpty)
    }

    @Test func `after a network fault the same credential is sent once more, and no name or password is asked for`() {
        let prompt = ScriptedPrompt([.success(.credential(SomeLogin.credential))], retry: [.success(true)])
        let service = ScriptedService(
            prepare: [.success(SomeLogin.namedSpace)],
            authenticate: [.failure(SomeLogin.network), .success(SomeLogin.login)])
        let outcome = run(
            keeper: ScriptedKeeper(prepare: [.success(())], fill: [.success(StoredLogin())], approve: [.success(())]),
            service: service, prompt: prompt)
        #expect(outcome == .loggedIn(SomeLogin.identity))
        #expect(service.credentials == [SomeLogin.credential, SomeLogin.credential])
        #expect(prompt.faults == [SomeLogin.network])
    }

    @Test func `an answer without a name goes with the name that was offered`() {
        let service = ScriptedService(
            prepare: [.success(SomeLogin.namedSpace)], authenticate: [.success(SomeLogin.login)])
        let keeper = ScriptedKeeper(
            prepare: [.success(())], fill: [.success(StoredLogin())], approve: [.success(())])
        let prompt = ScriptedPrompt([.success(.credential(SomeLogin.namelessCredential))])
        keeper.service = service
        let outcome = LoginLoop(keeper: keeper, service: service, prompt: prompt)
            .run(SomeLogin.flow(proposing: "anna"))
        #expect(outcome == .loggedIn(SomeLogin.identity))
        #expect(service.credentials == [Credential(username: "anna", SomeLogin.namelessCredential.kind)])
    }

    @Test func `a refused session is erased, and the password beside it tried`() {
        let keeper = ScriptedKeeper(
            fill: Array(
                repeating: .success(
                    StoredLogin(session: SomeLogin.session, credential: SomeLogin.credential, username: "bert")),
                count: 2),
            approve: [.success(())], reject: [.success(())])
        let fresh = Login(identity: SomeLogin.identity, session: .cookies([.named("sid", "fresh")]))
        let service = ScriptedService(
            authenticate: [.success(fresh)], verify: [.failure(.rejected(SomeLogin.refusal))],
            refresh: [.success(nil)])
        #expect(run(keeper: keeper, service: service) == .alreadyLoggedIn(SomeLogin.identity))
        #expect(keeper.rejected == [.session])
        #expect(service.credentials == [SomeLogin.credential])
        #expect(keeper.approved == [fresh])
    }

    @Test func `a password that another process has found refused meanwhile is not sent from memory`() {
        let before = StoredLogin(session: SomeLogin.session, credential: SomeLogin.credential, username: "bert")
        let keeper = ScriptedKeeper(
            fill: [.success(before), .success(StoredLogin(username: "bert", credentialWasRefused: true))])
        let service = ScriptedService(verify: [.failure(.rejected(SomeLogin.refusal))], refresh: [.success(nil)])
        let outcome = run(LoginFlow.Policy(mayAsk: false), keeper: keeper, service: service)
        guard case .failed(.loginRequired(let need)) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(need.why == .passwordRefusedBefore)
        #expect(service.credentials.isEmpty && keeper.rejected.isEmpty)
    }

    @Test func `a session that another process has put there meanwhile is verified, not rejected`() {
        let next = Session.cookies([.named("sid", "of another process")])
        let keeper = ScriptedKeeper(
            fill: [
                .success(StoredLogin(session: SomeLogin.session, username: "anna")),
                .success(StoredLogin(session: next, username: "anna")),
            ])
        let service = ScriptedService(
            verify: [
                .failure(.rejected(SomeLogin.refusal)),
                .success(Login(identity: SomeLogin.identity, session: next)),
            ], refresh: [.success(nil)])
        #expect(run(keeper: keeper, service: service) == .alreadyLoggedIn(SomeLogin.identity))
        #expect(keeper.rejected.isEmpty)
    }

    @Test func `a session that comes back the same after its rejection is saved again`() {
        let keeper = ScriptedKeeper(
            fill: Array(
                repeating: .success(
                    StoredLogin(session: SomeLogin.session, credential: SomeLogin.credential, username: "bert")),
                count: 2),
            approve: [.success(())], reject: [.success(())])
        let same = Login(identity: SomeLogin.identity, session: SomeLogin.session)
        let service = ScriptedService(
            authenticate: [.success(same)], verify: [.failure(.rejected(SomeLogin.refusal))], refresh: [.success(nil)])
        #expect(run(keeper: keeper, service: service) == .alreadyLoggedIn(SomeLogin.identity))
        #expect(keeper.approved == [same])
    }

    @Test func `a refreshed session is kept before it is verified`() {
        let journal = Journal()
        let next = Session.cookies([.named("sid", "next")])
        let outcome = run(
            keeper: ScriptedKeeper(
                fill: [.success(StoredLogin(session: SomeLogin.session, username: "anna"))], approve: [.success(())],
                journal: journal),
            service: ScriptedService(
                verify: [
                    .failure(.rejected(SomeLogin.refusal)),
                    .success(Login(identity: SomeLogin.identity, session: next)),
                ], refresh: [.success(next)], journal: journal))
        #expect(outcome == .alreadyLoggedIn(SomeLogin.identity))
        #expect(
            journal.entries == [
                "keeper.fill", "service.verify as 'anna'", "service.refresh as 'anna'", "keeper.approve",
                "service.verify as 'anna'",
            ])
    }

    @Test(arguments: [SomeLogin.network, SomeLogin.busy, SomeLogin.forbidden])
    func `a fault of the network or the server touches nothing that is stored`(error: LoginFault) {
        let keeper = ScriptedKeeper(fill: [.success(StoredLogin(session: SomeLogin.session, username: "anna"))])
        let outcome = run(keeper: keeper, service: ScriptedService(verify: [.failure(error)]))
        #expect(outcome == .failed(error))
        #expect(keeper.rejected.isEmpty && keeper.approved.isEmpty)
    }

    @Test func `a store that does not work is found before a person is asked`() {
        let journal = Journal()
        let fault = LoginFault.store(.noneWorks([UnusableStore(name: .file, fault: .notSetUp(.file))]))
        let outcome = run(
            keeper: ScriptedKeeper(prepare: [.failure(fault)], fill: [.success(StoredLogin())], journal: journal),
            service: ScriptedService(journal: journal), prompt: ScriptedPrompt(journal: journal))
        #expect(outcome == .failed(fault))
        #expect(journal.entries == ["keeper.fill", "keeper.prepare"])
    }

    @Test func `a save that fails is told, not passed over`() {
        let fault = LoginFault.store(.system(call: "write", path: "/x", errno: 28))
        let outcome = run(
            LoginFlow.Policy(hasSuppliedCredential: true),
            keeper: ScriptedKeeper(prepare: [.success(())], approve: [.failure(fault)]),
            service: ScriptedService(
                prepare: [.success(SomeLogin.namedSpace)], authenticate: [.success(SomeLogin.login)]),
            supplied: SomeLogin.credential)
        #expect(outcome == .failed(fault))
    }

    @Test func `a mark that cannot be set is told`() {
        let fault = LoginFault.store(.locked(path: "/x", seconds: 10))
        let outcome = run(
            keeper: ScriptedKeeper(
                fill: [
                    .success(StoredLogin(session: SomeLogin.session, username: "anna")),
                    .success(StoredLogin(session: SomeLogin.session, username: "anna")),
                ], reject: [.failure(fault)]),
            service: ScriptedService(verify: [.failure(.rejected(SomeLogin.refusal))], refresh: [.success(nil)]))
        #expect(outcome == .failed(fault))
    }

    @Test func `a prompt that cannot be put ends the login with what it says`() {
        let need = LoginFault.loginRequired(LoginNeed(why: .nothingStored, missing: [.password]))
        let outcome = run(
            keeper: ScriptedKeeper(prepare: [.success(())], fill: [.success(StoredLogin())]),
            service: ScriptedService(prepare: [.success(SomeLogin.namedSpace)]),
            prompt: ScriptedPrompt([.failure(need)]))
        #expect(outcome == .failed(need))
    }

    @Test func `a given credential that is missing is a fault of the program, told as one`() {
        let outcome = run(
            LoginFlow.Policy(hasSuppliedCredential: true), keeper: ScriptedKeeper(prepare: [.success(())]),
            service: ScriptedService(prepare: [.success(SomeLogin.namedSpace)]))
        #expect(outcome == .failed(.failure(.unexpectedEvent("looked up while authenticating"))))
    }

    @Test func `a call that is not in the script is no success`() {
        let outcome = LoginLoop(keeper: ScriptedKeeper(), service: ScriptedService(), prompt: ScriptedPrompt())
            .run(SomeLogin.flow())
        #expect(outcome == .failed(.failure(.unexpectedEvent("unscripted: keeper.fill"))))
    }

    @Test(arguments: [
        ("123 456", "123456"), (" 12\u{a0}34\u{2009}56\u{202f}\t", "123456"), ("123456", "123456"), ("12 ab", "12 ab"),
        ("abc def", "abc def"), ("", ""), ("12-34", "12-34"),
    ])
    func `the blanks in and around the digits of a one-time code are not sent`(typed: String, sent: String) {
        let service = ScriptedService(
            prepare: [.success(SomeLogin.namedSpace)], authenticate: [.success(SomeLogin.login)])
        _ = run(
            keeper: ScriptedKeeper(
                prepare: [.success(())], fill: [.success(StoredLogin())], approve: [.success(())]),
            service: service,
            prompt: ScriptedPrompt([.success(.credential(SomeLogin.credential, code: Secret(typed)))]))
        #expect(service.codes == [Secret(sent)])
    }
}
