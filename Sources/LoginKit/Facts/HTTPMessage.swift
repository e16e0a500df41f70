import Secrets

/// One request to the profile's origin, with every secret already in its place.
package struct HTTPRequest: Equatable {
    /// The verb, such as `GET`.
    var method: String
    /// The absolute URL, without user information. It holds neither a password nor what `{secret:…}` stands for, but may
    /// hold a token.
    var url: String
    /// The URL as it may be shown, where that is not all of it.
    var shownURL: String?
    /// Sent beside those that the transport sets by itself; one of the same name takes the place of the transport's.
    package var headers: [HTTPRequestField]
    /// The names of headers that are left out, although the transport would send them by itself.
    package var withoutHeaders: [String] = []
    /// Held in memory; `nil` for a request without a body, or whose body passes through.
    var body: Secret?
    /// Where the bodies pass through that are not held in memory; the answer's then stays empty.
    var streamedBodies: StreamedBodies?
    /// How much is read of the answer's body.
    var bodyNeed = BodyNeed.whole
    /// Seconds that it may take in all, where that is less than for others.
    var limit: Int?
    /// Seconds that it may take at least, where the settings allow fewer.
    var leastTime: Int?
    /// Sent as HTTP Basic (RFC 7617) with this very request, unasked.
    package var basic: BasicCredential?
    /// Sent with the user's Kerberos ticket (RFC 4559), on a connection of its own.
    var negotiates = false
    /// Whether it answers a challenge, which may be good for the connection that brought it alone: it goes out on the last one used.
    var answersChallenge = false
    /// Those of them are sent that RFC 6265 has sent to this URL.
    package var cookies: [Cookie]
    /// The secrets in the request, to be hidden if the response repeats them.
    var hidden = RepeatedSecrets()

    /// Without more than a verb and a URL: a request without a body that carries no login.
    package init(
        method: String, url: String, headers: [HTTPRequestField] = [], body: Secret? = nil,
        basic: BasicCredential? = nil, cookies: [Cookie] = []
    ) {
        self.method = method
        self.url = url
        self.shownURL = nil
        self.headers = headers
        self.body = body
        self.basic = basic
        self.cookies = cookies
    }

    /// Whether sending it twice does what sending it once does (RFC 9110, section 9.2.2).
    var isIdempotent: Bool { Self.idempotent.contains(method) }

    private static let idempotent: Set<String> = [
        "GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PROPFIND", "REPORT",
    ]
}

/// How much of an answer's body is needed. What is not needed is not waited for, and no fault of it is one of the answer.
enum BodyNeed: Equatable, Sendable {
    /// All of it: more than the limit is a fault.
    case whole
    /// As much as the limit allows, whatever its type.
    case rules
    /// As much of a page; of what else comes, nothing.
    case page
    /// As much of a page that may show the form of a login again.
    case loginForm
    /// Nothing: the head is enough.
    case head
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
/// Checks nothing: `check` does, before anything is sent.
package struct BasicCredential: Equatable, Sendable {
    /// Without a colon, which ends it on the wire; `check(username:)` tells.
    package let username: String
    /// Its bytes are sent as they are; `check(password:)` tells whether they can be.
    package let password: Secret
}

extension BasicCredential {
    /// RFC 7617, section 2: no colon, since the first one ends the user name, and no control characters.
    package static func check(username: String) throws(UsageFault) {
        if username.utf8.contains(UInt8(ascii: ":")) { throw .usernameHasColon }
        if !Secret(username).isFreeOfControls { throw .controlCharacter(.username) }
    }

