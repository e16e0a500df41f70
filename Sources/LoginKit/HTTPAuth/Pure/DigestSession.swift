import Secrets

/// The answers to one Digest challenge, one for each request (RFC 7616, sections 3.4 and 3.5).
///
/// Pure: the hash function and the random client nonces come from outside.
struct DigestSession: Sendable {
    /// Hashes bytes. The digest is in lower-case hexadecimal digits, and in guarded memory since it may stand for a
    /// password.
    typealias Hasher = (DigestAlgorithm.Hash, Secret) throws(LoginFault) -> Secret

    /// One request as the answer covers it.
    struct Request: Sendable {
        /// The verb.
        let method: String
        /// The target of the request line, byte for byte.
        let uri: String
        /// Hashed along with `auth-int`.
        let body: Secret?
    }

    /// The challenge to answer.
    let challenge: DigestChallenge
    /// The nonce of the challenge, until the server names the next one.
    private(set) var nonce: String
    /// The number of requests that used this nonce.
    private(set) var nonceCount: UInt32 = 0
    /// The client nonce of the first answer, on which the session's key hangs.
    private var firstClientNonce: String?

    /// Begins with the challenge's nonce, of which nothing was answered yet.
    init(_ challenge: DigestChallenge) {
        self.challenge = challenge
        nonce = challenge.nonce
    }

    /// Makes the answer to the next request.
    /// - Parameter clientNonce: from a random source, never used before.
    /// - Throws: what `hash` throws, and `usage` for a name and password that are too long.
    mutating func answer(
        _ request: Request, _ pair: BasicCredential, clientNonce: String, hash: Hasher
    ) throws(LoginFault) -> DigestResponse {
        // A session's key is made of the first client nonce; servers that take the latest instead see the same.
        let cnonce = challenge.algorithm.isSession ? firstClientNonce ?? clientNonce : clientNonce
        firstClientNonce = firstClientNonce ?? cnonce
        nonceCount += 1
        let secretHash = try firstPart(pair, cnonce, hash)
        return DigestResponse(
            challenge: challenge, nonce: nonce, clientNonce: cnonce, nonceCount: nonceCount,
            username: try username(pair, hash), request: request, secretHash: secretHash)
    }

    /// Goes on with the nonce that `Authentication-Info` names (RFC 7616, section 3.5).
    mutating func take(nextNonce: String) {
        guard !nextNonce.isEmpty, nextNonce.utf8.count <= 4096, Secret(nextNonce).isFreeOfControls else { return }
        guard !nextNonce.utf8.elementsEqual(nonce.utf8) else { return }
        nonce = nextNonce
        nonceCount = 0
    }

    /// H(A1) of section 3.4.2.
    private func firstPart(_ pair: BasicCredential, _ cnonce: String, _ hash: Hasher) throws(LoginFault) -> Secret {
        let name = Secret("\(pair.username):\(challenge.realm):")
        let plain = try hash(challenge.algorithm.hash, try .joined([name, pair.password]))
        guard challenge.algorithm.isSession else { return plain }
        return try hash(
            challenge.algorithm.hash, try .joined([plain, Secret(":\(challenge.nonce):\(firstClientNonce ?? cnonce)")]))
    }

    private func username(_ pair: BasicCredential, _ hash: Hasher) throws(LoginFault) -> DigestResponse.Username {
        if challenge.hashesUsername {
            let hashed = try hash(challenge.algorithm.hash, Secret("\(pair.username):\(challenge.realm)"))
            return .hashed(hashed.unprotectedText)
        }
        // A server of RFC 7616 understands `username*`; one that says nothing of a charset knows `username` alone.
        let isASCII = pair.username.utf8.allSatisfy { $0 < 0x80 }
        return isASCII || !challenge.isUTF8 ? .plain(pair.username) : .extended(pair.username)
    }
}

extension Secret {
    /// The bytes of several secrets, one behind the other.
    static func joined(_ pieces: [Secret]) throws(LoginFault) -> Secret {
        let all = Secret(joining: pieces), limit = RequestRule.bodyLimit
        guard all.count <= limit else { throw .usage("user name and password are longer than \(limit) bytes") }
        return all
    }
}

