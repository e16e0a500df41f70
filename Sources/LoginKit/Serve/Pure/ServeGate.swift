import Secrets

/// The address that the command of an `exec --serve` gets, and who is let in there.
struct ServeGate: Equatable, Sendable {
    /// The reason for turning a request away, judged by its head alone.
    enum Refusal: Error, Equatable, Sendable, CaseIterable {
        /// The socket at the other end is another user's.
        case otherUser
        /// Its user cannot be told.
        case unknownUser
        /// `Host` is not the exact address: another name was made to lead here.
        case otherHost
        /// `Host`, or the name that TLS was asked for, is not that of the service's origin.
        case otherOrigin
        /// A request to the proxy of the run, without TLS and without its password.
        case noPassword
        /// A page of another site made a browser send it.
        case otherSite
        /// The first segment of the path is not the one that the command was given.
        case unknownSegment
        /// The target is no path, or one that two programs would read in two ways.
        case badTarget
        /// The body has no single length.
        case badLength
        /// The time for which the address was lent is over.
        case ended
        /// No thread can be started to answer it.
        case noThread

        /// The status code (RFC 9110, section 15.5).
        var status: Int {
            switch self {
            case .badTarget, .badLength: 400
            case .otherUser, .otherHost, .otherSite, .unknownSegment, .noPassword: 403
            case .ended: 410
            case .otherOrigin: 421
            // Without a descriptor for it, the kernel cannot be asked.
            case .unknownUser, .noThread: 503
            }
        }
    }

    /// The address that the server listens on.
    enum Place: Equatable, Sendable {
        /// A port of 127.0.0.1; the first segment of each path is one that nobody can guess, in hexadecimal digits.
        case port(Int, segment: String)
        /// A Unix socket, which other users cannot open.
        case socket
        /// The service's own origin, for a program that knows no other: whoever hands its connections in has judged whose they are.
        /// `password` is the value of `Proxy-Authorization` where one is wanted.
        case origin(Origin, password: Secret?)
    }

    /// The protection of a connection to the service's own origin.
    enum Cover: Equatable, Sendable {
        /// None: the target of each request names the origin, unless that has no TLS itself.
        case clear
        /// TLS, with the name of the server that the client asked for (RFC 6066, section 3); an empty one is no name of a host.
        case tls(name: String?)
    }

    let place: Place
    /// The one user who may come in.
    let user: UInt32

    /// The required value of `Host`. A page in a browser that reaches a Unix socket through somebody's forwarded port has another one.
    var authority: String {
        switch place {
        case .port(let port, _): "127.0.0.1:\(port)"
        case .socket: "authctl"
        case .origin(let origin, _): origin.authority
        }
    }

    /// The base URL that replaces the service's origin, without a slash at the end.
    var root: String {
        if case .origin(let origin, _) = place { origin.description } else { "http://\(authority)\(folder)" }
    }

    /// The beginning of each path there that the service's own lacks.
    var folder: String {
        if case .port(_, let segment) = place { "/\(segment)" } else { "" }
    }

    /// Whether programs of this user may come in. Root opens any file, so that a Unix socket need not turn it away.
    func admits(_ user: UInt32) -> Bool { user == self.user || user == 0 && place == .socket }

    /// - Parameters:
    ///   - user: the owner of the socket at the other end; `nil` if unknown.
    ///   - cover: of the connection, which matters at the service's own origin.
    /// - Returns: path and query at the service's origin, from the first slash on.
    func target(of head: ServedHead, from user: UInt32?, over cover: Cover = .clear) throws(Refusal) -> String {
        guard let user else { throw .unknownUser }
        guard admits(user) else { throw .otherUser }
        let rest: String
        if case .origin(let origin, let password) = place {
            rest = try Self.path(of: head, at: origin, password, over: cover)
        } else {
            guard head.values(of: "Host") == [authority] else { throw .otherHost }
            rest = try path(of: head.target)
        }
        guard isOwnSite(head) else { throw .otherSite }
        guard Self.isUnambiguous(rest) else { throw .badTarget }
        guard Self.hasOneLength(head) else { throw .badLength }
        return rest.hasPrefix("/") ? rest : "/\(rest)"
    }

    /// A target is a path here: what a proxy would be sent, with a scheme or for CONNECT, is none.
    private func path(of target: String) throws(Refusal) -> String {
        switch place {
        case .port(_, let segment):
            let (first, rest) = Self.split(target)
            guard Secret(first) == Secret(segment) else { throw .unknownSegment }
            return rest
        case .socket, .origin:
            guard target.hasPrefix("/") else { throw .badTarget }
            return target
        }
    }

