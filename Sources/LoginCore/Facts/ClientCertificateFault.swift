/// A client certificate that cannot be used as the profile says. Nothing was sent.
package enum ClientCertificateFault: Equatable, Sendable {
    case unreadable(file: String, errno: Int32)
    case notAFile(String)
    /// It is too large to be one.
    case tooLarge(file: String, limit: Int)
    /// Somebody else can read the key, or owns it.
    case openToOthers(file: String)
    case notACertificate(file: String)
    case notAKey(file: String)
    case keyOfAnother(certificate: String, key: String)
    case oldEncryption(file: String)
    case wrongPassphrase(file: String)
    /// At a moment of Unix time, in seconds.
    case expired(file: String, Int64)
    case notYetValid(file: String, Int64)
    /// The method needs one, and the profile names none.
    case notNamed
    /// It names no user, so the account would have no name.
    case nameless(file: String)
    case libraryMissing(file: String)
}

/// A TLS alert about the client certificate, or about its absence (RFC 8446, section 6.2).
package enum ClientCertificateRefusal: Equatable, Sendable, CaseIterable {
    /// It wants one, and the profile names none.
    case wanted
    case unknownAuthority
    case expired
    case revoked
    case unsupported
    /// The server did not say why; with TLS 1.2 also where it wants one.
    case unexplained
}
