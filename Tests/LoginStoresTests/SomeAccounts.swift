@testable import LoginKit
import Secrets

extension Origin {
    static let example = Origin(scheme: "https", host: "probe.example", port: 443)
}

extension AccountID {
    static func some(_ profile: String = "work", _ username: String = "alice") -> AccountID {
        AccountID(profile: profile, origin: .example, username: username)
    }
}

extension WallClock {
    static let fixed = WallClock { 1_800_000_000 }
}

extension Secret {
    var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}