    /// Within TLS a target may name the origin, too; without it, each has to (RFC 9112, section 3.2.2).
    private static func path(
        of head: ServedHead, at origin: Origin, _ password: Secret?, over cover: Cover
    ) throws(Refusal) -> String {
        let hosts = head.values(of: "Host").map { $0.lowercased() }
        guard hosts.count == 1, hosts.allSatisfy(origin.isNamed) else { throw .otherOrigin }
        if case .tls(let name?) = cover, name.lowercased() != origin.host { throw .otherOrigin }
        // An origin without TLS is one in a network of its own, where no proxy is.
        let isProxied = cover == .clear && origin.scheme == "https"
        if isProxied, let password {
            guard head.proxyCredentials == [password] else { throw .noPassword }
        }
        if head.target.hasPrefix("/") {
            guard !isProxied else { throw .badTarget }
            return head.target
        }
        let scheme = "\(origin.scheme)://"
        guard head.target.prefix(scheme.count).lowercased() == scheme else { throw .badTarget }
        let place = head.target.dropFirst(scheme.count), end = place.firstIndex { "/?".contains($0) } ?? place.endIndex
        guard origin.isNamed(place[..<end].lowercased()) else { throw .otherOrigin }
        return String(place[end...])
    }

    /// Programs send neither field; a browser tells by them whose page it was (Fetch, section 3.1; Fetch Metadata, section 2).
    private func isOwnSite(_ head: ServedHead) -> Bool {
        head.values(of: "Origin").allSatisfy { isOwn($0) }
            && head.values(of: "Sec-Fetch-Site").allSatisfy { $0 == "none" || $0 == "same-origin" }
    }

    private func isOwn(_ origin: String) -> Bool {
        guard case .origin(let own, _) = place else { return origin == "http://\(authority)" }
        return origin == own.description || origin == "\(own.scheme)://\(own.host):\(own.port)"
    }

    private static func split(_ target: String) -> (first: String, rest: String) {
        guard target.hasPrefix("/") else { return ("", "") }
        let path = target.dropFirst()
        let end = path.firstIndex { $0 == "/" || $0 == "?" } ?? path.endIndex
        return (String(path[..<end]), String(path[end...]))
    }

    /// Dot segments could leave the segment, in whatever way they are written; a fragment is never sent; and what browsers take
    /// for a slash is none to others (RFC 3986, section 3.3; URL, section 4.4).
    private static func isUnambiguous(_ rest: String) -> Bool {
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else { return false }
        let path = rest.prefix { $0 != "?" }
        guard !path.contains("\\") else { return false }
        return path.split(separator: "/").allSatisfy { segment in
            let plain = segment.lowercased().replacing("%2e", with: ".")
            return plain != "." && plain != ".."
        }
    }

    static func hasOneLength(_ head: ServedHead) -> Bool {
        let lengths = head.values(of: "Content-Length"), codings = head.values(of: "Transfer-Encoding")
        return lengths.count + codings.count <= 1 && codings.allSatisfy { $0.lowercased() == "chunked" }
            && lengths.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } && Int64($0) != nil }
    }
}

extension Origin {
    /// Whether a value of `Host` in small letters means it: the usual port of its scheme may be written out.
    func isNamed(_ host: String) -> Bool { host == authority || host == "\(self.host):\(port)" }
}

/// The reason for not sending a request on, where there are rules or a log.
enum ServeObjection: Error, Equatable, Sendable {
    /// Services read such a path in different ways.
    case ambiguousPath
    /// A header that changes the method or the path for some services.
    case overridingHeader(String)
    /// `_method` in the query.
    case overridingQuery
    /// A `Destination` that is not at the served address, or several.
    case foreignDestination
    /// A member `_method` of the body whose value is no method, or cannot be read.
    case unreadableOverride
    /// A body that cannot be searched for `_method`.
    case unreadableBody(ServedBody.Fault)
    /// A request to an endpoint of GraphQL that cannot be judged.
    case unreadableGraphQL(GraphQLFault)
    /// `rule` is `nil` where none names the request.
    case notAllowed(ServedAct, by: ServeRule?)
    /// The same of a method that the body names.
    case overrideNotAllowed(ServedAct, by: ServeRule?)
    /// The person said no.
    case declined(ServeRule)
    /// Nobody has answered in time, or can.
    case needsApproval(ServeRule)
    /// The part of the body that a person would have been shown has not come in time.
    case lateBody(ServeRule)
    /// The client has gone before there was an answer; `rule` is the one that asked for it.
    case withdrawn(ServeRule?)
    /// The log cannot be written.
    case notLogged

    /// The `code` of the response.
    var code: String { response.code }

    /// RFC 9110, section 15.
    var status: Int { response.status }

    private var response: (code: String, status: Int) {
        switch self {
        case .ambiguousPath: ("ambiguous-path", 400)
        case .overridingHeader, .overridingQuery, .foreignDestination, .unreadableOverride: ("override", 400)
        case .unreadableBody: ("unreadable-body", 400)
        case .unreadableGraphQL: ("unreadable-graphql", 400)
        case .notAllowed, .overrideNotAllowed, .declined: ("not-allowed", 403)
        case .needsApproval, .lateBody, .withdrawn: ("needs-approval", 403)
        case .notLogged: ("not-logged", 503)
        }
    }

