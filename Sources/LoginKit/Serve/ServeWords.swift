import LoginCore

extension ServeGate.Refusal {
    /// The answer to a refused request, which may come from anyone: it does not name the address.
    var words: String {
        switch self {
        case .otherUser: "this address is for programs of another user"
        case .unknownUser: "the kernel does not tell which user sent this request; try again later"
        case .otherHost: "the Host header does not match this address"
        case .otherSite: "requests from pages of other sites are refused"
        case .unknownSegment: "the path does not begin with the segment of AUTHCTL_SERVE_URL"
        case .badTarget: "the path is malformed, or has '.' or '..' in it"
        case .badLength: "the body has no valid length"
        case .ended: "the time for which this address was lent is over"
        case .noThread: "the system has no thread left for this request; try again later"
        }
    }
}

/// The sentences of `exec --serve`.
enum ServeWords {
    /// - Parameter problem: the loader's own words.
    static func libraryMissing(_ problem: String) -> String {
        "--serve needs libmicrohttpd (Debian: libmicrohttpd12): \(problem)"
    }
}
