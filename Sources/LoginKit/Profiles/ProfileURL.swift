/// Checks a profile's `url` as far as that can be done without libcurl's parser, which comes later and has the last
/// word.
struct ProfileURL {
    let text: String

    /// - Returns: `nil` if there is none. Never holds the text, which may hold a password.
    var problem: String? {
        guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else {
            return "must start with https:// or http://"
        }
        let rest = text.dropFirst(scheme.count)
        guard rest.unicodeScalars.allSatisfy({ $0.value > 0x20 && !(0x7f...0x9f).contains($0.value) }) else {
            return "contains a blank or a control character"
        }
        let authority = rest.prefix { !"/?#\\".contains($0) }
        if authority.contains("@") { return "must not contain a user name or password" }
        if rest.contains("?") || rest.contains("#") { return "must have neither a query nor a fragment" }
        let host = authority.last == "]" ? authority : authority.split(separator: ":", maxSplits: 1).first ?? ""
        if host.isEmpty || authority.hasPrefix(":") { return "has no host" }
        return hasPort(authority) ? nil : "has an invalid port"
    }

    private func hasPort(_ authority: Substring) -> Bool {
        let end = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[end...].firstIndex(of: ":") else { return true }
        return UInt16(authority[authority.index(after: colon)...]).map { $0 > 0 } ?? false
    }
}
