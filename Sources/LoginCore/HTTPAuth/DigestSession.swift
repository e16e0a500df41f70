package import Secrets

/// The answers to one Digest challenge, one for each request (RFC 7616, sections 3.4 and 3.5).
///
/// Pure: the hash function and the random client nonces come from outside.
package struct DigestSession: Sendable {
    /// Hashes bytes. The digest is in lower-case hexadecimal digits, and in guarded memory since it may stand for a
    /// password.
    package typealias Hasher = (DigestAlgorithm.Hash, Secret) throws(LoginFault) -> Secret

    /// One request as the answer covers it.
    package struct Request: Sendable {
        /// The verb.
        package let method: String
        /// The target of the request line, byte for byte.
        package let uri: String
        /// Hashed along with `auth-int`.
        package let body: Secret?

        /// - Parameter body: without one, `auth-int` covers an empty body.
        package init(method: String, uri: String, body: Secret?) {
            self.method = method
            self.uri = uri
            self.body = body
        }
    }

    /// The challenge to answer.
    package let challenge: DigestChallenge
    /// The nonce of the challenge, until the server names the next one.
    private(set) var nonce: String
    /// The number of requests that used this nonce.
    package private(set) var nonceCount: UInt32 = 0
    /// The client nonce of the first answer, on which the session's key hangs.
    private var firstClientNonce: String?

    /// Begins with the challenge's nonce, of which nothing was answered yet.
    package init(_ challenge: DigestChallenge) {
        self.challenge = challenge
        nonce = challenge.nonce
    }

    /// Makes the answer to the next request.
    /// - Parameter clientNonce: from a random source, never used before.
    /// - Throws: what `hash` throws, and `usage` for a name and password that are too long.
    package mutating func answer(
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
    package mutating func take(nextNonce: String) {
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
        var builder = SecretBuilder(limit: RequestRule.bodyLimit)
        do throws(SecretBuilder.LimitExceeded) {
            for piece in pieces { try builder.append(piece) }
        } catch {
            throw .usage(.other("user name and password are longer than \(error.limit) bytes"))
        }
        return builder.finish()
    }
}
