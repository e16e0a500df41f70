@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Which cookies carry a session, and until when.
struct CookieSessionTests {
    private func cookie(_ name: String, _ value: String, hidden: Bool, expires: Int64? = nil) -> Cookie {
        let record = "\(hidden ? "#HttpOnly_" : "")a.example\tFALSE\t/\tTRUE\t\(expires ?? 0)\t\(name)\t\(value)"
        return Cookie(name: name, value: Secret(value), record: Secret(record), expires: expires)
    }

    @Test func `the end is that of the HttpOnly ones, where there are any`() {
        let csrf = cookie("csrf", "1", hidden: false, expires: 9000)
        #expect(Session.cookies([csrf, cookie("sid", "2", hidden: true, expires: 500)]).expires == 500)
        #expect(Session.cookies([csrf, cookie("sid", "2", hidden: true)]).expires == nil)
        #expect(Session.cookies([csrf, cookie("sid", "2", hidden: false, expires: 500)]).expires == 9000)
        #expect(Session.cookies([csrf]).expires == 9000)
        #expect(Session.cookies([]).expires == nil)
    }

    @Test func `a session is carried by earlier cookies where none of its own is new`() {
        let csrf = cookie("csrf", "1", hidden: false), sid = cookie("sid", "2", hidden: true)
        let other = cookie("csrf", "3", hidden: false), fresh = cookie("sid", "4", hidden: true)
        #expect(Session.cookies([csrf, sid]).isCarried(by: [csrf, sid]))
        #expect(Session.cookies([other, sid]).isCarried(by: [csrf, sid]))
        #expect(!Session.cookies([csrf, fresh]).isCarried(by: [csrf, sid]))
        #expect(!Session.cookies([csrf, sid]).isCarried(by: [csrf]))
        #expect(Session.cookies([csrf]).isCarried(by: [csrf]))
        #expect(!Session.cookies([]).isCarried(by: []))
        #expect(!Session.credential(Credential(username: "a", .ticket)).isCarried(by: []))
    }
}
