@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Authorization responses that are made up, by a writer that knows what each of their parameters means.
struct GeneratedCallbackTests {
    private static let state = "s0123456789"

    @Test func `each of 6,000 generated responses is read as RFC 6749 and RFC 9207 have it, by the port and pasted`() {
        var right = 0, denied = 0, refused = 0
        for seed in Thoroughness.seeds {
            var random = SeededGenerator(seed: seed)
            for number in 1...3 {
                let callback = WrittenCallback(state: Self.state, &random)
                let issuer = random.isOne(in: 4) ? nil : SomeOAuth.issuer, promises = random.isOne(in: 3)
                let judge = AuthorizationJudge(
                    redirect: LoopbackRedirect(), port: 41873, state: Secret(Self.state), issuer: issuer,
                    promisesIssuer: promises)
                let allowed = Self.readings(of: callback, issuer, promises)
                let shown = "seed \(seed), number \(number), \(issuer ?? "-"), \(promises): \(callback.query)"
                let heard = judge.judge(
                    LoopbackRequest(
                        method: "GET", hosts: ["127.0.0.1:41873"], target: Secret("/callback?\(callback.query)")))
                #expect(allowed.contains(heard), "\(heard); \(shown)")
                let end = random.pick(["", "#", "#_=_", " \n"])
                let pasted = judge.judge(pasted: Secret("\(SomeOAuth.redirect)?\(callback.query)\(end)"))
                #expect(pasted == Self.pasted(heard), "\(pasted); \(shown)")
                switch heard {
                case .right: right += 1
                case .denied: denied += 1
                case .refused: refused += 1
                case .notAnAddress: Issue.record("nothing was pasted; \(shown)")
                }
            }
        }
        // Unless a failure is repeated by itself.
        let many = Thoroughness.seeds.count / 4
        #expect(Thoroughness.seeds.count < 100 || right > many && denied > many && refused > many)
    }

    /// What a client may make of a response: where several things are wrong with it, any of them may be said.
    private static func readings(
        of callback: WrittenCallback, _ issuer: String?, _ promises: Bool
    ) -> [AuthorizationResponse] {
        let states = callback.named("state")
        if states.isEmpty { return [.refused(.parameters)] }
        if states.allSatisfy({ $0.value != state }) { return [.refused(.state)] }
        var wrong: [Forgery] = []
        for name in ["state", "code", "error", "iss"] {
            let all = callback.named(name)
            if all.count > 1 { wrong.append(.answer(.repeated(name))) }
            if all.count == 1 && all[0].value == nil { wrong.append(.answer(.unreadable(name))) }
        }
        if !wrong.isEmpty { return wrong.map { .refused($0) } }
        let code = callback.named("code").first?.value, error = callback.named("error").first?.value
        let named = callback.named("iss").first?.value
        if named != nil && issuer != nil && named != issuer { wrong.append(.issuer) }
        if named == nil && promises && code != nil { wrong.append(.issuer) }
        if code == nil && error == nil { wrong.append(.answer(.empty)) }
        if code != nil && error != nil { wrong.append(.answer(.both)) }
        if let code, code.isEmpty || code.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value > 0x7e }) {
            wrong.append(.answer(.unreadable("code")))
        }
        if !wrong.isEmpty { return wrong.map { .refused($0) } }
        if let code { return [.right(code: Secret(code))] }
        // Nobody knows whose words they are where the issuer that was promised is missing.
        let words = named == nil && promises ? nil : callback.named("error_description").first?.words
        return [.denied(OAuthRefusal(error.flatMap { OAuthErrorCode(rawValue: $0) }, at: .authorization, words: words))]
    }

    private static func pasted(_ heard: AuthorizationResponse) -> AuthorizationResponse {
        switch heard {
        case .refused(.parameters): .notAnAddress(.incomplete)
        case .refused(.state): .notAnAddress(.otherState)
        case .refused(.issuer): .notAnAddress(.otherIssuer)
        case .refused(.answer(let fault)): .notAnAddress(.answer(fault))
        case .right, .denied, .refused, .notAnAddress: heard
        }
    }
}

/// A query, and what its writer meant by it.
private struct WrittenCallback {
    struct Parameter {
        /// `nil` for a name that is not UTF-8 or has a bad `%`.
        let name: String?
        /// `nil` for a value that is not UTF-8 or has a bad `%`.
        let value: String?
        /// The value as far as it is readable.
        let words: String
        let text: String
    }

