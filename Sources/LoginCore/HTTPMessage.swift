public import Secrets

/// One request to the profile's origin, with every secret already in its place.
public struct HTTPRequest: Equatable {
    /// The verb, such as `GET`.
    public var method: String
    /// The absolute URL, without user information. It holds neither a password nor what `{secret:…}` stands for, but may
    /// hold a token.
    public var url: String
    /// The path as it may be shown, where that is not all of it.
    public var shownPath: String?
    public var headers: [HTTPRequestField]
    /// The names of headers that are left out, although the transport would send them by itself.
    public var withoutHeaders: [String] = []
    public var body: Secret?
    /// Where the bodies pass through that are not held in memory; the answer's then stays empty.
    public var streamedBodies: StreamedBodies?
    /// Sent as HTTP Basic (RFC 7617) with this very request, unasked.
    public var basic: BasicCredential?
    /// Sent with the Kerberos ticket of whoever runs the program (RFC 4559), on a connection of its own.
    public var negotiates = false
    /// Offered to the cookie rules of RFC 6265; those that match are sent.
    public var cookies: [Cookie]
    /// What must not be shown, should the answer repeat it.
    public var hidden = RepeatedSecrets()

    public init(
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
public struct HTTPRequestField: Equatable, Sendable {
    public let name: String
    public let value: Secret

    public init(name: String, value: Secret) {
        self.name = name
        self.value = value
    }
}

/// The pair of RFC 7617.
public struct BasicCredential: Equatable, Sendable {
    public let username: String
    public let password: Secret

    public init(username: String, password: Secret) {
        self.username = username
        self.password = password
    }
}

extension BasicCredential {
    /// RFC 7617, section 2: no colon, since the first one ends the user name, and no control characters.
    public static func check(username: String) throws(UsageFault) {
        if username.utf8.contains(UInt8(ascii: ":")) { throw .usernameHasColon }
        if !Secret(username).isFreeOfControls { throw .controlCharacter(.username) }
    }

    /// RFC 7617, section 2: no control characters.
    public static func check(password: Secret) throws(UsageFault) {
        if !password.isFreeOfControls { throw .controlCharacter(.password) }
    }
}

/// What came back, final and whole: informational answers are left out, redirects are not followed.
public struct HTTPResponse: Equatable, Sendable {
    public let status: Int
    /// In the order of arrival, without `Set-Cookie`; obsolete line folding is undone (RFC 9112, section 5.2).
    public let headers: [HTTPResponseField]
    public let body: Secret
    /// All cookies that hold for the origin after this answer: what it set, the newest first, then those that were offered
    /// and not replaced.
    public let cookies: [Cookie]
    /// `Location`, made absolute.
    public let redirect: Redirect?

    public init(
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
    public func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

public struct HTTPResponseField: Equatable, Sendable {
    public let name: String
    /// The server's bytes as UTF-8, repaired where they are not.
    public let value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// Where an answer points to.
public struct Redirect: Equatable, Sendable {
    /// Absolute; empty where the answer's `Location` cannot be read as a URL.
    public let url: String
    /// Absent for a scheme that is not http or https.
    public let origin: Origin?
    /// Path and query, from the first slash on.
    public let target: String

    public init(url: String, origin: Origin?, target: String) {
        self.url = url
        self.origin = origin
        self.target = target
    }

    /// The fault of an answer whose `Location` is none.
    public var fault: LoginError? {
        url.isEmpty ? .network(.brokenAnswer("its Location is too long or no URL")) : nil
    }
}

/// The way to one origin, for one identity and through one proxy.
public protocol Transport {
    /// Sends one request and reads its whole answer, in bounded time and memory. Follows no redirect.
    func send(_ request: HTTPRequest) throws(LoginError) -> HTTPResponse

    /// From now on a certificate that does not verify is good where the exception covers it, and only there.
    func trust(_ exception: TrustException)
}
