import LoginCore

/// Chooses the proxy for an origin, and notes a variable that was set but not obeyed.
struct ProxyChoice: Equatable {
    let url: String?
    /// Hosts that libcurl reaches directly, as in `no_proxy`.
    let exceptions: String
    let ignoredVariable: String?

    init(_ setting: ProxySetting, environment: [String: String], origin: Origin) {
        let variable = Self.variables(origin.scheme).first { environment[$0]?.isEmpty == false }
        let unproxied = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
        let isException = Self.holds(unproxied, host: origin.host)
        switch setting {
        case .none:
            self.init(url: nil, exceptions: "", ignoredVariable: isException ? nil : variable)
        case .url(let url):
            self.init(url: url.isEmpty ? nil : url, exceptions: "", ignoredVariable: nil)
        case .environment:
            self.init(
                url: isException ? nil : variable.flatMap { environment[$0] }, exceptions: unproxied,
                ignoredVariable: nil)
        }
    }

    private init(url: String?, exceptions: String, ignoredVariable: String?) {
        self.url = url
        self.exceptions = exceptions
        self.ignoredVariable = ignoredVariable
    }

    var speaksTLS: Bool { url?.lowercased().hasPrefix("https://") == true }

    /// The proxy without user information, to be shown.
    var shown: String {
        guard let url else { return "" }
        return url.lastIndex(of: "@").map { String(url[url.index(after: $0)...]) } ?? url
    }

    /// As curl reads them: `HTTP_PROXY` in capitals is what a CGI server makes of a request header, so it is not taken.
    private static func variables(_ scheme: String) -> [String] {
        scheme == "https"
            ? ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] : ["http_proxy", "all_proxy", "ALL_PROXY"]
    }

    /// The plain forms of `no_proxy`: a star, a host, a domain. libcurl reads the list too, and knows networks as well.
    private static func holds(_ list: String, host: String) -> Bool {
        list.split(whereSeparator: { $0 == "," || $0 == " " }).contains { entry in
            let name = entry.lowercased().drop { $0 == "." }
            return entry == "*" || host == name || (!name.isEmpty && host.hasSuffix("." + name))
        }
    }
}
