package import Secrets

/// One request to the profile's origin, with every secret already in its place.
package struct HTTPRequest: Equatable {
    /// The verb, such as `GET`.
    package var method: String
    /// The absolute URL, without user information. It holds neither a password nor what `{secret:…}` stands for, but may
    /// hold a token.
    package var url: String
    /// The path as it may be shown, where that is not all of it.
    package var shownPath: String?
    /// Sent beside those that the transport sets by itself; one of the same name takes the place of the transport's.
    package var headers: [HTTPRequestField]
    /// The names of headers that are left out, although the transport would send them by itself.
    package var withoutHeaders: [String] = []
    /// Held in memory; `nil` for a request without a body, or whose body passes through.
    package var body: Secret?
    /// Where the bodies pass through that are not held in memory; the answer's then stays empty.
    package var streamedBodies: StreamedBodies?
    /// Seconds that it may take in all, where that is less than for others.
    package var limit: Int?
    /// Seconds that it may take at least, where the settings allow fewer.
    package var leastTime: Int?
    /// Sent as HTTP Basic (RFC 7617) with this very request, unasked.
    package var basic: BasicCredential?
    /// Sent with the user's Kerberos ticket (RFC 4559), on a connection of its own.
    package var negotiates = false
    /// Offered to the cookie rules of RFC 6265; those that match are sent.
    package var cookies: [Cookie]
    /// The secrets in the request, to be hidden if the response repeats them.
    package var hidden = RepeatedSecrets()

    /// Without more than a verb and a URL: a request without a body that carries no login.
    package init(
        method: String, url: String, headers: [HTTPRequestField] = [], body: Secret? = nil,
        basic: BasicCredential? = nil, cookies: [Cookie] = []
    ) {
        self.method = method
        self.url = url
        self.shownPath = nil
        self.headers = headers
        self.body = body
        self.basic = basic
        self.cookies = cookies
    }
}

/// A header of a request. Its value may be a token.
package struct HTTPRequestField: Equatable, Sendable {
    /// As it is sent; compared without case (RFC 9110, section 5.1).
    package let name: String
    /// The bytes behind the colon. The transport refuses control characters but tabs, which could end the line.
    package let value: Secret

    /// Checks nothing.
    package init(name: String, value: Secret) {
        self.name = name
        self.value = value
    }
}

/// The pair of RFC 7617.
package struct BasicCredential: Equatable, Sendable {
    /// Without a colon, which ends it on the wire; `check(username:)` tells.
    package let username: String
    /// Its bytes are sent as they are; `check(password:)` tells whether they can be.
    package let password: Secret

    /// Checks nothing: `check` does, before anything is sent.
    package init(username: String, password: Secret) {
        self.username = username
        self.password = password
    }
}

extension BasicCredential {
    /// RFC 7617, section 2: no colon, since the first one ends the user name, and no control characters.
    package static func check(username: String) throws(UsageFault) {
        if username.utf8.contains(UInt8(ascii: ":")) { throw .usernameHasColon }
        if !Secret(username).isFreeOfControls { throw .controlCharacter(.username) }
    }

    /// RFC 7617, section 2: no control characters.
    package static func check(password: Secret) throws(UsageFault) {
        if !password.isFreeOfControls { throw .controlCharacter(.password) }
    }
}

/// A final response, whole: informational ones are skipped, redirects are not followed.
package struct HTTPResponse: Equatable, Sendable {
    /// The code of the final answer (RFC 9110, section 15).
    package let status: Int
    /// In the order of arrival, without `Set-Cookie`; obsolete line folding is undone (RFC 9112, section 5.2).
    package let headers: [HTTPResponseField]
    /// In guarded memory, since it may hold a token; empty where the request's `streamedBodies` took it.
    package let body: Secret
    /// All cookies that hold for the origin after this answer: what it set, the newest first, then those that were offered
    /// and not replaced.
    package let cookies: [Cookie]
    /// `Location`, made absolute.
    package let redirect: Redirect?

    /// Without more than a status: an answer that has no body, sets no cookies and points nowhere.
    package init(
        status: Int, headers: [HTTPResponseField] = [], body: Secret = Secret(""), cookies: [Cookie] = [],
        redirect: Redirect? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.cookies = cookies
        self.redirect = redirect
    }

    /// The values of all headers of this name, in any case (RFC 9110, section 5.1).
    package func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// Whether a body may follow the head, whatever that says of its length (RFC 9112, section 6.3).
    package static func mayHaveBody(status: Int) -> Bool { status >= 200 && status != 204 && status != 304 }

    /// The size of the body, in bytes, as the server tells it; `nil` if it does not.
    package var contentLength: Int64? { values(of: "Content-Length").first.flatMap { Int64($0) } }
}

/// A header of an answer, or a part of one whose name comes several times.
package struct HTTPResponseField: Equatable, Sendable {
    /// As the server spelled it; compared without case (RFC 9110, section 5.1).
    package let name: String
    /// The server's bytes as UTF-8, repaired where they are not.
    package let value: String

    /// - Parameter value: without the blanks around it.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// Where an answer points to.
package struct Redirect: Equatable, Sendable {
    /// Absolute; empty where the answer's `Location` cannot be read as a URL.
    package let url: String
    /// Absent for a scheme that is not http or https, and for what is unclear.
    package let origin: Origin?
    /// Path and query, from the first slash on.
    package let target: String

    /// - Parameters:
    ///   - url: absolute; empty where it cannot be read.
    ///   - origin: `nil` unless the scheme is http or https.
    ///   - target: path and query, for messages; the whole text where it cannot be read.
    package init(url: String, origin: Origin?, target: String) {
        self.url = url
        self.origin = origin
        self.target = target
    }

    /// Whether browsers and other programs would go to different places: by a backslash, which browsers take for a slash, and
    /// by a fragment alone, which is the same page again (RFC 3986, section 4.4) or, to some, its folder.
    package static func isUnclear(_ location: String) -> Bool {
        location.hasPrefix("#") || location.prefix { $0 != "?" && $0 != "#" }.contains("\\")
    }

    /// The fault of an answer whose `Location` is none, or is unclear.
    package var fault: LoginFault? {
        guard url.isEmpty else { return nil }
        if Self.isUnclear(target) { return .untrusted(.unclearRedirect(target: target)) }
        return .network(.brokenResponse("its Location is too long or no URL"))
    }
}

/// The way to one origin, for one identity and through one proxy.
package protocol Transport {
    /// Sends one request and reads its whole answer, in bounded time and memory. Follows no redirect.
    func send(_ request: HTTPRequest) throws(LoginFault) -> HTTPResponse

    /// From now on a certificate that does not verify is good where the exception covers it, and only there.
    func trust(_ exception: TrustedCertificate)

    /// Whether the server that answered last is on this machine or in its network.
    var reachedLocal: Bool { get }

    /// Asks to go on in another protocol, on a connection of its own.
    func openTunnel(_ request: HTTPRequest, to name: String) throws(LoginFault) -> any Tunnel
}

extension Transport {
    /// There is no such way.
    package func openTunnel(_ request: HTTPRequest, to name: String) throws(LoginFault) -> any Tunnel {
        throw .network(.brokenResponse("no way to another protocol"))
    }

    /// The version is not known.
    package var reachedLocal: Bool { false }
}