    /// RFC 7617, section 2: no control characters.
    static func check(password: Secret) throws(UsageFault) {
        if !password.isFreeOfControls { throw .controlCharacter(.password) }
    }
}

/// A final response: informational ones are skipped, redirects are not followed.
package struct HTTPResponse: Equatable, Sendable {
    /// The code of the final answer (RFC 9110, section 15).
    package let status: Int
    /// In the order of arrival, without `Set-Cookie`; obsolete line folding is undone (RFC 9112, section 5.2).
    package private(set) var headers: [HTTPResponseField] = []
    /// In guarded memory, since it may hold a token; empty where the request's `streamedBodies` took it.
    private(set) var body = Secret("")
    /// All cookies that hold for the origin after this answer: what it set, the newest first, then those that were offered
    /// and not replaced.
    private(set) var cookies: [Cookie] = []
    /// `Location`, made absolute; `nil` if it points nowhere.
    package private(set) var redirect: Redirect?
    /// Why there may be more of the body than was read; `nil` if it is whole.
    private(set) var unread: LoginFault?

    /// The values of all headers of this name, in any case (RFC 9110, section 5.1).
    func values(of name: String) -> [String] { headers.values(of: name) }

    /// Whether a body may follow the head, whatever that says of its length (RFC 9112, section 6.3).
    static func mayHaveBody(status: Int) -> Bool { status >= 200 && status != 204 && status != 304 }

    /// The size of the body, in bytes, as the server tells it; `nil` if it does not.
    var contentLength: Int64? { values(of: "Content-Length").first.flatMap { Int64($0) } }

    /// Whether the body is a stream that ends when either side has had enough: events, or the pictures of a camera.
    var isStream: Bool {
        values(of: "Content-Type").contains { type in
            ["text/event-stream", "multipart/x-mixed-replace"].contains { type.lowercased().hasPrefix($0) }
        }
    }
}

/// A header of an answer, or a part of one whose name comes several times.
package struct HTTPResponseField: Equatable, Sendable {
    /// As the server spelled it; compared without case (RFC 9110, section 5.1).
    package let name: String
    /// The server's bytes as UTF-8, repaired where they are not.
    package let value: String
}

extension [HTTPResponseField] {
    /// The values of all fields of this name, in any case (RFC 9110, section 5.1).
    func values(of name: String) -> [String] {
        filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

/// Where an answer points to.
package struct Redirect: Equatable, Sendable {
    /// Absolute; empty where the answer's `Location` cannot be read as a URL.
    package let url: String
    /// Absent for a scheme that is not http or https, and for what is unclear.
    let origin: Origin?
    /// Path and query, from the first slash on.
    let target: String

    /// Whether browsers and other programs would go to different places: by a backslash, which browsers take for a slash, and
    /// by a fragment alone, which is the same page again (RFC 3986, section 4.4) or, to some, its folder.
    static func isUnclear(_ location: String) -> Bool {
        location.hasPrefix("#") || location.prefix { $0 != "?" && $0 != "#" }.contains("\\")
    }

    /// The fault of an answer whose `Location` is none, or is unclear.
    var fault: LoginFault? {
        guard url.isEmpty else { return nil }
        if Self.isUnclear(target) { return .untrusted(.unclearRedirect(target: target)) }
        return .network(.brokenResponse("its Location is too long or no URL"))
    }
}

/// The way to one origin, for one identity and through one proxy.
protocol Transport {
    /// Sends one request and reads as much of its answer as it needs, in bounded time and memory. Follows no redirect.
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
    func openTunnel(_ request: HTTPRequest, to name: String) throws(LoginFault) -> any Tunnel {
        throw .network(.brokenResponse("no way to another protocol"))
    }

    /// The version is not known.
    var reachedLocal: Bool { false }
}

extension SecretBuilder {
    /// The value of `Authorization` with a user name and a password (RFC 7617, section 2).
    mutating func appendBasic(_ username: Secret, _ password: Secret) {
        append("Basic ")
        append(Secret(joining: [username, Secret(":"), password]).base64)
    }
}

extension [Cookie] {
    /// The value of `Cookie` (RFC 6265, section 5.4).
    package var headerValue: Secret {
        Secret(joining: enumerated().flatMap { [Secret($0 == 0 ? "\($1.name)=" : "; \($1.name)="), $1.value] })
    }
}

extension String {
    /// Whether a list of tokens (RFC 9110, section 5.6.1) has this one, in any case.
    func namesToken(_ token: String) -> Bool { tokens.contains(token) }

    /// The members of such a list, in lower case.
    var tokens: [String] {
        split(separator: ",").map { part in
            String(part.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }).lowercased()
        }
    }
}

/// A body of a request that is read while it is sent.
package protocol RequestSource: AnyObject {
    /// In bytes; `nil` if only the end will tell.
    var count: Int64? { get }

    /// - Returns: how many bytes were put into `buffer`; 0 at the end, nothing where more is yet to come: to be asked again.
    /// - Throws: why the rest of it cannot be had; the request ends there.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LoginFault) -> Int?

    /// Goes back to the beginning, to be read once more.
    /// - Returns: whether it can.
    func rewind() -> Bool
}

/// Takes an answer while it arrives.
protocol ResponseSink: AnyObject {
    /// An answer begins. Another one may have begun before, which has asked for another round of authentication.
    /// - Parameter head: without a body, and without cookies, which are known at the end alone.
    func begin(_ head: HTTPResponse) throws(LoginFault)

