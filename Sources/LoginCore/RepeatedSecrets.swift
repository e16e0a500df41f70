package import Secrets

/// The secrets of a run, to be recognised where a server repeats them: `no user "ann" with the password "…"`.
package struct RepeatedSecrets: Equatable, Sendable {
    private var secrets: [Secret] = []

    /// None yet: no text repeats any.
    package init() {}

    /// Each also as base64, alone and behind a user name.
    package mutating func add(_ more: [Secret?], username: String = "") {
        for case let secret? in more where !secret.isEmpty && !secrets.contains(secret) {
            secrets.append(secret)
            if let alone = Self.base64Core(secret) { secrets.append(alone) }
            addPair(username, secret)
        }
    }

    /// The pair of Basic (RFC 7617, section 2), of which both parts may be too short to be looked for.
    package mutating func addPair(_ username: String, _ secret: Secret) {
        guard let pair = Self.pair(username, secret) else { return }
        let written = Self.base64Core(pair) ?? pair.base64
        if !secrets.contains(written) { secrets.append(written) }
    }

    /// Those of a request whose answer is shown by others.
    package mutating func add(_ more: RepeatedSecrets) {
        secrets += more.secrets.filter { !secrets.contains($0) }
    }

    /// Whether the text repeats one of them: as it is, or as URLs, JSON, HTML, programs' own texts or hexadecimal digits have
    /// it.
    package func stand(in text: String) -> Bool {
        guard !secrets.isEmpty else { return false }
        let forms = RepeatedText.forms(of: text)
        // Digits stay as they are, and letters become small.
        let digits = text.utf8.map { $0 | 0x20 }
        return secrets.contains { secret in
            secret.withUnsafeBytes { bytes in
                forms.contains { $0.firstRange(of: bytes) != nil }
                    || (bytes.count >= Self.leastInHex && digits.firstRange(of: Hexadecimal.digits(bytes)) != nil)
            }
        }
    }

    /// In bytes: of shorter ones the digits stand in many a number.
    private static let leastInHex = 4

    /// The base64 of the bytes that fill whole groups: the rest depends on what follows.
    private static func base64Core(_ secret: Secret) -> Secret? {
        let whole = secret.count / 3 * 3
        guard whole >= 6 else { return nil }
        return secret.withUnsafeBytes { Secret(copying: UnsafeRawBufferPointer(rebasing: $0[..<whole])) }.base64
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
