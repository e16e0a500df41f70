import LoginCore
import Testing

/// Whose a renewed session is.
struct RenewalOwnerTests {
    private let ann = Identity(username: "ann@example.org", serverName: "ann")

    private func names(_ owner: RenewalOwner, known: Identity? = nil) -> [String?]? {
        owner.otherPerson(than: known ?? ann).map { [$0.stored.serverName, $0.confirmed.serverName] }
    }

    @Test func `D23: an answer that tells nothing is of the same person`() {
        #expect(names(RenewalOwner()) == nil)
        #expect(names(RenewalOwner(subjects: .init(old: "1", new: nil))) == nil)
        #expect(names(RenewalOwner(subjects: .init(old: nil, new: "1"))) == nil)
    }

    @Test func `D23: a name is held against the server's own, byte for byte`() {
        #expect(names(RenewalOwner(named: "ann")) == nil)
        #expect(names(RenewalOwner(named: "mallory")) == ["ann", "mallory"])
        #expect(names(RenewalOwner(named: "Ann")) == ["ann", "Ann"])
        // What was typed may be an address for what the server calls otherwise.
        #expect(names(RenewalOwner(named: "ann"), known: Identity(username: "a@b", serverName: nil)) == nil)
    }

    @Test func `D23: tokens tell it, too, also where a name agrees`() {
        let other = RenewalOwner.Subjects(old: "1", new: "2")
        #expect(names(RenewalOwner(subjects: other)) == ["1", "2"])
        #expect(names(RenewalOwner(named: "ann", subjects: other)) == ["1", "2"])
        #expect(names(RenewalOwner(subjects: .init(old: "1", new: "1"))) == nil)
    }

    @Test(arguments: [(0, false), (60, false), (61, true), (Int64.max, true), (-1, false), (Int64.min, false)])
    func `D34: a clock that shows an earlier time than it did is noticed`(ahead: Int64, isNoticed: Bool) {
        let clock = WallClock { 1000 }
        let time = ahead > 0 ? Int64(1000).addingReportingOverflow(ahead).overflow ? .max : 1000 + ahead : ahead
        #expect((ClockDifference(settingBack: clock, since: time) != nil) == isNoticed)
    }
}
