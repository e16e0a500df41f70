import Foundation
@testable import LoginKit
import Secrets

/// A service that no one has written: each of its answers follows from a few facts and from the request alone, so that
/// it is known what it did with a password.
struct GeneratedServer: Sendable {
    /// How one logs in. The first two answer a password at ``guarded`` itself.
    enum Kind: String, CaseIterable, Sendable {
        case basic, digest, form, json, token
        case formToken = "form for a token"
        /// The name first, then the password on a page of its own.
        case steps

        var isHTTP: Bool { self == .basic || self == .digest }
        var hasToken: Bool { self == .token || self == .formToken }
    }

    /// Who gets a cookie.
    enum Cookies: String, CaseIterable, Sendable {
        case none
        /// Everybody gets one, and a login another value of it.
        case anybody
        case login
        /// A login, and a failure one of another name.
        case failure
    }

    /// Who asks, as the server knows it.
    enum Client: String { case stranger, known, wrong }

    struct Request {
        var method = "GET"
        /// Without a query.
        var path: String
        var authorization: String?
        var cookies: [String: String] = [:]
        var body = ""
    }

    struct Response: Hashable {
        var status: Int
        /// `nil` for a response without a body.
        var type: String?
        var body = ""
        var location: String?
        var challenge: String?
        /// What may be asked instead of a method that is not allowed.
        var allow: String?
        var cookies: [String: String] = [:]

        /// The lines of the head but for cookies.
        var headers: [String] {
            [("Content-Type", type), ("Location", location), ("WWW-Authenticate", challenge), ("Allow", allow)]
                .compactMap { name, value in value.map { "\(name): \($0)" } }
        }
    }

    static let guarded = "/me", name = "ann", password = "right-pw", wrongPassword = "wrong-pw", unknownName = "zoe"

    let kind: Kind
    let cookies: Cookies
    /// Answers are written as in ``GeneratedAnswer``.
    let stranger: String
    /// What verify answers a session.
    let session: String
    /// What the login answers the right password: where the kind is HTTP's, ``guarded`` itself.
    let right: String
    /// A wrong password of somebody that is known.
    let wrong: String
    let unknown: String

    func response(to request: Request) -> Response {
        var response = kind.isHTTP ? guardedResponse(request) : openResponse(request)
        let isNew = request.cookies["sid"] == nil && response.cookies["sid"] == nil
        if cookies == .anybody, isNew { response.cookies["sid"] = "anybody" }
        return response
    }

    /// HTTP's own schemes: all but the page of a refusal wants a login.
    private func guardedResponse(_ request: Request) -> Response {
        if request.path == "/denied" { return said("200 page") }
        let client = request.authorization.map { judge($0, of: request) } ?? .stranger
        switch client {
        case .stranger: return said(stranger)
        case .wrong:
            var response = said(isKnown(request.authorization ?? "") ? wrong : unknown)
            if cookies == .failure { response.cookies["lang"] = "en" }
            return response
        case .known:
            let isAsked = request.path == Self.guarded && (request.method == "GET" || !right.hasPrefix("405"))
            return said(isAsked ? right : "200 home")
        }
    }

    private func openResponse(_ request: Request) -> Response {
        let isSession =
            kind.hasToken ? request.authorization == "Bearer t-\(Self.name)" : request.cookies["sid"] == "live"
        switch (request.method, request.path) {
        case ("POST", "/login") where kind == .steps: return said("200 next")
        case ("POST", "/login"), ("POST", "/password"): return login(request)
        case (_, "/login"):
            var page = said("200 form")
            if cookies != .none { page.cookies["pre"] = "1" }
            return page
        case (_, Self.guarded): return said(isSession ? session : stranger)
        case (_, "/denied"): return said("200 page")
        case (_, "/"), (_, "/home"):
            if isSession { return said("200 home") }
            if request.path == "/home" { return said("302 /login") }
            return said(request.cookies["lang"] == nil ? "200 front" : "200 locked")
        case (_, _): return said("404")
        }
    }

    private func login(_ request: Request) -> Response {
        let isWhole = kind != .form || request.body.contains("h=7")
        let isRight = isWhole && isKnown(request.body) && request.body.contains(Self.password)
        let refusal = isKnown(request.body) ? wrong : unknown
        // The second of two steps has a page of its own.
        var response = said(isRight ? right : kind == .steps ? refusal.replacing("form", with: "next") : refusal)
        if isRight, cookies != .none, !kind.hasToken { response.cookies["sid"] = "live" }
        if cookies == .failure { response.cookies["lang"] = "en" }
        return response
    }

    private func said(_ answer: String) -> Response { GeneratedAnswer(answer, of: self).response }

    private func isKnown(_ text: String) -> Bool {
        kind == .basic ? Self.pair(of: text).hasPrefix(Self.name) : text.contains(Self.name)
    }

    private func judge(_ authorization: String, of request: Request) -> Client {
        if kind == .basic { return Self.pair(of: authorization) == "\(Self.name):\(Self.password)" ? .known : .wrong }
        let fields = AuthenticateChallenge.parse([authorization]).first?.parameters ?? [:]
        let first = Self.hash("\(Self.name):app:\(Self.password)")
        let second = Self.hash("\(request.method):\(fields["uri"] ?? "")")
        let middle = ["nonce", "nc", "cnonce", "qop"].map { fields[$0] ?? "" }.joined(separator: ":")
        let isRight = fields["username"] == Self.name && fields["response"] == Self.hash("\(first):\(middle):\(second)")
        return isRight ? .known : .wrong
    }