/// The answer to a Digest challenge for one request, and what the server has to prove in return.
struct DigestResponse: Sendable {
    /// The form of the user name (RFC 7616, section 3.4.4).
    enum Username: Equatable, Sendable {
        case plain(String)
        /// As RFC 5987 writes it, in `username*`.
        case extended(String)
        case hashed(String)
    }

    let challenge: DigestChallenge
    let nonce: String
    let clientNonce: String
    let nonceCount: UInt32
    let username: Username
    let request: DigestSession.Request
    /// H(A1).
    let secretHash: Secret

    /// The value of `Authorization` (RFC 7616, section 3.4).
    func authorization(hash: DigestSession.Hasher) throws(LoginFault) -> Secret {
        let response = try self.response(request.method, body: request.body ?? Secret(""), hash)
        var fields = [usernameField, ("realm", quoted(challenge.realm)), ("nonce", quoted(nonce))]
        fields.append(("uri", quoted(request.uri)))
        if let name = challenge.algorithmName { fields.append(("algorithm", name)) }
        fields.append(("response", quoted(response.unprotectedText)))
        if let qop = challenge.qop {
            fields += [("qop", qop.rawValue), ("nc", count), ("cnonce", quoted(clientNonce))]
        } else if challenge.algorithm.isSession {
            // The server needs it for the session's key, whatever RFC 2069 knew.
            fields.append(("cnonce", quoted(clientNonce)))
        }
        if let opaque = challenge.opaque { fields.append(("opaque", quoted(opaque))) }
        if challenge.hashesUsername { fields.append(("userhash", "true")) }
        return Secret("Digest " + fields.map { "\($0.0)=\($0.1)" }.joined(separator: ", "))
    }

    /// The verdict of `Authentication-Info` about this response (RFC 7616, section 3.5).
    enum Proof: Equatable, Sendable {
        /// The server said nothing of itself.
        case none
        /// It knows the password, or what is kept of it.
        case supplied
        case wrong
    }

    /// Whether the server proves that it knows the password too (`rspauth`).
    /// - Parameters:
    ///   - info: the parameters of `Authentication-Info`.
    ///   - body: of the server's answer.
    func proof(
        in info: [String: String], body: Secret, hash: DigestSession.Hasher
    ) throws(LoginFault) -> Proof {
        guard let supplied = info["rspauth"] else { return .none }
        // Of another request, it proves nothing of this one.
        if let cnonce = info["cnonce"], cnonce != clientNonce { return .wrong }
        if let nc = info["nc"], nc.lowercased() != count { return .wrong }
        let expected = try response("", body: body, hash)
        return Secret(supplied.lowercased()) == expected ? .supplied : .wrong
    }

    /// Section 3.4.1; for the server's own proof the method is left out.
    private func response(_ method: String, body: Secret, _ hash: DigestSession.Hasher) throws(LoginFault) -> Secret {
        let function = challenge.algorithm.hash
        var second = "\(method):\(request.uri)"
        if challenge.qop == .authInt { second += ":\(try hash(function, body).unprotectedText)" }
        let secondHash = try hash(function, Secret(second)).unprotectedText
        let middle = challenge.qop.map { "\(nonce):\(count):\(clientNonce):\($0.rawValue)" } ?? nonce
        return try hash(function, try .joined([secretHash, Secret(":\(middle):\(secondHash)")]))
    }

    private var usernameField: (String, String) {
        switch username {
        case .plain(let name), .hashed(let name): ("username", quoted(name))
        case .extended(let name): ("username*", "UTF-8''" + extended(name))
        }
    }

    private var count: String {
        let digits = String(nonceCount, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// RFC 9110, section 5.6.4.
    private func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// RFC 8187, section 3.2.1: all but its `attr-char` as `%XX`.
    private func extended(_ text: String) -> String {
        Hexadecimal.percentEncoded(text.utf8) { $0.isAlphanumeric || "!#$&+-.^_`|~".utf8.contains($0) }
    }
}