    private var parameters: [Parameter] = []

    var query: String { parameters.map(\.text).joined(separator: "&") }

    func named(_ name: String) -> [Parameter] { parameters.filter { $0.name == name } }

    /// Half of them are good, but for foreign parameters.
    init(state: String, _ random: inout SeededGenerator) {
        let isGood = random.isOne(in: 2)
        var values = [("state", isGood ? state : random.pick([state, state, state, "S0123456789", "", "x"]))]
        let codes = isGood ? ["c0de", "4/0Ab_c-d.e~", "a b+c=d&e%41"] : ["c0de", "c0de", "", "a\nb", "\u{e9}"]
        let errors = ["access_denied", "server_error", "my_own", "J\u{fc}rgen"]
        if random.isOne(in: 2) {
            values.append(("code", random.pick(codes)))
        } else {
            values.append(("error", random.pick(errors)))
        }
        if !isGood, random.isOne(in: 8) { values.append(("error", random.pick(errors))) }
        let issuers = [SomeOAuth.issuer] + (isGood ? [] : [SomeOAuth.issuer + "/", "https://evil.example", ""])
        if random.isOne(in: 2) { values.append(("iss", random.pick(issuers))) }
        if random.isOne(in: 2) { values.append(("error_description", "Not for J\u{fc}rgen & Co.")) }
        parameters = values.map { Self.written($0.0, $0.1, &random) }
        if random.isOne(in: 3) { parameters.append(Self.damaged("error_description", &random)) }
        if !isGood { damage(&random) }
        for _ in 0..<random.pick([0, 1, 2, 4]) { parameters.append(Self.foreign(&random)) }
        // Of two descriptions the first is shown.
        parameters.shuffle(using: &random)
    }

    /// Breaks one of the parameters that count, writes it twice, or leaves it out.
    private mutating func damage(_ random: inout SeededGenerator) {
        guard let index = parameters.indices.randomElement(using: &random), let name = parameters[index].name else {
            return
        }
        switch random.pick([0, 1, 2, 3]) {
        case 0: parameters[index] = Self.damaged(name, &random)
        case 1: parameters.append(Self.damaged(name, &random))
        case 2: parameters.append(Self.written(name, random.pick([parameters[index].words, "another"]), &random))
        default: parameters.remove(at: index)
        }
    }

    /// A parameter that no client has to know: unreadable, there twice, or almost one that counts.
    private static func foreign(_ random: inout SeededGenerator) -> Parameter {
        let name = random.pick(["user", "scope", "scope", "session_state", "State", "code2", "ISS", "", "error_uri"])
        if random.isOne(in: 4) {
            let text = random.pick(["stat%E9", "%", "code%=x", "%FF=s0123456789", ""])
            return Parameter(name: nil, value: nil, words: "", text: text)
        }
        return random.isOne(in: 2)
            ? damaged(name, &random) : written(name, random.pick(["", "a", "s0123456789"]), &random)
    }

    private static func damaged(_ name: String, _ random: inout SeededGenerator) -> Parameter {
        let (text, words) = random.pick([
            ("J%FCrgen", "J\u{FFFD}rgen"), ("100%", "100%"), ("%4", "%4"), ("a%zzb", "a%zzb"), ("%c3", "\u{FFFD}"),
        ])
        return Parameter(name: name, value: nil, words: words, text: "\(encoded(name, &random))=\(text)")
    }

    private static func written(_ name: String, _ value: String, _ random: inout SeededGenerator) -> Parameter {
        let isBare = value.isEmpty && random.isOne(in: 2)
        let text = encoded(name, &random) + (isBare ? "" : "=\(encoded(value, &random))")
        return Parameter(name: name, value: value, words: value, text: text)
    }

    /// As one form or another writes it.
    private static func encoded(_ text: String, _ random: inout SeededGenerator) -> String {
        var result = ""
        for byte in text.utf8 {
            let scalar = Unicode.Scalar(byte), digits = "0123456789abcdef".map(String.init)
            let isPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8.contains(byte)
            if isPlain && !random.isOne(in: 8) {
                result.unicodeScalars.append(scalar)
            } else if byte == 0x20 && random.isOne(in: 2) {
                result += "+"
            } else {
                let escape = "%" + digits[Int(byte) / 16] + digits[Int(byte) % 16]
                result += random.isOne(in: 2) ? escape : escape.uppercased()
            }
        }
        return result
    }
}
