@testable import LoginKit
@testable import LoginTestSupport
import Testing

/// The numbers are frozen: scripts rely on them.
struct ExitCodeTests {
    static let frozen: [(Int32, String)] = [
        (0, "ok"), (1, "failure"), (2, "usage"), (3, "rejected"), (4, "login-required"), (5, "cancelled"),
        (6, "network"), (7, "untrusted"), (8, "store"), (9, "second-factor"), (10, "forbidden"), (11, "http"),
        (12, "busy"), (13, "expired"), (14, "locked"), (15, "partial"),
    ]

    @Test func `every code has the number and the name that were promised`() {
        #expect(ExitCode.allCases.map(\.rawValue) == Self.frozen.map(\.0))
        #expect(ExitCode.allCases.map(\.name) == Self.frozen.map(\.1))
    }

    @Test func `every error has its code`() {
        for (error, code) in SomeErrors.all { #expect(error.exitCode == code, "\(error)") }
    }
}
