/// A server whose certificate does not verify: its identity, and everything that is wrong. Names and dates are the
/// server's own claim.
public struct ServerTrust: Equatable, Sendable {
    /// One thing that is wrong (RFC 5280, section 6; RFC 9525 for the host). The raw values are what is remembered.
    public enum Reason: String, Equatable, Sendable, CaseIterable, Codable {
        /// It is signed by its own key, and not among the trusted authorities.
        case selfSigned = "self-signed"
        /// No trusted authority has signed it.
        case unknownAuthority = "unknown-authority"
        /// Its last day is past.
        case expired
        /// Its first day is still to come.
        case notYetValid = "not-yet-valid"
        /// It is for another host name.
        case otherHost = "other-host"
        /// It is not for servers.
        case wrongPurpose = "wrong-purpose"
        /// Its signer may not sign certificates.
        case issuerNoAuthority = "issuer-no-authority"
        /// Its key or signature can be worked out.
        case tooWeak = "too-weak"
        /// Its signature does not fit.
        case badSignature = "bad-signature"
        /// Anything else that OpenSSL finds.
        case invalid

        /// Whether a person may go on all the same. A key that can be worked out, or a chain that is not what it says,
        /// proves nothing, whoever looks at it.
        var isAcceptable: Bool {
            switch self {
            case .selfSigned, .unknownAuthority, .expired, .notYetValid, .otherHost, .wrongPurpose, .issuerNoAuthority:
                true
            case .tooWeak, .badSignature, .invalid: false
            }
        }
    }

    /// The server that was asked.
    public let origin: Origin
    /// In the order of `Reason`, each once.
    public let reasons: [Reason]
    /// As RFC 2253 has names; not to be trusted, and escaped wherever it is shown.
    public let subject: String
    /// The name of its issuer.
    public let issuer: String
    /// The hosts and addresses that it is for (RFC 5280, section 4.2.1.6), as many of them as there is room for.
    public let hosts: [String]
    /// In seconds of Unix time.
    public let notBefore: Int64
    /// In seconds of Unix time.
    public let notAfter: Int64
    /// The fingerprint of the server's own certificate, for people to compare.
    public let fingerprint: Fingerprint
    /// SHA-256 of the public key, in base64: what stays when a certificate is refreshed with the same key (RFC 7469,
    /// section 2.4).
    let key: String

    /// - Parameter reasons: in any order.
    init(
        origin: Origin, reasons: [Reason], subject: String, issuer: String, hosts: [String] = [], notBefore: Int64,
        notAfter: Int64,
        fingerprint: Fingerprint, key: String
    ) {
        self.origin = origin
        self.reasons = Reason.allCases.filter { reasons.contains($0) }
        self.subject = subject
        self.issuer = issuer
        self.hosts = hosts
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.fingerprint = fingerprint
        self.key = key
    }

    /// Whether it is for a person to decide at all.
    var isAcceptable: Bool { reasons.allSatisfy(\.isAcceptable) }

    /// The exception that accepting it makes.
    var exception: TrustedCertificate {
        TrustedCertificate(origin: origin, key: key, reasons: reasons, fingerprint: fingerprint)
    }
}

/// A certificate that a person accepted: one key at one origin, with these faults and no others.
package struct TrustedCertificate: Equatable, Sendable, Codable {
    /// Where it holds, and nowhere else.
    package let origin: Origin
    /// As `ServerTrust.key`.
    let key: String
    /// As `reasons`, with those that only a newer authctl knows.
    private let accepted: [String]
    /// The fingerprint of the certificate that was looked at, to be shown; the key decides.
    package let fingerprint: Fingerprint

    private enum CodingKeys: String, CodingKey {
        case origin, key, fingerprint
        case accepted = "reasons"
    }

    init(origin: Origin, key: String, reasons: [ServerTrust.Reason], fingerprint: Fingerprint) {
        (self.origin, self.key, self.fingerprint) = (origin, key, fingerprint)
        accepted = reasons.map(\.rawValue)
    }

    /// The faults that were accepted, and no others.
    package var reasons: [ServerTrust.Reason] { accepted.compactMap { ServerTrust.Reason(rawValue: $0) } }

    /// The reason why that server is not the accepted one; `nil` if it is. With another key it is not, whatever its faults
    /// are.
    func fault(with trust: ServerTrust) -> TrustFault? {
        guard origin == trust.origin, key == trust.key else {
            return .certificateChanged(trust.origin, now: trust.fingerprint)
        }
        return trust.isAcceptable && trust.reasons.allSatisfy(reasons.contains) ? nil : .certificate(trust)
    }
}

/// The policy for a server whose certificate does not verify.
///
/// Pure, since both ways to a server go by it: the login itself, and the redirects before it.
/// Without arguments, every certificate that does not verify is refused.
package struct TrustPolicy: Equatable, Sendable {
    /// The policy.
    package enum Decision: Equatable, Sendable {
        /// Put it before a person.
        case ask
        /// Go on: it is the certificate that was named.
        case accept
        case refuse(LoginFault)
    }

    /// The certificate that was named beforehand, instead of a question.
    package var fingerprint: Fingerprint?
    /// Whether a person may be asked.
    var mayAsk = false

    /// Decides about one certificate: a fingerprint that was named leaves nothing to ask.
    func decision(on trust: ServerTrust) -> Decision {
        guard trust.isAcceptable else { return .refuse(.untrusted(.certificate(trust))) }
        if let fingerprint {
            return fingerprint == trust.fingerprint ? .accept : .refuse(.untrusted(.otherFingerprint(trust)))
        }
        return mayAsk ? .ask : .refuse(.untrusted(.certificate(trust)))
    }
}

/// A person's answer about a server whose certificate does not verify.
public enum TrustAnswer: String, Equatable, Sendable, CaseIterable {
    /// Unless another word is typed.
    case reject
    /// For this process.
    case once
    /// Remembered, if the login succeeds.
    case always
}

/// SHA-256 of a certificate in DER, as `openssl x509 -fingerprint -sha256` tells it.
public struct Fingerprint: Hashable, Sendable {
    /// 32 of them.
    let bytes: [UInt8]

    /// `nil` unless there are 32.
    init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Reads 64 hexadecimal digits in any case, with or without colons between the pairs, after `sha256:`.
    package init?(_ text: String) {
        let name = "sha256:"
        guard text.lowercased().hasPrefix(name) else { return nil }
        let rest = text.dropFirst(name.count).utf8
        let pairs =
            rest.contains(UInt8(ascii: ":"))
            ? rest.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { Array($0) }
            : stride(from: 0, to: rest.count, by: 2).map { Array(rest.dropFirst($0).prefix(2)) }
        let bytes = pairs.compactMap { $0.count == 2 ? Hexadecimal.byte($0[0], $0[1]) : nil }
        guard bytes.count == pairs.count else { return nil }
        self.init(bytes: bytes)
    }

    /// Reads a typed fingerprint, with or without `sha256:`.
    init?(typed text: String) {
        let name = "sha256:"
        self.init(text.lowercased().hasPrefix(name) ? text : name + text)
    }

    /// 64 hexadecimal digits.
    var digits: String { Hexadecimal.text(bytes) }
}

extension Fingerprint: CustomStringConvertible {
    /// `sha256:` and 64 digits, as `--trust-fingerprint` takes it.
    public var description: String { "sha256:" + digits }
}

extension Fingerprint: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let fingerprint = Fingerprint(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a fingerprint")
        }
        self = fingerprint
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
