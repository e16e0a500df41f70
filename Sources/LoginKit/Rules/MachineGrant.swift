/// A grant that a machine gets by itself, as described by the `oauth` table of a profile.
struct MachineGrant: Equatable, Sendable {
    /// A kind of grant.
    enum Kind: String, Equatable, Sendable, CaseIterable {
        /// For the client itself (RFC 6749, section 4.4).
        case clientCredentials = "client-credentials"
        /// On behalf of the subject of an assertion (RFC 7523, section 2.1).
        case jwtBearer = "jwt-bearer"
        /// In exchange for another token (RFC 8693).
        case tokenExchange = "token-exchange"

        /// `grant_type`.
        var type: String {
            self == .clientCredentials ? "client_credentials" : "urn:ietf:params:oauth:grant-type:\(rawValue)"
        }
    }

    /// The audience that a signed assertion names.
    enum Audience: String, Equatable, Sendable, CaseIterable {
        /// The issuer of the authorization server (RFC 7523bis, section 4).
        case issuer
        /// Its token endpoint, as older servers want it (RFC 7523, section 3).
        case tokenEndpoint = "token-endpoint"
    }

    var kind: Kind
    /// The file of the key that signs assertions: of the client, or of a `jwt-bearer` grant.
    var keyFile: String?
    /// `kid` in the header of assertions (RFC 7515, section 4.1.4).
    var keyID: String?
    var audienceOfAssertions = Audience.issuer
    /// The claims of the assertion of a `jwt-bearer` grant that is signed here, sorted by name.
    var claims: [OAuthParameter] = []
    /// The identity that serves as the assertion, or as the token to exchange.
    var identity: MachineIdentity?
    /// `subject_token_type`; `nil` for a JWT.
    var subjectTokenType: String?
    var requestedTokenType: String?
    /// `audience` (RFC 8693, section 2.1).
    var audience: String?

    init(_ kind: Kind) {
        self.kind = kind
    }

    /// Returns the value that the profile gives to a claim.
    func claim(_ name: String) -> String? { claims.first { $0.name == name }?.value }
}

/// The token that identifies a machine.
struct MachineIdentity: Equatable, Sendable {
    enum Source: Equatable, Sendable {
        /// GitHub's endpoint for the jobs of its Actions, with the audience that is asked for.
        case githubActions(audience: String)
        /// A variable of the environment.
        case variable(String)
        /// A file, which is read anew each time.
        case file(String)
        /// The standard output of a program, which no shell starts.
        case command([String])
        /// The token of another profile's login.
        case profile(String)
    }

    var source: Source
    /// Whether it may be another text than a JWT.
    var isOpaque = false

    init(_ source: Source) {
        self.source = source
    }
}

extension OAuthProfile {
    /// Whether the login of a machine is given its client's secret, or a person is asked for it. Where it is not, the machine proves
    /// itself.
    var needsClientSecret: Bool {
        let isGiven = if case .given = clientSecret { true } else { false }
        return machine != nil && hasClientSecret && !isGiven
    }

    /// Whether the client of a machine proves itself with a secret.
    var hasClientSecret: Bool {
        switch clientAuthentication {
        case .basic?, .post?: true
        case .privateKeyJWT?, .tls?, ClientAuthentication.none?: false
        // A client that is named proves itself where its grant is worth nothing without that.
        case nil: clientID != nil && (clientSecret != nil || machine?.kind == .clientCredentials)
        }
    }
}

/// An http or https URL in its parts, as the program's one parser has read it (RFC 3986). It has no user information. Nothing is
/// checked here.
struct EndpointURL: Hashable, Sendable {
    /// With the port filled in.
    let origin: Origin
    /// From the first slash on, still percent-encoded, without dot segments.
    let path: String
    /// Without the question mark.
    var query: String?

    /// The whole URL, as it is sent and shown.
    var text: String { "\(origin)\(target)" }

    /// Path and query.
    var target: String { query.map { "\(path)?\($0)" } ?? path }

    /// Returns true if `text`, which was read as this URL, is printable ASCII and writes scheme and host as they are sent, but for the
    /// case of letters: in no other alphabet, not percent-encoded, no address in another notation.
    func isSpelledPlainly(in text: String) -> Bool {
        let prefix = "\(origin.scheme)://\(origin.host)".utf8, rest = text.utf8.dropFirst(prefix.count)
        return text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            && text.utf8.prefix(prefix.count).elementsEqual(prefix) {
                (0x41...0x5a).contains($0) ? $0 | 0x20 == $1 : $0 == $1
            }
            && rest.first.map { ":/?#".utf8.contains($0) } ?? true
    }

    /// Whether its query has a name that authctl sends itself: it would be there twice (RFC 6749, section 3.1), or hidden by an
    /// encoding.
    var hasReservedQuery: Bool {
        (query ?? "").split(separator: "&").contains { pair in
            let name = pair.prefix { $0 != "=" }
            return name.contains("%") || OAuthParameter(name: String(name), value: "").isReserved
        }
    }

    /// Another path on the same origin.
    func at(_ path: String) -> EndpointURL { EndpointURL(origin: origin, path: path) }

    /// The path without slashes at its end: where a well-known path is put in (RFC 8414, section 3.1).
    var pathWithoutSlash: String {
        var path = path[...]
        while path.hasSuffix("/") { path.removeLast() }
        return String(path)
    }
}

/// Reads an absolute URL. Nothing for what is none, for another scheme than http and https, and for user information.
typealias URLReading = (String) -> EndpointURL?

/// Decides which URLs of others may be requested or shown (RFC 8252, section 8.3; RFC 9700, section 2.6).
struct EndpointRule: Equatable, Sendable {
    /// The origin to which plain http is allowed, although it is not on this machine: that of a profile with `allow-http`.
    var plainOrigin: Origin?

    /// - Parameter document: where the document is from that names the URL; one that came by https leads to no plain http.
    func permits(_ url: EndpointURL, namedBy document: Origin? = nil) -> Bool {
        if url.origin.scheme == "https" { return true }
        guard document?.scheme != "https" else { return false }
        return url.origin.isLoopback || url.origin == plainOrigin
    }

    /// A URL that is shown to a person or handed to a browser: nothing in it ends a word or begins an escape sequence.
    /// - Throws: `other`, which shows its scheme alone.
    /// - Parameter document: where it is from, if others name it.
    func shown(
        _ text: String, namedBy document: Origin? = nil, read: URLReading
    ) throws(OAuthFault) -> EndpointURL {
        guard let url = read(text), permits(url, namedBy: document), url.text.utf8.allSatisfy(Self.isPlain) else {
            let scheme = Self.scheme(of: text).map { SafeText.quoted($0) } ?? "unknown"
            throw .other(
                .untrusted, "the server sent a URL to open that is not safe (scheme: \(scheme)); it is not shown",
                next: "\(OAuthFault.advice)")
        }
        return url
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7e).contains(byte) && !"\"'`<>\\".utf8.contains(byte)
    }

    /// RFC 3986, section 3.1; `nil` if there is none, or none of a reasonable length.
    static func scheme(of text: String) -> String? {
        let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard scheme.count < text.utf8.count, (1...20).contains(scheme.count),
            scheme.allSatisfy({ $0.isUnreserved && $0 != UInt8(ascii: "~") && $0 != UInt8(ascii: "_") })
        else { return nil }
        return String(scheme)
    }
}
