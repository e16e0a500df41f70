import FlyingFox
import Foundation

/// One request as the services see it, decoded here with Foundation alone.
struct Call: Sendable {
    let method: String
    /// Percent-decoded, without the query.
    let path: String
    /// As it stood in the request line, for the log.
    let rawPath: String
    let query: [String: String]
    /// As it stood in the request line.
    let rawQuery: String
    let headers: HTTPHeaders
    let body: Data
    let now: Date

    init(_ request: HTTPRequest, now: Date) async throws {
        method = request.method.rawValue
        path = request.target.path(percentEncoded: false)
        rawPath = request.target.path()
        query = Dictionary(request.query.map { ($0.name, $0.value) }) { first, _ in first }
        rawQuery = request.target.query()
        headers = request.headers
        body = try await request.bodyData
        self.now = now
    }

    /// Whether this is that request; HEAD asks for what GET would answer (RFC 9110, 9.3.2).
    func isFor(_ method: String, _ path: String) -> Bool {
        (self.method == method || (self.method == "HEAD" && method == "GET")) && self.path == path
    }

    /// A header's value, by name.
    func header(_ name: String) -> String? {
        headers[HTTPHeader(name)]
    }

    /// The `ttl` of the query, in seconds, or what is usual; nothing where it is not a sensible number.
    func lifetime(usual: TimeInterval) -> TimeInterval? {
        guard let text = query["ttl"] else { return usual }
        guard let seconds = TimeInterval(text), seconds >= 0, seconds < 1e9 else { return nil }
        return seconds
    }

    /// The body as JSON with keys in snake case, if it says that it is JSON and is.
    func json<Value: Decodable>(_ type: Value.Type) -> Value? {
        guard hasMediaType("application/json") else { return nil }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try? decoder.decode(type, from: body)
    }

    /// The fields of a posted form (`application/x-www-form-urlencoded`), if the body is one.
    func form() -> [String: String]? {
        guard hasMediaType("application/x-www-form-urlencoded"), let text = String(data: body, encoding: .utf8) else {
            return nil
        }
        var fields: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = halves.map { $0.replacing("+", with: " ").removingPercentEncoding }
            guard let first = decoded.first, let name = first, let value = decoded.count > 1 ? decoded[1] : "" else {
                return nil
            }
            fields[name] = value
        }
        return fields
    }

    private func hasMediaType(_ type: String) -> Bool {
        let said = header("Content-Type")?.split(separator: ";").first ?? ""
        return said.trimmingCharacters(in: .whitespaces).lowercased() == type
    }
}
