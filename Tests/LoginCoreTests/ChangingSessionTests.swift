import Secrets
import Testing

@testable import LoginKit

/// Which value of a session that responses change is used, and when verify is asked whose it is.
struct ChangingSessionTests {
    private let start = ContinuousClock.now
    private let ann = Identity(username: "ann", serverName: "ann")

    private func sid(_ value: String, expires: Int64? = nil) -> Session {
        .cookies([
            Cookie(name: "sid", value: Secret(value), record: Secret("\(value) \(expires ?? 0)"), expires: expires)
        ])
    }

    private func login(_ value: String, as name: String?) -> Login {
        Login(identity: Identity(username: "ann", serverName: name), session: sid(value))
    }

    @Test func `a value of a response waits until verify names the same user for it`() {
        var session = ChangingSession(sid("one"), of: ann)
        session.note(sid("two"))
        #expect(session.used == sid("one") && session.waiting == sid("two"))
        #expect(session.isDue(at: start, isLast: false))
        #expect(session.accept(sid("two"), login("two", as: "ann"), at: start) == nil)
        #expect(session.used == sid("two") && session.waiting == nil && session.isProven)
    }

    @Test func `a value of another user is never used`() {
        var session = ChangingSession(sid("one"), of: ann)
        session.note(sid("hers"))
        let other = session.accept(sid("hers"), login("hers", as: "mallory"), at: start)
        #expect(other?.confirmed.serverName == "mallory")
        #expect(session.used == sid("one") && session.waiting == nil && session.isProven && !session.isInDoubt)
    }

    @Test(arguments: [
        (Identity(username: "ann", serverName: "ann"), nil as String?),
        (Identity(username: "ann", serverName: nil), "ann"),
    ])
    func `a value is used and not proven where one of the two names is missing`(known: Identity, named: String?) {
        var session = ChangingSession(sid("one"), of: known)
        session.note(sid("two"))
        #expect(session.accept(sid("two"), login("two", as: named), at: start) == nil)
        #expect(session.used == sid("two") && !session.isProven)
    }

    @Test func `verify is asked once a minute, and at the end about the newest value`() {
        var session = ChangingSession(sid("one"), of: ann)
        session.note(sid("two"))
        _ = session.accept(sid("two"), login("two", as: "ann"), at: start)
        for value in ["three", "four"] { session.note(sid(value)) }
        #expect(!session.isDue(at: start + .seconds(59), isLast: false))
        #expect(session.isDue(at: start + .seconds(60), isLast: false))
        #expect(session.isDue(at: start, isLast: true))
        #expect(session.waiting == sid("four") && session.used == sid("two"))
        session.postpone(at: start + .seconds(60))
        #expect(!session.isDue(at: start + .seconds(61), isLast: false) && session.waiting == sid("four"))
    }

    @Test func `no value waits where the service refuses the one before`() {
        var session = ChangingSession(sid("one"), of: ann)
        session.note(sid("two"))
        session.postpone(at: start)
        #expect(session.candidates(after: nil) == [sid("two"), sid("one")])
        _ = session.accept(sid("two"), login("two", as: "ann"), replacesRefused: true, at: start)
        session.note(sid("three"))
        #expect(session.isDue(at: start, isLast: false))
    }

    @Test func `a cookie that only lives longer needs no question`() {
        var session = ChangingSession(sid("one", expires: 100), of: ann)
        session.note(sid("one", expires: 200))
        #expect(session.used == sid("one", expires: 200) && session.waiting == nil && session.isProven)
    }

    @Test func `a session in doubt stays so until verify names its user`() {
        var session = ChangingSession(sid("one"), of: ann)
        session.doubt()
        #expect(session.accept(sid("one"), login("one", as: "mallory"), at: start) != nil)
        #expect(session.isInDoubt && session.used == sid("one"))
        #expect(session.accept(sid("one"), login("one", as: "ann"), at: start) == nil)
        #expect(!session.isInDoubt)
    }

    @Test func `a value that verify refuses is forgotten`() {
        var session = ChangingSession(sid("one"), of: ann)
        session.note(sid("ended"))
        session.refuse(sid("ended"), at: start)
        #expect(session.waiting == nil && session.used == sid("one"))
    }
}
