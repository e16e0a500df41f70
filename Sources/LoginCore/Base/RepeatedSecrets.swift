package import Secrets

/// The secrets of a run, to be recognised where a server repeats them: `no user "ann" with the password "…"`.
package struct RepeatedSecrets: Equatable, Sendable {
    private var secrets: [Secret] = []
    private var pairs: [Secret] = []

    /// Holds no secrets yet.
    package init() {}

    /// Each also behind the user name, where both may be too short to be looked for alone.
    package mutating func add(_ more: [Secret?], username: String = "") {
        for case let secret? in more where !secret.isEmpty && !secrets.contains(secret) {
            secrets.append(secret)
            addPair(username, secret)
        }
    }

    /// The pair of Basic (RFC 7617, section 2), which is looked for in base64 alone.
    private mutating func addPair(_ username: String, _ secret: Secret) {
        guard let pair = Self.pair(username, secret), !pairs.contains(pair) else { return }
        pairs.append(pair)
    }

    /// The secrets of a request whose response others show.
    package mutating func add(_ more: RepeatedSecrets) {
        secrets += more.secrets.filter { !secrets.contains($0) }
        pairs += more.pairs.filter { !pairs.contains($0) }
    }

    /// Whether the text repeats one of them: as it is, or as URLs, JSON, HTML, programs' own texts, hexadecimal digits or base64
    /// have it.
    package func stand(in text: String) -> Bool {
        guard !secrets.isEmpty || !pairs.isEmpty else { return false }
        let forms = RepeatedText.forms(of: text)
        // Digits stay as they are, and letters become small.
        let digits = text.utf8.map { $0 | 0x20 }
        let decoded = forms.flatMap { Base64Runs.decoded($0, least: least) }
        return secrets.contains { secret in
            secret.withUnsafeBytes { bytes in
                forms.contains { $0.contains(bytes) }
                    || (bytes.count >= Self.leastEncoded
                        && (digits.contains(Hexadecimal.digits(bytes))
                            || decoded.contains { $0.contains(bytes.prefix(Self.soughtCount(bytes.count))) }))
            }
        }
            || pairs.contains { pair in
                pair.withUnsafeBytes { bytes in
                    decoded.contains { $0.contains(bytes.prefix(Self.soughtCount(bytes.count))) }
                }
            }
    }

    /// In bytes: shorter ones stand in many a number or encoded text.
    private static let leastEncoded = 4

    /// The shortest that is looked for in base64, in bytes.
    private var least: Int {
        (secrets.lazy.map(\.count).filter { $0 >= Self.leastEncoded } + pairs.lazy.map(\.count)).min()
            .map(Self.soughtCount) ?? .max
    }

    /// Counts the bytes of a secret that are looked for in base64: a text that was cut may lack those beyond its last whole group.
    private static func soughtCount(_ count: Int) -> Int {
        let whole = count / 3 * 3
        return whole >= 6 ? whole : count
    }

    private static func pair(_ username: String, _ secret: Secret) -> Secret? {
        var pair = SecretBuilder(limit: secret.count + username.utf8.count + 1)
        do throws(SecretBuilder.LimitExceeded) {
            try pair.append(username + ":")
            try pair.append(secret)
            return pair.finish()
        } catch {
            return nil
        }
    }
}

extension [UInt8] {
    /// Whether the bytes stand in it.
    fileprivate func contains(_ bytes: some Sequence<UInt8>) -> Bool {
        let sought = Array(bytes)
        return withUnsafeBufferPointer { all in
            sought.withUnsafeBufferPointer { sought in
                guard let first = sought.first, all.count >= sought.count else { return false }
                return (0...all.count - sought.count).contains { start in
                    all[start] == first && sought.indices.allSatisfy { all[start + $0] == sought[$0] }
                }
            }
        }
    }
}
