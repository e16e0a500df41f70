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
    }

    package let port: Int
    /// Nobody can guess it; hexadecimal digits.
    package let segment: String
    /// The one user who may come in.
    package let user: UInt32

    package init(port: Int, segment: String, user: UInt32) {
        (self.port, self.segment, self.user) = (port, segment, user)
    }

    /// The required value of `Host`.
    package var authority: String { "127.0.0.1:\(port)" }

    /// The base URL that replaces the service's origin, without a slash at the end.
    package var root: String { "http://\(authority)/\(segment)" }

    /// - Parameter user: the owner of the socket at the other end; `nil` if unknown.
    /// - Returns: path and query at the service's origin, from the first slash on.
    package func target(of head: ServedHead, from user: UInt32?) throws(ServeRefused) -> String {
        guard let user else { throw ServeRefused(.unknownUser) }
        guard user == self.user else { throw ServeRefused(.otherUser) }
        guard head.values(of: "Host") == [authority] else { throw ServeRefused(.otherHost) }
        let (first, rest) = Self.split(head.target)
        guard Secret(first) == Secret(segment) else { throw ServeRefused(.unknownSegment) }
        guard isOwnSite(head) else { throw ServeRefused(.otherSite) }
        guard Self.isUnambiguous(rest) else { throw ServeRefused(.badTarget) }
        guard Self.hasOneLength(head) else { throw ServeRefused(.badLength) }
        return rest.hasPrefix("/") ? rest : "/\(rest)"
    }

    /// Programs send neither field; a browser tells by them whose page it was (Fetch, section 3.1; Fetch Metadata, section 2).
    private func isOwnSite(_ head: ServedHead) -> Bool {
        head.values(of: "Origin").allSatisfy { $0 == "http://\(authority)" }
            && head.values(of: "Sec-Fetch-Site").allSatisfy { $0 == "none" || $0 == "same-origin" }
    }

    /// A target is a path here: what a proxy would be sent, with a scheme or for CONNECT, is none.
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

    init(_ reason: ServeGate.Refusal) {
        self.reason = reason
    }

    /// The status code (RFC 9110, section 15.5).
    package var status: Int {
        switch reason {
        case .badTarget, .badLength: 400
        case .otherUser, .unknownUser, .otherHost, .otherSite, .unknownSegment: 403
        }
    }
}