    private static func pair(of authorization: String) -> String {
        String(decoding: Data(base64Encoded: String(authorization.dropFirst("Basic ".count))) ?? Data(), as: UTF8.self)
    }

    private static func hash(_ text: String) -> String {
        do {
            return try HashLibrary.digits(.md5, of: Secret(text)).unprotectedText
        } catch {
            return "no library"
        }
    }
}

/// An answer in short: a status, and then nothing for words of the service, `/PATH` for a redirect, JSON as it stands, or
/// one of `challenge` (the service's own), `other` (a challenge of another door), `form`, `next` (the password's page),
/// `page` (words alone), `front`, `locked`, `home` (the person with a way out), `stream` (an event stream's first event).
private struct GeneratedAnswer {
    let response: GeneratedServer.Response

    init(_ text: String, of server: GeneratedServer) {
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        let status = Int(parts[0]) ?? 500, what = parts.count > 1 ? parts[1] : ""
        func page(_ body: String) -> GeneratedServer.Response {
            .init(status: status, type: "text/html; charset=utf-8", body: "<html><body>\(body)</body></html>")
        }
        let own =
            switch server.kind {
            case .basic: "Basic realm=\"app\""
            case .digest: "Digest realm=\"app\", nonce=\"n\", qop=\"auth\", algorithm=MD5"
            case .form, .json, .token, .formToken, .steps: "Session realm=\"app\""
            }
        let open = "<form action=\"/login\" method=\"post\"><input type=\"hidden\" name=\"h\" value=\"7\">"
        let user = "<input name=\"user\" type=\"text\">"
        let password = "<input type=\"password\" name=\"pw\"><button>Log in</button></form>"
        let words: GeneratedServer.Response =
            switch server.kind {
            case _ where status == 204 || status == 201: .init(status: status)
            case .basic, .digest: .init(status: status)
            case .form, .steps: page("<p>Status \(status).</p>")
            case .json, .token, .formToken:
                .init(status: status, type: "application/json", body: "{\"error\":\"status \(status)\"}")
            }
        var answer: GeneratedServer.Response =
            switch what {
            case "form" where server.kind == .steps: page("\(open)\(user)<button>Next</button></form>")
            case "form": page("\(open)\(user)\(password)")
            case "next":
                page(
                    "<form action=\"/password\" method=\"post\"><input type=\"hidden\" name=\"user\" value=\"\">\(password)"
                )
            case "page": page("<p>Wrong name or password.</p>")
            case "front": page("<p>Welcome.</p><a href=\"/login\">Log in</a>")
            case "locked": page("<p>The account \(GeneratedServer.name) is locked.</p><a href=\"/login\">Log in</a>")
            case "home": page("<p id=\"who\">\(GeneratedServer.name)</p><a href=\"/logout\">Log out</a>")
            case "stream":
                .init(status: status, type: "text/event-stream", body: "event: hello\ndata: 1\n\n")
            case "", "challenge", "other": words
            case _ where what.hasPrefix("/"): .init(status: status)
            default: .init(status: status, type: "application/json", body: what)
            }
        if what.hasPrefix("/") { answer.location = what }
        if what == "challenge" { answer.challenge = own }
        if what == "other" { answer.challenge = "Basic realm=\"gateway\"" }
        if status == 405 { answer.allow = "POST, OPTIONS" }
        response = answer
    }
}

// The same over a connection.
extension GeneratedServer {
    /// Answers whoever connects.
    func listen() throws -> RecordingServer {
        try RecordingServer { bytes in
            let request = Request(String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n"))
            let said = self.response(to: request)
            let head = said.headers + said.cookies.map { "Set-Cookie: \($0.key)=\($0.value); Path=/" }
            // A stream has no end that is known before.
            guard said.type == "text/event-stream" else {
                return .answer(said.status, head, body: request.method == "HEAD" ? "" : said.body)
            }
            return .raw(
                (["HTTP/1.1 \(said.status) Said"] + head + ["Connection: close", "", said.body]).joined(
                    separator: "\n"),
                ending: .close)
        }
    }
}

extension GeneratedServer.Request {
    /// Reads the text of a request, with LF for the line ends.
    fileprivate init(_ text: String) {
        let parts = text.split(separator: "\n\n", maxSplits: 1), lines = (parts.first ?? "").split(separator: "\n")
        let words = (lines.first ?? "").split(separator: " ").map(String.init)
        func field(_ name: String) -> String? {
            let line = lines.first { $0.lowercased().hasPrefix(name + ":") }
            return line.map { String($0.dropFirst(name.count + 1).drop { $0 == " " }) }
        }
        let pairs = (field("cookie") ?? "").split(separator: ";").map { $0.split(separator: "=", maxSplits: 1) }
        self.init(
            method: words.first ?? "", path: String((words.dropFirst().first ?? "").prefix { $0 != "?" }),
            authorization: field("authorization"),
            cookies: Dictionary(
                pairs.map { ($0[0].trimmingCharacters(in: .whitespaces), String($0.dropFirst().first ?? "")) }
            ) { first, _ in first },
            body: parts.count > 1 ? String(parts[1]) : "")
    }
}
