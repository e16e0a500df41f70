import Foundation
@testable import LoginTestSupport
import Testing

/// The demo backend, asked by curl: what the other tests stand on.
@Suite(.onOwnThreads) struct `The demo backend` {
    let demo: DemoBackendProcess
    let bob = "bob:pä:ss%wörd&+\"\\ünïcode"

    init() throws {
        demo = try DemoBackendProcess()
    }

    private var wire: String { demo.origin + "/account/verify_credentials.json" }

    @Test func `the demo backend answers a right Basic password with the name`() throws {
        let answer = try Curl("-u", "ann:correct horse", wire)
        #expect(answer.status == 200)
        #expect(answer.json("screen_name") == "ann")
    }

    @Test func `the demo backend takes Basic passwords with colons and UTF-8, and an empty one`() throws {
        #expect(try Curl("-u", bob, wire).json("screen_name") == "bob")
        #expect(try Curl("-u", "zoë müller@wire:  blank ends ", wire).json("screen_name") == "zoë müller@wire")
        #expect(try Curl("-u", "guest:", wire).json("screen_name") == "guest")
    }

    @Test func `compares passwords as bytes, not as text that looks the same`() throws {
        #expect(try Curl("-u", bob.decomposedStringWithCanonicalMapping, wire).status == 401)
        let latin1 = try #require("zoë müller@wire:  blank ends ".data(using: .isoLatin1)).base64EncodedString()
        #expect(try Curl("-H", "Authorization: Basic \(latin1)", wire).status == 401)
    }

    @Test func `challenges a request without credentials, and a wrong password`() throws {
        for arguments in [[wire], ["-u", "ann:wrong", wire], ["-u", "nobody:correct horse", wire]] {
            let answer = try Curl(arguments)
            #expect(answer.status == 401)
            #expect(answer.headers["www-authenticate"] == "Basic realm=\"Demo Wire\", charset=\"UTF-8\"")
            #expect(answer.json("error")?.isEmpty == false)
        }
    }

    @Test func `the demo backend has an endpoint that is open to anyone`() throws {
        #expect(try Curl(demo.origin + "/open.json").status == 200)
        #expect(try Curl("-u", "ann:wrong", demo.origin + "/open.json").status == 200)
    }

    @Test func `the demo backend keeps a session cookie from a posted user object until logout`() throws {
        let cookie = try logIn()
        #expect(try Curl("-b", cookie, demo.origin + "/users/me").json("name") == "ann")
        #expect(try Curl("-b", cookie, "-X", "POST", demo.origin + "/users/logout").status == 204)
        #expect(try Curl("-b", cookie, demo.origin + "/users/me").status == 403)
    }

    @Test func `sets a cookie on failure too, and it proves nothing`() throws {
        let answer = try Curl(json(#"{"name": "ann", "password": "wrong"}"#) + [demo.origin + "/users/login"])
        #expect(answer.status == 401)
        #expect(answer.headers["www-authenticate"] == nil)
        #expect(answer.json("error") == "invalid user name or password")
        let cookie = try #require(answer.headers["set-cookie"])
        #expect(try Curl("-b", cookie, demo.origin + "/users/me").status == 403)
    }

    @Test func `ages a session cookie when it is asked to`() throws {
        let body = json(#"{"name": "ann", "password": "correct horse"}"#)
        let cookie = try #require(try Curl(body + [demo.origin + "/users/login?ttl=0"]).headers["set-cookie"])
        #expect(cookie.hasSuffix("; Max-Age=0"))
        #expect(try Curl("-b", cookie, demo.origin + "/users/me").status == 403)
    }

    @Test func `the demo backend answers a post with 403 when logged out, and stores it when logged in`() throws {
        let post = json(#"{"title": "grüße"}"#)
        #expect(try Curl(post + [demo.origin + "/posts"]).status == 403)
        #expect(try Curl(demo.origin + "/posts").json("count") == "0")
        let answer = try Curl(post + ["-b", try logIn(), demo.origin + "/posts"])
        #expect(answer.status == 201)
        #expect(answer.json("author") == "ann")
        #expect(answer.json("post") == #"{"title": "grüße"}"#)
        #expect(try Curl(demo.origin + "/posts").json("count") == "1")
    }

    @Test func `the demo backend takes a personal access token in the header of the forge`() throws {
        let user = demo.origin + "/api/v4/user"
        #expect(try Curl("-H", "PRIVATE-TOKEN: demo-pat-ann-7f3a9c", user).json("username") == "ann")
        #expect(try Curl("-H", "PRIVATE-TOKEN: demo-pat-ann", user).status == 401)
        #expect(try Curl("-H", "PRIVATE-TOKEN: demo-pat-forbidden-7f3a9c", user).status == 403)
        #expect(try Curl(user).status == 401)
    }

    @Test func `the demo backend takes the token of the index as a Basic password, and answers 200 to everyone`() throws
    {
        let login = demo.origin + "/+login"
        let answer = try Curl(json(#"{"user": "ann", "password": "correct horse"}"#) + [login])
        let token = try #require(answer.json("result", "password"))
        #expect(answer.json("type") == "proxyauth")
        #expect(answer.json("result", "expiration") == "36000")
        #expect(try Curl(json(#"{"user": "ann", "password": "wrong"}"#) + [login]).status == 401)
        let good = try Curl("-u", "ann:\(token)", demo.origin + "/+api")
        #expect(good.json("result", "authstatus", "0") == "ok")
        #expect(good.json("result", "authstatus", "1") == "ann")
        for pair in ["ann:correct horse", "bob:\(token)"] {
            let refused = try Curl("-u", pair, demo.origin + "/+api")
            #expect(refused.status == 200)
            #expect(refused.json("result", "authstatus", "0") == "noauth")
        }
        #expect(try Curl(demo.origin + "/+api").json("result", "authstatus", "1") == "")
    }

    private func logIn() throws -> String {
        let body = json(#"{"name": "ann", "password": "correct horse"}"#)
        let answer = try Curl(body + [demo.origin + "/users/login"])
        #expect(answer.status == 200)
        let cookie = try #require(answer.headers["set-cookie"])
        #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax"))
        return String(cookie.prefix { $0 != ";" })
    }

    private func json(_ body: String) -> [String] {
        ["-H", "Content-Type: application/json", "-d", body]
    }
}