    /// Takes the next piece of its body.
    /// - Throws: why it cannot be taken; the transfer ends there.
    func write(_ bytes: UnsafeRawBufferPointer) throws(LoginFault)

    /// The body breaks off.
    /// - Returns: whether the head is enough to go on with. What there is of the body is then passed on as incomplete, if at all.
    func breakOff() -> Bool
}

extension ResponseSink {
    func breakOff() -> Bool { false }
}

/// Streams the bodies of one request and of its response: whatever their size, no more than a piece of them is in
/// memory.
final class StreamedBodies {
    /// The source of the request's body; `nil` if there is none, or it is in memory.
    let source: (any RequestSource)?
    /// Where the answer goes.
    let sink: any ResponseSink
    /// The size of one read, in bytes: large, for fewer system calls.
    var pieceSize = 512 << 10

    /// For one request; sending it once more, the sink is told that an answer begins.
    init(source: (any RequestSource)? = nil, sink: any ResponseSink) {
        self.source = source
        self.sink = sink
    }
}

extension StreamedBodies: Equatable {
    static func == (left: StreamedBodies, right: StreamedBodies) -> Bool { left === right }
}

/// A connection on which a request has asked to go on in another protocol (RFC 9110, section 7.8): from then on bytes both ways,
/// without waiting.
protocol Tunnel: AnyObject {
    /// The head of the answer: 101, or that of a server that goes on in HTTP.
    var response: HTTPResponse { get }

    /// Tells when there is something to read, or room to write.
    var descriptor: Int32 { get }

    /// - Returns: how many bytes were taken; 0 where there is no room now.
    func send(_ bytes: UnsafeRawBufferPointer) throws(LoginFault) -> Int

    /// - Returns: how many bytes came; `nil` if there are none now, 0 at the end.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(LoginFault) -> Int?
}

/// One cookie of one origin (RFC 6265).
package struct Cookie: Equatable, Sendable {
    /// Upper and lower case make different names.
    package let name: String
    /// The bytes as the server sent them.
    package let value: Secret
    /// The cookie with all its attributes, in the form in which the transport took it and takes it back.
    package let record: Secret
    /// Seconds of Unix time; absent for a cookie that lasts as long as the session.
    package let expires: Int64?
}

extension [Cookie] {
    /// The cookie of this name: the first one of several, as a server gets them. `NAME*` stands for every name that begins so; each is
    /// another cookie then.
    func named(_ name: String) -> [Cookie] {
        guard name.hasSuffix("*") else { return first { $0.name == name }.map { [$0] } ?? [] }
        let beginning = name.dropLast()
        var names: Set<String> = []
        return filter { $0.name.hasPrefix(beginning) && names.insert($0.name).inserted }
    }

    /// The value of the only one.
    func only(_ name: String) -> Cookie? {
        let found = named(name)
        return found.count == 1 ? found[0] : nil
    }
}
