import Secrets

/// The address that the command of an `exec --serve` gets, and who is let in there.
package struct ServeGate: Equatable, Sendable {
    /// The reason for turning a request away, judged by its head alone.
    package enum Refusal: Equatable, Sendable, CaseIterable {
        /// The socket at the other end is another user's.
        case otherUser
        /// Its user cannot be told.
        case unknownUser
        /// `Host` is not the very address: another name was made to lead here.
        case otherHost
        /// A page of another site has a browser send it.
        case otherSite
        /// The first segment of the path is not the one that the command was given.
        case unknownSegment
        /// The target is no path, or one that two programs would read in two ways.
        case badTarget
        /// The body has no one length.
        case badLength
        /// The time for which the address was lent is over.
        case ended
        /// No thread can be started to answer it.
        case noThread
    }

    /// What the server listens at.
    package enum Place: Equatable, Sendable {
        /// A port of 127.0.0.1; the first segment of each path is one that nobody can guess, in hexadecimal digits.
        case port(Int, segment: String)
        /// A Unix socket, which other users cannot open.
        case socket
    }

    package let place: Place
    /// The one user who may come in.
    package let user: UInt32

    package init(_ place: Place, user: UInt32) {
        (self.place, self.user) = (place, user)
    }

    package init(port: Int, segment: String, user: UInt32) {
        self.init(.port(port, segment: segment), user: user)
    }

    /// The required value of `Host`. A page in a browser that reaches a Unix socket through somebody's forwarded port has another one.
    package var authority: String {
        switch place {
        case .port(let port, _): "127.0.0.1:\(port)"
        case .socket: "authctl"
        }
    }

    /// The base URL that replaces the service's origin, without a slash at the end.
    package var root: String {
        switch place {
        case .port(_, let segment): "http://\(authority)/\(segment)"
        case .socket: "http://\(authority)"
        }
    }

    /// Whether programs of this user may come in. Root opens any file, so that a Unix socket need not turn it away.
    package func admits(_ user: UInt32) -> Bool { user == self.user || user == 0 && place == .socket }

    /// - Parameter user: the owner of the socket at the other end; `nil` if unknown.
    /// - Returns: path and query at the service's origin, from the first slash on.
    package func target(of head: ServedHead, from user: UInt32?) throws(ServeRefused) -> String {
        guard let user else { throw ServeRefused(.unknownUser) }
        guard admits(user) else { throw ServeRefused(.otherUser) }
        guard head.values(of: "Host") == [authority] else { throw ServeRefused(.otherHost) }
        let rest = try path(of: head.target)
        guard isOwnSite(head) else { throw ServeRefused(.otherSite) }
        guard Self.isUnambiguous(rest) else { throw ServeRefused(.badTarget) }
        guard Self.hasOneLength(head) else { throw ServeRefused(.badLength) }
        return rest.hasPrefix("/") ? rest : "/\(rest)"
    }

    /// A target is a path here: what a proxy would be sent, with a scheme or for CONNECT, is none.
    private func path(of target: String) throws(ServeRefused) -> String {
        switch place {
        case .port(_, let segment):
            let (first, rest) = Self.split(target)
            guard Secret(first) == Secret(segment) else { throw ServeRefused(.unknownSegment) }
            return rest
        case .socket:
            guard target.hasPrefix("/") else { throw ServeRefused(.badTarget) }
            return target
        }
    }

    /// Programs send neither field; a browser tells by them whose page it was (Fetch, section 3.1; Fetch Metadata, section 2).
    private func isOwnSite(_ head: ServedHead) -> Bool {
        head.values(of: "Origin").allSatisfy { $0 == "http://\(authority)" }
            && head.values(of: "Sec-Fetch-Site").allSatisfy { $0 == "none" || $0 == "same-origin" }
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

    private static func hasOneLength(_ head: ServedHead) -> Bool {
        let lengths = head.values(of: "Content-Length"), codings = head.values(of: "Transfer-Encoding")
        return lengths.count + codings.count <= 1 && codings.allSatisfy { $0.lowercased() == "chunked" }
            && lengths.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } && Int64($0) != nil }
    }
}

/// A request that is not let in.
package struct ServeRefused: Error, Equatable {
    package let reason: ServeGate.Refusal

    package init(_ reason: ServeGate.Refusal) {
        self.reason = reason
    }

    /// The status code (RFC 9110, section 15.5).
    package var status: Int {
        switch reason {
        case .badTarget, .badLength: 400
        case .otherUser, .otherHost, .otherSite, .unknownSegment: 403
        case .ended: 410
        // Without a descriptor for it, the kernel cannot be asked.
        case .unknownUser, .noThread: 503
        }
    }
}
