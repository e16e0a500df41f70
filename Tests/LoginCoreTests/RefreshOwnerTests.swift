@testable import LoginKit
import Testing

/// Whose a refreshed session is.
struct RefreshOwnerTests {
    private let ann = Identity(username: "ann@example.org", serverName: "ann")

    private func names(_ owner: RefreshOwner, known: Identity? = nil) -> [String?]? {
        owner.otherPerson(than: known ?? ann).map { [$0.stored.serverName, $0.confirmed.serverName] }
    }

    @Test func `an answer that tells nothing is of the same person`() {
        #expect(names(RefreshOwner()) == nil)
        #expect(names(RefreshOwner(subjects: .init(old: "1", new: nil))) == nil)
        #expect(names(RefreshOwner(subjects: .init(old: nil, new: "1"))) == nil)
    }

    @Test func `a name is held against the server's own, byte for byte`() {
        #expect(names(RefreshOwner(named: "ann")) == nil)
        #expect(names(RefreshOwner(named: "mallory")) == ["ann", "mallory"])
        #expect(names(RefreshOwner(named: "Ann")) == ["ann", "Ann"])
        // What was typed may be an address for what the server calls otherwise.
        #expect(names(RefreshOwner(named: "ann"), known: Identity(username: "a@b", serverName: nil)) == nil)
    }

    @Test func `tokens tell it, too, also where a name agrees`() {
        let other = RefreshOwner.Subjects(old: "1", new: "2")
        #expect(names(RefreshOwner(subjects: other)) == ["1", "2"])
        #expect(names(RefreshOwner(named: "ann", subjects: other)) == ["1", "2"])
        #expect(names(RefreshOwner(subjects: .init(old: "1", new: "1"))) == nil)
    }

    @Test(arguments: [(0, false), (60, false), (61, true), (Int64.max, true), (-1, false), (Int64.min, false)])
    func `a clock that shows an earlier time than it did is noticed`(ahead: Int64, isNoticed: Bool) {
        let clock = WallClock { 1000 }
        let time = ahead > 0 ? Int64(1000).addingReportingOverflow(ahead).overflow ? .max : 1000 + ahead : ahead
        #expect((ClockDifference(settingBack: clock, since: time) != nil) == isNoticed)
    }
}
