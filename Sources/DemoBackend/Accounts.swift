import Foundation

/// Somebody who may log in to the demo services.
struct Account: Sendable {
    /// How the services behave towards an account; every kind of trouble is an account of its own, so that a person can
    /// provoke it by typing a name.
    enum Trait: Sendable {
        case usual
        /// The password is good, but the account may not: 403 at the verify endpoint.
        case suspended
        /// 429 with `Retry-After: 7`, before the password is looked at.
        case busy
        /// 500, before the password is looked at.
        case broken
        /// The usual answers, three seconds late.
        case slow
        /// Locked after three wrong passwords in a row, until `POST /demo/reset`.
        case locksOut
        /// Locked already.
        case locked
    }

    let name: String
    let password: String
    /// The personal access token that the forge takes.
    let accessToken: String
    let trait: Trait
    /// What a person should know about this account.
    let about: String

    /// Everyone that the demo knows.
    static let all = [
        Account("ann", "correct horse", "the usual case"),
        Account("bob", "pä:ss%wörd&+\"\\ünïcode", "colon, %, &, +, quote, backslash and UTF-8 in the password"),
        Account("zoë müller@wire", "  blank ends ", "blanks and @ in the name; blanks at both ends of the password"),
        Account("guest", "", "an empty password"),
        Account("forbidden", "forbidden fruit", "good password, suspended account: 403 at verify", .suspended),
        Account("busy", "busy as a bee", "429 with Retry-After: 7", .busy),
        Account("broken", "broken record", "500", .broken),
        Account("slow", "slow and steady", "every answer takes 3 seconds", .slow),
        Account("lockout", "lock stock", "locked after 3 wrong passwords: 423, the right one included", .locksOut),
        Account("locked", "locked door", "locked already", .locked),
    ]

    private init(_ name: String, _ password: String, _ about: String, _ trait: Trait = .usual) {
        let plain = name.unicodeScalars.filter { $0.isASCII && $0.properties.isAlphabetic }
        self.name = name
        self.password = password
        self.accessToken = "demo-pat-\(String(String.UnicodeScalarView(plain)))-7f3a9c"
        self.trait = trait
        self.about = about
    }

    /// The accounts as a table for people; the quotes stand for nothing but the ends of the text.
    static var table: String {
        let rows =
            [("USER NAME", "PASSWORD", "TOKEN FOR THE FORGE", "WHAT IT SHOWS")]
            + all.map { ("‘\($0.name)’", "‘\($0.password)’", $0.accessToken, $0.about) }
        let widths = (
            rows.map(\.0.count).max() ?? 0, rows.map(\.1.count).max() ?? 0, rows.map(\.2.count).max() ?? 0
        )
        return rows.map { row in
            [padded(row.0, widths.0), padded(row.1, widths.1), padded(row.2, widths.2), row.3]
                .joined(separator: "  ")
        }.joined(separator: "\n")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
