import LoginCore

/// A request and its response, as sentences made of the lines of the trace: they show nothing that `-v` does not show.
package struct TracedExchange: Equatable, Sendable {
    private var request: [String] = []
    private var response: [String] = []

    /// Headers that say nothing to a person who asks for help.
    private static let usual = ["accept", "user-agent", "content-length"]
    /// The headers of a response that say why it is what it is.
    private static let telling = ["www-authenticate", "proxy-authenticate", "retry-after"]

    /// The exchanges of a trace, in their order.
    package static func list(_ lines: [String]) -> [TracedExchange] {
        lines.reduce(into: []) { list, line in
            let text = String(line.dropFirst(2))
            if line.hasPrefix("> "), list.isEmpty || text.beginsRequest { list.append(TracedExchange()) }
            guard !list.isEmpty else { return }
            if line.hasPrefix("> ") { list[list.count - 1].request.append(text) }
            if line.hasPrefix("< ") { list[list.count - 1].response.append(text) }
        }
    }

    /// The request: method, URL, the names of the headers, whether there is a body.
    package var asked: String {
        let shown = request.dropFirst().filter { !Self.usual.contains($0.headerName) }
        let headers = shown.filter { $0.headerName != "" }.joined(separator: ", ")
        // Not its size, which is as good as the length of the password to whoever knows the profile.
        let body = shown.contains { $0.headerName == "" } ? "a body" : nil
        let parts = [headers.isEmpty ? nil : headers, body].compactMap { $0 }.joined(separator: ", and ")
        return (request.first ?? "") + (parts.isEmpty ? "" : " with \(parts)") + "."
    }

    /// The response: status, type and size, and the headers that say why.
    package var answer: String {
        guard let status = response.first else { return "none." }
        let type = response.first { $0.headerName == "content-type" }.map { SafeText.line($0.headerValue, limit: 100) }
        let size = response.last { $0.headerName == "" && $0 != status }
        let cookies = response.filter { $0.hasPrefix("Cookie: ") }.map { "sets the \($0.lowercasedFirst)" }
        let why = response.filter { Self.telling.contains($0.headerName) }
            .map { SafeText.line($0, limit: 300) }
        return ([status, type, size].compactMap { $0 } + why + cookies).joined(separator: ", ") + "."
    }
}

extension String {
    /// Whether a line of a request is its first one: `GET https://HOST/`.
    fileprivate var beginsRequest: Bool {
        let words = split(separator: " ", maxSplits: 1)
        return words.count == 2 && words[0].last != ":" && words[1].contains("://")
    }

    /// In small letters; empty where the line is no header.
    fileprivate var headerName: String {
        guard let colon = firstIndex(of: ":"), !beginsRequest else { return "" }
        return self[..<colon].lowercased()
    }

    fileprivate var headerValue: String {
        String(self[(firstIndex(of: ":").map(index(after:)) ?? startIndex)...].drop { $0 == " " })
    }

    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