    /// The rule that decided, as it was written.
    var rule: ServeRule? {
        switch self {
        case .notAllowed(_, let rule), .overrideNotAllowed(_, let rule), .withdrawn(let rule): rule
        case .declined(let rule), .needsApproval(let rule), .lateBody(let rule): rule
        case .ambiguousPath, .overridingHeader, .overridingQuery, .foreignDestination, .unreadableOverride: nil
        case .unreadableBody, .unreadableGraphQL, .notLogged: nil
        }
    }
}

/// The acts that a request may have the service perform, by its head: its own method, and what some services take in place of it.
struct ServedActs: Equatable, Sendable {
    /// At least one: the request's own.
    let acts: [ServedAct]
    let own: ServedAct
    private let hasBody: Bool
    /// The header fields that the service gets.
    let fields: [ServedField]

    /// Whether a service may let a client change the method or the path by such a header: those of frameworks and gateways, and
    /// whatever is called alike.
    private static func isOverriding(_ field: ServedField) -> Bool {
        // Most of a request is shorter.
        guard field.name.utf8.count >= 9 else { return false }
        let name = field.foldedName
        let parts = [
            "override", "http-method", "httpmethod", "http-verb", "tunneled-method", "script-name", "path-info",
            "restli-method",
        ]
        if parts.contains(where: { name.contains($0) }) { return true }
        let words = name.split(separator: "-")
        return words.last.map { ["url", "uri", "path", "prefix", "method"].contains($0) } == true
            && words.contains { ["original", "rewrite", "forwarded", "replaced", "ingress"].contains($0) }
    }

    /// - Parameter target: path and query as they are sent.
    init(_ head: ServedHead, target: String, _ headers: ServedHeaders) throws(ServeObjection) {
        fields = headers.judged(head.fields)
        hasBody = head.method != "HEAD" && head.contentLength != 0
        if let field = fields.first(where: Self.isOverriding) {
            throw .overridingHeader(field.name)
        }
        own = ServedAct(
            method: head.wantsWebSocket ? ServeRule.webSocket : head.method, path: try Self.path(of: target))
        // A method of this name would pass by a rule that is for WebSockets alone.
        guard head.wantsWebSocket || head.method.uppercased() != ServeRule.webSocket else {
            throw .notAllowed(own, by: nil)
        }
        let query = target.drop { $0 != "?" }.dropFirst()
        guard FormMember.members(of: Array(query.utf8)).allSatisfy({ !$0.isOverride }) else { throw .overridingQuery }
        let destinations = try fields.filter { $0.mayBe("destination") }.map { (field) throws(ServeObjection) in
            guard field.hasName("Destination"), let path = headers.awayPath(field) else { throw .foreignDestination }
            return ServedAct(method: "PUT", path: try Self.path(of: path))
        }
        guard destinations.count <= 1 else { throw .foreignDestination }
        acts = [own] + destinations
    }

    /// The body, if services look in it for another method.
    func body() throws(ServeObjection) -> ServedBody? { hasBody ? try ServedBody(fields) : nil }

    /// The most different methods that a body may name; more would only make work for whoever judges them.
    static let mostMethods = 8

    /// Returns all acts, with the methods that the body names, each of them once.
    func with(methods: [String]) throws(ServeObjection) -> [ServedAct] {
        var named: [String] = []
        for method in methods where !named.contains(method) {
            guard named.count < Self.mostMethods else { throw .unreadableOverride }
            named.append(method)
        }
        return acts + named.map { ServedAct(method: $0, path: own.path) }
    }

    /// Returns all acts of a request to an endpoint of GraphQL.
    /// - Parameter acts: on its root fields.
    func withFields(_ acts: [ServedAct]) -> [ServedAct] {
        let own = ServedAct(method: own.method, path: own.path, hasFields: true)
        return [own] + acts + self.acts.dropFirst()
    }

    /// Describes the acts other than the request's own, for a person and the log: `DELETE /c/1`.
    static func further(_ acts: [ServedAct]) -> [String] {
        acts.dropFirst().map { "\($0.method) \($0.path.text)" }
    }

    /// The question about a session that is sent ahead of a long body.
    var head: ServedAct { ServedAct(method: "HEAD", path: own.path) }

    /// The request that a service sees where it does not know of WebSockets.
    var plain: ServedAct { ServedAct(method: "GET", path: own.path) }

    private static func path(of target: String) throws(ServeObjection) -> ServedPath {
        do {
            return try ServedPath(target)
        } catch {
            throw .ambiguousPath
        }
    }
}
