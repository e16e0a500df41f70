import Foundation
@testable import LoginTestSupport
import Testing

/// What the demo backend does wrong on request, what it tells of what it saw, and how it starts and ends.
@Suite(.onOwnThreads) struct `The demo backend, on request,` {
    let demo: DemoBackendProcess

    init() throws {
        demo = try DemoBackendProcess()
    }

    private var wire: String { demo.origin + "/account/verify_credentials.json" }
    private var open: String { demo.origin + "/open.json" }

    @Test func `forbids, is busy, and breaks, by account`() throws {
        #expect(try Curl("-u", "forbidden:forbidden fruit", wire).status == 403)
        #expect(try Curl("-u", "forbidden:wrong", wire).status == 401)
        let busy = try Curl("-u", "busy:busy as a bee", wire)
        #expect(busy.status == 429)
        #expect(busy.headers["retry-after"] == "7")
        #expect(try Curl("-u", "broken:broken record", wire).status == 500)
        #expect(try Curl("-u", "locked:locked door", wire).status == 423)
    }

    @Test func `the demo backend, on request, is slow`() throws {
        let start = ContinuousClock.now
        #expect(try Curl("-u", "slow:slow and steady", wire).status == 200)
        #expect(ContinuousClock.now - start >= .seconds(3))
    }

    @Test
    func
        `the demo backend can lock an account after three wrong passwords, even for the right one, until the reset`()
        throws
    {
        for _ in 0..<3 { #expect(try Curl("-u", "lockout:wrong", wire).status == 401) }
        let locked = try Curl("-u", "lockout:lock stock", wire)
        #expect(locked.status == 423)
        #expect(locked.json("error")?.contains("locked") == true)
        try demo.reset()
        #expect(try Curl("-u", "lockout:lock stock", wire).status == 200)
    }

    @Test func `the demo backend, on request, lets the next answers fail, in order, and for the path that was named`()
        throws
    {
        try demo.order(
            .init(path: "/users/me", status: 503), .init(status: 429, retryAfter: 5), .init(body: "not JSON"))
        let busy = try Curl(open)
        #expect(busy.status == 429)
        #expect(busy.headers["retry-after"] == "5")
        #expect(try Curl(open).text == "not JSON")
        #expect(try Curl(open).status == 200)
        #expect(try Curl(demo.origin + "/users/me").status == 503)
        #expect(try Curl(demo.origin + "/users/me").status == 403)
        #expect(try Curl(open + "?fault=500").status == 500)
    }

    @Test func `the demo backend, on request, answers late, and breaks off in the middle`() throws {
        try demo.order(.init(delay: 1), .init(cutShort: true))
        let start = ContinuousClock.now
        #expect(try Curl(open).status == 200)
        #expect(ContinuousClock.now - start >= .seconds(1))
        let failure = #expect(throws: Curl.Failure.self) { try Curl(open) }
        #expect(failure?.status == 18)
    }

    @Test func `the demo backend, on request, tells what it saw without the secrets`() throws {
        _ = try Curl(wire + "?ttl=3&key=swordfish")
        _ = try Curl("-u", "ann:correct horse", wire)
        _ = try Curl("-u", "correct horse:ann", wire)
        _ = try Curl("-H", "auth_token: swordfish", demo.origin + "/home/index.json")
        let path = "/account/verify_credentials.json"
        let seen = try demo.requests()
        #expect(seen.map(\.path) == [path, path, path, "/home/index.json"])
        #expect(seen.map(\.status) == [401, 200, 401, 401])
        #expect(seen.map(\.who) == [nil, "ann", nil, nil])
        #expect(seen.map(\.carried) == [[], ["basic"], ["basic"], ["auth_token"]])
        #expect(seen.first?.query == ["ttl": "3", "key": "***"])
        #expect(demo.output.contains("GET \(path)  ann  (basic ***)  200\n"))
        let sweep = try LeakSweep(secrets: ["swordfish"], pairs: [("ann", "correct horse")])
        try sweep.expectClean(["output": demo.output, "requests": Curl(demo.origin + "/demo/requests").text])
        try demo.reset()
        #expect(try demo.requests().isEmpty)
    }

    @Test func `the demo backend, on request, answers HEAD without a body, and 404 where there is nothing`() throws {
        let head = try Curl("-I", open)
        #expect(head.status == 200)
        #expect(head.body.isEmpty)
        #expect(try Curl("-X", "PROPFIND", demo.origin + "/no/such/place").status == 404)
    }

    @Test func `listens on loopback alone, and ends with its stdin`() throws {
        #expect(demo.origin == "http://127.0.0.1:\(demo.port)")
        demo.stop()
        let failure = #expect(throws: Curl.Failure.self) { try Curl(open) }
        #expect(failure?.status == 7)
    }

    @Test func `the demo backend, on request, prints the profiles of the contract for its own port`() throws {
        let profiles = try demo.profiles()
        for name in ["wire", "blog", "screencast", "forge", "admin", "chat", "index"] {
            #expect(profiles.contains("[profiles.\(name)]"))
        }
        #expect(profiles.split(separator: demo.origin).count == 8)
    }

    @Test func `faults by chance are the same for the same seed, and about as many as were ordered`() throws {
        let rows = try (0..<2).map { _ in
            try demo.reset()
            try demo.fail(every: 5, seed: 7)
            // Some get no answer.
            for _ in 0..<60 { _ = try? Curl(demo.origin + "/posts") }
            return try demo.requests().map(\.status)
        }
        #expect(rows[0] == rows[1])
        #expect(Set(rows[0]) == [200, 429, 500])
        #expect((2...20).contains(rows[0].filter { $0 != 200 }.count))
        try demo.failNoMore()
        #expect(try (0..<20).allSatisfy { _ in try Curl(demo.origin + "/posts").status == 200 })
    }
}
