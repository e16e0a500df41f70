import Secrets

/// A service's description of itself, as far as it tells of logins (OpenAPI 3, sections 4.8.27 and 4.8.30; Swagger 2.0).
struct APIDescription {
    /// The security scheme of a request.
    enum Scheme: Equatable {
        case basic, bearer, other
        case header(String)
        /// RFC 6749, section 4.3; with the path that hands out tokens.
        case passwordGrant(path: String)
    }

    /// Path and query of the document.
    let target: String
    /// Paths that answer GET without parameters, and need a login, those first that speak of the person.
    let guarded: [(path: String, schemes: [Scheme])]
    /// Paths whose names say that they end a login, and that take a POST with nothing but that.
    let logouts: [(path: String, schemes: [Scheme])]

    /// - Returns: `nil` for JSON of another kind.
    init?(_ response: HTTPResponse, at target: String) {
        let members = OAuthBody(response).members
        guard let members, members["openapi"] != nil || members["swagger"] != nil,
            case .object(let paths)? = members["paths"]
        else { return nil }
        self.target = target
        let document = JSONValue.object(members)
        let base = Self.base(document)
        let schemes = Self.schemes(document, base: base)
        let operations = { (method: String) in
            paths.compactMap { path, item -> (path: String, schemes: [Scheme])? in
                guard path.hasPrefix("/"), !path.hasPrefix("//"), !path.contains("{"),
                    case .object(let operation)? = item.member(method), !Self.needsMore(operation)
                else { return nil }
                let wanted = operation["security"] ?? members["security"]
                let names = wanted.map(Self.names) ?? []
                return names.isEmpty ? nil : (base + path, names.compactMap { schemes[$0] })
            }.sorted { ($0.path.rank, $0.path.count, $0.path) < ($1.path.rank, $1.path.count, $1.path) }
        }
        guarded = operations("get")
        logouts = operations("post").filter { $0.path.namesLogout }
    }

    /// The path before all others: of the first server (OpenAPI), or `basePath` (Swagger).
    private static func base(_ document: JSONValue) -> String {
        var text = document.member("basePath")?.text ?? ""
        if case .array(let servers)? = document.member("servers") { text = servers.first?.member("url")?.text ?? "" }
        // That of another origin is not asked, and so nothing is lost.
        guard text.hasPrefix("/"), !text.hasPrefix("//") else { return "" }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    private static func schemes(_ document: JSONValue, base: String) -> [String: Scheme] {
        let found = document.member("components")?.member("securitySchemes") ?? document.member("securityDefinitions")
        guard case .object(let members)? = found else { return [:] }
        return members.mapValues { scheme in
            let type = scheme.member("type")?.text
            switch (type, scheme.member("scheme")?.text?.lowercased(), scheme.member("in")?.text) {
            case ("basic", _, _), ("http", "basic", _): return .basic
            case ("http", "bearer", _): return .bearer
            case ("apiKey", _, "header"): return .header(scheme.member("name")?.text ?? "")
            case ("oauth2", _, _):
                let grant = scheme.member("flows")?.member("password") ?? scheme
                guard scheme.member("flows") != nil || scheme.member("flow")?.text == "password",
                    let path = grant.member("tokenUrl")?.text, !path.contains("://"), !path.hasPrefix("//")
                else { return .other }
                return .passwordGrant(path: path.hasPrefix("/") ? path : "\(base)/\(path)")
            default: return .other
            }
        }
    }

    private static func needsMore(_ operation: [String: JSONValue]) -> Bool {
        if operation["requestBody"]?.member("required") == .bool(true) { return true }
        return (operation["parameters"]?.elements ?? []).contains { $0.member("required") == .bool(true) }
    }

    /// The one logout of a login by these means.
    func logout(of login: FoundLogin?) -> FoundLogout? {
        var found = logouts.filter { logout in
            logout.schemes.contains { scheme in
                switch login {
                case .passwordGrant(let path, _)?: scheme == .passwordGrant(path: path)
                case .token(nil, _)?: scheme == .bearer
                case .token(let header?, _)?:
                    if case .header(let name) = scheme { header.hasPrefix("\(name):") } else { false }
                case .challenge?, .oauth?, .form?, .browser?, nil: false
                }
            }
        }
        // Where one scheme is as good as another there, the one beside the login is meant.
        if found.count > 1, case .passwordGrant(let path, _)? = login {
            found = found.filter { $0.path.folder == path.folder }
        }
        return found.count == 1 ? .described(target: found[0].path, description: target) : nil
    }

    private static func names(_ security: JSONValue) -> [String] {
        (security.elements ?? []).flatMap { choice -> [String] in
            if case .object(let members) = choice { members.keys.sorted() } else { [] }
        }
    }
}

extension String {
    /// The path up to its last slash.
    fileprivate var folder: Substring { prefix(through: lastIndex(of: "/") ?? startIndex) }

    fileprivate var rank: Int {
        let segments = lowercased().split(separator: "/")
        return ["me", "whoami", "self", "user", "account", "profile"].firstIndex { word in
            segments.contains { $0 == word }
        } ?? 6
    }
}

extension HTTPResponse {
    /// The descriptions of the service to which its header leads (RFC 8288, section 3; RFC 8631, section 3): paths and URLs as
    /// they are written, without those that have a comma.
    var linkedDescriptions: [String] {
        values(of: "Link").flatMap { $0.split(separator: ",") }.prefix(20).compactMap { link in
            let parts = link.split(separator: ";").map { $0.trimmingPrefix { $0 == " " } }
            guard let target = parts.first, target.hasPrefix("<"), let end = target.firstIndex(of: ">") else {
                return nil
            }
            let isNamed = parts.dropFirst().contains { part in
                let pair = part.split(separator: "=", maxSplits: 1)
                guard pair.count == 2, pair[0].lowercased() == "rel" else { return false }
                return pair[1].split(whereSeparator: { "\" ".contains($0) }).contains {
                    $0.lowercased() == "service-desc"
                }
            }
            return isNamed ? String(target[target.index(after: target.startIndex)..<end]) : nil
        }
    }

    /// Where a page names the description that its scripts show: a quoted path to JSON whose name says so.
    func namedDescription(from path: String) -> String? {
        let text = body.withUnsafeBytes { String(decoding: $0.prefix(256 << 10), as: UTF8.self) }
        let quoted = text.split(whereSeparator: { "\"'".contains($0) })
        let named = quoted.first { part in
            let lower = part.lowercased()
            return part.utf8.count <= 200 && lower.hasSuffix(".json")
                && part.utf8.allSatisfy { (0x21...0x7e).contains($0) }
                && ["openapi", "swagger", "api-docs"].contains { lower.contains($0) }
        }
        guard let named, !named.contains("://"), !named.hasPrefix("//") else { return nil }
        if named.hasPrefix("/") { return String(named) }
        let folder = path.withoutQuery.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return named.hasPrefix(".") ? nil : "\(folder)\(named)"
    }
}
