package import Secrets

/// A JSON Web Token that is signed here (RFC 7519), to be sent once: by a client that proves itself (RFC 7523, section 2.2), or as a
/// grant (section 2.1).
struct Assertion {
    /// Seconds for which it is good. A stolen one is of little use, and clocks may be a little off.
    static let lifetime: Int64 = 60

    /// In their order; the times are added.
    private let claims: [(name: String, value: String)]
    private let issued: Int64

    /// - Parameters:
    ///   - id: `jti` (RFC 7519, section 4.1.7), never used before.
    ///   - now: in seconds of Unix time.
    init(_ claims: [(name: String, value: String)], id: Secret, now: Int64) {
        self.claims = claims + [("jti", id.unprotectedText)]
        issued = now
    }

    /// Of a client that proves itself (RFC 7523, section 3).
    init(client: String, audience: String, id: Secret, now: Int64) {
        self.init([("iss", client), ("sub", client), ("aud", audience)], id: id, now: now)
    }

    /// The compact serialization (RFC 7515, section 7.1).
    func signed(by key: any AssertionKey) throws(LoginFault) -> Secret {
        var header = SecretBuilder(limit: RequestRule.bodyLimit)
        var payload = SecretBuilder(limit: RequestRule.bodyLimit)
        var token = SecretBuilder(limit: 2 * RequestRule.bodyLimit)
        do throws(FillFault) {
            try header.write("{")
            try header.writeMember("alg", key.algorithm)
            if let id = key.id {
                try header.write(",")
                try header.writeMember("kid", id)
            }
            try header.write(",\"typ\":\"JWT\"}")
            try payload.write("{")
            for claim in claims {
                try payload.writeMember(claim.name, claim.value)
                try payload.write(",")
            }
            try payload.write("\"iat\":\(issued),\"exp\":\(issued + Self.lifetime)}")
            try token.write(header.finish().base64URL)
            try token.write(".")
            try token.write(payload.finish().base64URL)
        } catch {
            throw .failure(.other("an assertion would be too long"))
        }
        let input = token.finish()
        var whole = SecretBuilder(limit: 2 * RequestRule.bodyLimit)
        let signature = try key.sign(input)
        do throws(FillFault) {
            try whole.write(input)
            try whole.write(".")
            try whole.write(signature.base64URL)
        } catch {
            throw .failure(.other("an assertion would be too long"))
        }
        return whole.finish()
    }
}

extension SecretBuilder {
    /// Writes `"name":"value"`.
    fileprivate mutating func writeMember(_ name: String, _ value: String) throws(FillFault) {
        try write("\"")
        try write(Secret(name), .json)
        try write("\":\"")
        try write(Secret(value), .json)
        try write("\"")
    }
}

/// A private key that signs assertions.
package protocol AssertionKey {
    /// `alg` of its signatures (RFC 7515, section 4.1.1).
    var algorithm: String { get }
    /// `kid`; `nil` where the profile says none.
    var id: String? { get }
    /// The signature of these bytes, as JWS has it.
    func sign(_ input: Secret) throws(LoginFault) -> Secret
}

/// How a machine proves itself: its key, and the token that says which one it is.
package protocol MachineProof {
    /// - Throws: `loginRequired` for an encrypted key that nobody can open; `usage` for one that cannot sign.
    func key() throws(LoginFault) -> any AssertionKey
    /// - Throws: `loginRequired` where it is not there; `usage` where it is none.
    func identity() throws(LoginFault) -> Secret
}
