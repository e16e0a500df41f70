import LoginCore

/// Chooses the proxy for an origin, and notes a variable that was set but not obeyed.
struct ProxyChoice: Equatable {
    let url: String?
    let source: ProxySource
    let ignoredVariable: String?

    /// A proxy that nobody named for authctl is for https alone, where TLS goes through it, and never for this machine.
    init(_ setting: ProxySetting, environment: [String: String], origin: Origin) {
        if case .url(let url, let source) = setting {
            (self.url, self.source, ignoredVariable) = (url.isEmpty ? nil : url, source, nil)
            return
        }
        let set = Self.variables(origin.scheme).first { environment[$0]?.isEmpty == false }
        let variable = origin.isLoopback ? nil : set
        let applying = variable.flatMap { Self.isException(origin, environment) ? nil : $0 }
        let isObeyed = setting == .environment && origin.scheme == "https"
        url = isObeyed ? applying.flatMap { environment[$0] } : nil
        source = applying.map { .variable($0) } ?? .file
        ignoredVariable = isObeyed ? nil : applying
    }

    var speaksTLS: Bool { url?.lowercased().hasPrefix("https://") == true }

    /// The proxy without user information, to be shown.
    var shown: String {
        guard let url else { return "" }
        return url.lastIndex(of: "@").map { String(url[url.index(after: $0)...]) } ?? url
    }

    func fault(_ problem: ProxyFault.Problem) -> LoginFault {
        .network(.proxy(ProxyFault(proxy: shown, source: source, problem: problem)))
    }

    /// As curl reads them: `HTTP_PROXY` in capitals is what a CGI server makes of a request header, so it is not taken.
    private static func variables(_ scheme: String) -> [String] {
        scheme == "https"
            ? ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] : ["http_proxy", "all_proxy", "ALL_PROXY"]
    }

    /// Whether the variables except the origin. libcurl reads their list: hosts, domains, networks, a star.
    private static func isException(_ origin: Origin, _ environment: [String: String]) -> Bool {
        let lists = ["no_proxy", "NO_PROXY"].compactMap { environment[$0] }
        guard let list = lists.first(where: { !$0.isEmpty }) else { return false }
        return ConnectionPreview.isDirect(to: origin, exceptions: list)
    }
}
