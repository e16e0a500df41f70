import Testing

@testable import LoginKit

/// The server's `Date` beside a clock that a script sets.
struct ClockDifferenceTests {
    /// 784111777 in Unix time.
    private let answer = HTTPResponse(
        status: 200, headers: [HTTPResponseField(name: "Date", value: "Sun, 06 Nov 1994 08:49:37 GMT")])

    private func difference(_ now: Int64, expires: Int64? = 0) -> Int64? {
        ClockDifference(of: answer, bringing: expires, at: WallClock { now })?.seconds
    }

    @Test func `more than a minute counts, in both directions`() {
        for (now, seconds) in [(784_111_777, nil), (784_111_837, nil), (784_111_838, 61), (784_111_716, -61)]
            as [(Int64, Int64?)]
        {
            #expect(difference(now) == seconds)
        }
    }

    @Test func `nothing is said of a session that is not over here, or has no end`() {
        #expect(difference(784_200_000, expires: 784_200_001) == nil)
        #expect(difference(784_200_000, expires: 784_200_000) != nil)
        #expect(difference(784_200_000, expires: nil) == nil)
    }

    @Test(arguments: ["", "yesterday", "Sun, 06 Nov 1994 08:49:37 CET"])
    func `a server that tells no time differs by nothing`(date: String) {
        let answer = HTTPResponse(status: 200, headers: [HTTPResponseField(name: "Date", value: date)])
        #expect(ClockDifference(of: answer, at: WallClock { 0 }) == nil)
        #expect(ClockDifference(of: HTTPResponse(status: 200), at: WallClock { 0 }) == nil)
    }

    @Test(
        arguments: [
            (61, "61 seconds ahead of"), (-119, "119 seconds behind"), (120, "2 minutes ahead of"),
            (-7199, "119 minutes behind"), (7200, "2 hours ahead of"), (315_360_000, "3650 days ahead of"),
            (Int64.min, "106751991167300 days behind"),
        ] as [(Int64, String)])
    func `it is told in the unit that fits`(seconds: Int64, words: String) throws {
        #expect(try #require(ClockDifference(seconds: seconds)).words == "the clock here is \(words) the server's")
    }
}
