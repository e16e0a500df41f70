import Secrets
import Testing

@testable import LoginKit

@Suite struct `A watch over a browser's window` {
    private func cookies(_ json: String, host: String = "wiki.example") throws -> [WindowCookie] {
        let value = try Secret(json).withUnsafeBytes { (bytes) throws(JSONFault) in try JSONReader.read(bytes) }
        return WindowCookie.cookies(in: value, for: host)
    }

    private func cookie(_ more: String, domain: String = "wiki.example") throws -> [WindowCookie] {
        try cookies(#"{"cookies":[{"name":"sid","value":"x","domain":"\#(domain)","path":"/"\#(more)}]}"#)
    }

    private func session(_ value: String) -> [Secret] { [Secret(value)] }

    @Test func `a cookie of the host is read with all its attributes`() throws {
        let found = try cookie(#","expires":1900000000.5,"secure":true,"httpOnly":true"#)
        #expect(found.count == 1)
        #expect(found[0].expires == 1_900_000_001 && found[0].isSecure && found[0].isHTTPOnly)
        #expect(!found[0].isOfParent(of: "wiki.example"))
        #expect(try cookie(#","expires":-1"#)[0].expires == nil)
    }

    @Test func `a cookie of a domain above the host is one of a parent`() throws {
        #expect(try cookie("", domain: ".example")[0].isOfParent(of: "wiki.example"))
        #expect(try !cookie("", domain: ".wiki.example")[0].isOfParent(of: "wiki.example"))
    }

    @Test(arguments: [".other.example", "example", "id.example", ".iki.example", ""])
    func `a cookie that the host would not be sent is passed over`(_ domain: String) throws {
        #expect(try cookie("", domain: domain).isEmpty)
    }

    @Test func `cookies come in the same order however the browser lists them`() throws {
        let two = [("a", "/"), ("b", "/"), ("b", "/deep")].map {
            #"{"name":"\#($0)","value":"x","domain":"wiki.example","path":"\#($1)"}"#
        }
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let found = try cookies(#"{"cookies":[\#(order.map { two[$0] }.joined(separator: ","))]}"#)
            #expect(found.map { $0.name + $0.path } == ["a/", "b/deep", "b/"])
        }
    }

    @Test func `a partitioned cookie is passed over`() throws {
        #expect(try cookie(#","partitionKey":{"topLevelSite":"https://other.example"}"#).isEmpty)
        #expect(try cookie(#","partitionKey":null"#).isEmpty)
        #expect(try cookie(#","partitionKeyOpaque":true"#).isEmpty)
    }

    @Test(arguments: [#"a\tb"#, #"a\nb"#, #"a\u0000"#, ""])
    func `a cookie whose name or value would end a field of its record is passed over`(_ text: String) throws {
        let named = #"{"cookies":[{"name":"\#(text)","value":"x","domain":"wiki.example","path":"/"}]}"#
        #expect(try cookies(named).isEmpty)
        let valued = #"{"cookies":[{"name":"a","value":"\#(text)","domain":"wiki.example","path":"/"}]}"#
        #expect(try cookies(valued).count == (text.isEmpty ? 1 : 0))
    }

    @Test(arguments: ["{}", #"{"cookies":{}}"#, #"{"cookies":[1,null,{"name":"a"}]}"#])
    func `an answer without cookies has none`(_ json: String) throws { #expect(try cookies(json).isEmpty) }

    @Test func `cookies are tried after each page of the service, also where they are the same`() throws {
        var watch = WindowWatch(), tried: [Int] = []
        func look(_ values: [Secret], at now: Int) { if watch.tries(values, at: now) { tried.append(now) } }
        look([], at: 0)
        watch.pageCameUp("/", at: 0)
        look([], at: 10)
        look(session("a"), at: 20)
        look(session("a"), at: 30)
        watch.pageCameUp("/app", at: 40)
        look(session("a"), at: 319)
        look(session("a"), at: 320)
        look(session("b"), at: 819)
        look(session("b"), at: 820)
        #expect(tried == [20, 320, 820])
    }

    @Test func `three later tries are made where nothing happens, and no more`() throws {
        var watch = WindowWatch()
        let same = session("a")
        watch.pageCameUp("/", at: 0)
        let tries = stride(from: 0, to: 120_000, by: 100).filter { watch.tries(same, at: $0) }
        #expect(tries == [0, 3000, 6000, 12_000])
    }

    @Test func `cookies and pages that change all the time are tried ever more rarely`() throws {
        var watch = WindowWatch(), tried: [Int] = []
        for now in stride(from: 0, to: 300_000, by: 50) {
            watch.pageCameUp("/\(now)", at: now)
            if watch.tries(session("\(now)"), at: now) { tried.append(now) }
        }
        #expect(tried.filter { $0 < 10_000 }.count <= 25 && tried.count <= 150, "\(tried.count)")
    }

    @Test func `a page that changes its title all the time is tried every two seconds at most, and later tries go on`()
        throws
    {
        var watch = WindowWatch(), tried: [Int] = []
        for now in stride(from: 0, to: 7000, by: 100) {
            watch.pageCameUp("/", at: now)
            if watch.tries(session("a"), at: now) { tried.append(now) }
        }
        #expect(tried == [0, 2000, 3000, 5000, 6000])
    }
}
