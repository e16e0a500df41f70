/// The response of one URL, at the end of its redirects.
struct DiscoveryVisit {
    /// Path and query; with the slash at its end that the service wants there.
    var asked: String
    var end: EndpointURL
    /// The first on the way, with the path that it led to.
    var redirect: (status: Int, path: String)?
    /// The last on the way before a URL with a value of one session's alone: it leads each client to one of its own.
    var source: String?
    /// The other origin that it leads to for a login.
    var elsewhere: Origin?
    var response = HTTPResponse(status: 0)

    /// The challenges for anonymous clients.
    var challenges: [AuthenticateChallenge] { AuthenticateChallenge.parse(challengeFields) }
    var challengeFields: [String] { response.values(of: "WWW-Authenticate") }

    /// Whether it lets anonymous clients in.
    var isOpen: Bool { (200..<300).contains(response.status) }
}
