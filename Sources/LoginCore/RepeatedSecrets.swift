public import Secrets

/// The secrets of a run, to be recognised where a server repeats them: `no user "ann" with the password "…"`.
public struct RepeatedSecrets: Equatable, Sendable {
    private var secrets: [Secret] = []

    /// None yet: no text repeats any.
    public init() {}

    /// Each also as base64, alone and behind a user name.
    public mutating func add(_ more: [Secret?], username: String = "") {
        for case let secret? in more where !secret.isEmpty && !secrets.contains(secret) {
            secrets.append(secret)
            if let alone = Self.base64Core(secret) { secrets.append(alone) }
            if let pair = Self.pair(username, secret).flatMap(Self.base64Core) { secrets.append(pair) }
        }
    }

    /// Whether the text repeats one of them, as it is or percent-encoded.
    public func stand(in text: String) -> Bool {
        let bytes = Array(text.utf8), decoded = Self.percentDecoded(bytes)
        return secrets.contains { secret in
            secret.withUnsafeBytes { bytes.firstRange(of: $0) != nil || decoded.firstRange(of: $0) != nil }
        }
    }

    /// The base64 of the bytes that fill whole groups: the rest depends on what follows.
    private static func base64Core(_ secret: Secret) -> Secret? {
        let whole = secret.count / 3 * 3
        guard whole >= 6 else { return nil }
        return secret.withUnsafeBytes { Secret(copying: UnsafeRawBufferPointer(rebasing: $0[..<whole])) }.base64
    }

    /// RFC 7617, section 2.
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

    /// RFC 3986, section 2.1, and the `+` of forms.
    private static func percentDecoded(_ bytes: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = [], index = 0
        while index < bytes.count {
            let digits = bytes[index...].dropFirst().prefix(2)
            if bytes[index] == UInt8(ascii: "%"), digits.count == 2,
                let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                decoded.append(byte)
                index += 3
            } else {
                decoded.append(bytes[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : bytes[index])
                index += 1
            }
        }
        return decoded
    }
}
