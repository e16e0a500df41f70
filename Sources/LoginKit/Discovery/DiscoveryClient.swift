import LoginCore

/// The way to what is looked at without a login, over libcurl and libxml2.
struct DiscoveryClient: DiscoveryTransport {
    private let origin: Origin
    private let own: (HTTPRequest) throws(LoginFault) -> HTTPResponse
    private let others: OriginTransports
    private let isLocal: () -> Bool

    /// - Parameters:
    ///   - own: sends to `origin`.
    ///   - isLocal: whether the server there is on this machine or in its network: one far away steers no request to us.
    init(
        _ origin: Origin, others: OriginTransports, isLocal: @escaping () -> Bool,
        own: @escaping (HTTPRequest) throws(LoginFault) -> HTTPResponse
    ) {
        self.origin = origin
        self.own = own
        self.others = others
        self.isLocal = isLocal
    }

    func send(_ request: HTTPRequest) throws(LoginFault) -> HTTPResponse {
        let target = try URLParser.parsed(request.url).origin
        guard target != origin else { return try own(request) }
        return try others.transport(to: target, mayBeLocal: isLocal()).send(request)
    }

    func read(_ url: String) -> EndpointURL? { AuthorizationClient.read(url) }

    func page(_ response: HTTPResponse, at url: EndpointURL) throws(LoginFault) -> LoginPage? {
        guard response.isPage else { return nil }
        return try HTMLFormReader(url: try URLParser.parsed(url.text)).page(response)
    }
}
