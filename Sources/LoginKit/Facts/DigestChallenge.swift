/// A Digest challenge that can be answered (RFC 7616, section 3.3).
struct DigestChallenge: Equatable, Sendable {
    /// Quality of protection: what the answer covers.
    enum QOP: String, Equatable, Sendable {
        case auth
        /// The body too.
        case authInt = "auth-int"
    }

    /// The reason why a challenge cannot be answered.
    enum Unusable: Error, Equatable, Sendable {
        /// The server may mean well, but wants what is not understood: a parameter and its value.
        case notUnderstood(parameter: String, value: String)
        /// It is no challenge: what is wrong with it.
        case malformed(String)
    }

    /// Part of what is hashed; the server's own word.
    let realm: String
    /// The server's value for one or several answers.
    let nonce: String
    /// Goes back as it came.
    let opaque: String?
    /// The algorithm of the response.
    let algorithm: DigestAlgorithm
    /// As the server wrote it; `nil` if it did not, which means MD5.
    let algorithmName: String?
    /// `nil` for a server of RFC 2069, which knows none.
    let qop: QOP?
    /// The answer before was right but for its nonce.
    let isStale: Bool
    /// Whether the user name is sent as a hash.
    let hashesUsername: Bool
    /// Whether the server says that it reads names as UTF-8 (`charset`).
    let isUTF8: Bool

    /// The longest value that is taken, in bytes: what comes back in every request has to stay small.
    private static let limit = 4096

    /// - Throws: `Unusable` where no answer to it could be right; nothing is sent then.
    init(_ challenge: AuthenticateChallenge) throws(Unusable) {
        let supplied = challenge.parameters
        if let name = challenge.repeated.min() { throw .malformed("its \(name) is there twice") }
        if let name = challenge.malformed.min() { throw .malformed("where its \(name) ends cannot be told") }
        guard let nonce = supplied["nonce"], !nonce.isEmpty else { throw .malformed("it has no nonce") }
        guard let realm = supplied["realm"] else { throw .malformed("it has no realm") }
        for name in ["realm", "nonce", "opaque", "algorithm"] {
            if let value = supplied[name] { try Self.check(value, name) }
        }
        let name = supplied["algorithm"]
        guard let algorithm = DigestAlgorithm(name ?? DigestAlgorithm.Hash.md5.rawValue) else {
            throw .notUnderstood(parameter: "algorithm", value: name ?? "")
        }
        (self.realm, self.nonce, self.opaque) = (realm, nonce, supplied["opaque"])
        (self.algorithm, algorithmName) = (algorithm, name)
        qop = try Self.chosen(supplied["qop"])
        isStale = supplied["stale"]?.lowercased() == "true"
        hashesUsername = supplied["userhash"]?.lowercased() == "true"
        isUTF8 = supplied["charset"]?.lowercased() == "utf-8"
    }

    /// `auth` where both are offered: the body is covered by TLS.
    private static func chosen(_ offered: String?) throws(Unusable) -> QOP? {
        guard let offered else { return nil }
        let names = offered.tokens
        if names.contains(QOP.auth.rawValue) { return .auth }
        if names.contains(QOP.authInt.rawValue) { return .authInt }
        throw .notUnderstood(parameter: "qop", value: offered)
    }

    /// The bytes are hashed and sent back: what was repaired or could end a header's line cannot be right.
    private static func check(_ value: String, _ name: String) throws(Unusable) {
        guard value.utf8.count <= limit else { throw .malformed("its \(name) is longer than \(limit) bytes") }
        guard value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f && $0 != "\u{FFFD}" }) else {
            throw .malformed("its \(name) contains a control character or is not UTF-8")
        }
    }
}

extension DigestChallenge {
    /// Chooses, of several challenges, the one with the strongest algorithm; of equals the first.
    ///
    /// The client chooses (RFC 7616, section 3.7).
    /// - Returns: `nil` if none of them can be answered, with the reason of each.
    static func strongest(
        of offered: [AuthenticateChallenge]
    ) -> (challenge: DigestChallenge?, unusable: [Unusable]) {
        var best: DigestChallenge?
        var unusable: [Unusable] = []
        for challenge in offered where challenge.scheme == "digest" {
            do {
                let next = try DigestChallenge(challenge)
                if best.map({ $0.algorithm.hash < next.algorithm.hash }) ?? true { best = next }
            } catch {
                unusable.append(error)
            }
        }
        return (best, unusable)
    }
}

/// The `algorithm` of a Digest challenge (RFC 7616, section 3.3).
struct DigestAlgorithm: Equatable, Sendable {
    /// The hash functions that are understood, weakest first.
    enum Hash: String, CaseIterable, Sendable, Comparable {
        case md5 = "MD5"
        case sha256 = "SHA-256"
        case sha512256 = "SHA-512-256"

        static func < (left: Hash, right: Hash) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The hash function.
    let hash: Hash
    /// Whether a key for the whole session takes the place of the password's hash (`-sess`).
    var isSession = false
}

extension DigestAlgorithm {
    /// - Parameter name: in any case.
    /// - Returns: `nil` for an algorithm that is not understood.
    init?(_ name: String) {
        let upper = name.uppercased(), suffix = "-SESS"
        let isSession = upper.hasSuffix(suffix)
        guard let hash = Hash(rawValue: String(isSession ? upper.dropLast(suffix.count) : upper[...])) else {
            return nil
        }
        self.init(hash: hash, isSession: isSession)
    }
}
