import FlyingFox
import Foundation

/// What a service answers.
struct Reply: Sendable {
    var status: Int
    var headers: [String: String] = [:]
    /// One `Set-Cookie` each.
    var cookies: [String] = []
    var body = Data()
    /// The account that this was about, for the log.
    var who: String?
    /// How long to wait before answering.
    var delay = 0.0
    /// Whether the connection breaks in the middle of the body.
    var cutShort = false
    /// Whether the connection closes without an answer.
    var reset = false

    /// An answer with a JSON body, its keys in snake case.
    static func json(_ status: Int, _ value: some Encodable, who: String? = nil) -> Reply {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let body = try? encoder.encode(value) else { return Reply(status: 500) }
        return Reply(status: status, headers: ["Content-Type": "application/json"], body: body, who: who)
    }

    /// An answer with a line of text.
    static func text(_ status: Int, _ words: String, who: String? = nil) -> Reply {
        Reply(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data((words + "\n").utf8),
            who: who)
    }

    /// The same answer with one more header.
    func with(_ header: String, _ value: String?) -> Reply {
        var reply = self
        reply.headers[header] = value
        return reply
    }

    /// The answer as FlyingFox sends it; without the body, its length is told all the same.
    func response(withBody: Bool) -> HTTPResponse {
        var fields = HTTPHeaders()
        for (name, value) in headers { fields.setValues([value], for: HTTPHeader(name)) }
        if !cookies.isEmpty { fields.setValues(cookies, for: .setCookie) }
        fields.setValues(["no-store"], for: .cacheControl)
        fields.setValues([Self.date(Date())], for: HTTPHeader("Date"))
        if reset { return HTTPResponse(webSocket: NoAnswer()) }
        let code = HTTPStatusCode(status, phrase: Self.phrases[status] ?? "As Ordered")
        guard withBody else {
            fields[.contentLength] = "\(body.count)"
            return HTTPResponse(statusCode: code, headers: fields)
        }
        guard cutShort else { return HTTPResponse(statusCode: code, headers: fields, body: body) }
        let torn = HTTPBodySequence(from: TornBody(start: Array(body)), count: body.count + 1000)
        return HTTPResponse(statusCode: code, headers: fields, body: torn)
    }

    /// RFC 9110, section 5.6.7.
    private static func date(_ now: Date) -> String {
        let style = Date.VerbatimFormatStyle(
            format: """
                \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \
                \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\
                \(second: .twoDigits) GMT
                """,
            locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
        return now.formatted(style)
    }

    private static let phrases = [
        200: "OK", 201: "Created", 204: "No Content", 302: "Found", 303: "See Other", 400: "Bad Request",
        401: "Unauthorized",
        403: "Forbidden", 404: "Not Found", 423: "Locked",
        429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable",
    ]
}
