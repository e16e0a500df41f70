package import Secrets

/// The answer to a Digest challenge for one request, and what the server has to prove in return.
package struct DigestResponse: Sendable {
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
    package func authorization(hash: DigestSession.Hasher) throws(LoginFault) -> Secret {
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
    package enum Proof: Equatable, Sendable {
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
    package func proof(
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
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$&+-.^_`|~".utf8)
        return text.utf8.map { byte in
            if plain.contains(byte) { return String(Unicode.Scalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.utf8.count < 2 ? "0" : "") + digits
        }.joined()
    }
}
