import Secrets

/// One answer, opened up so that rules can look into it.
struct ParsedResponse {
    /// The answer as it came.
    let response: HTTPResponse
    /// The body; `nil` if it is no JSON, or where no rule looks into it.
    let json: JSONValue?
    /// Likewise.
    var html: HTMLBody?
    /// The text of the first element at a path of names in its XML; likewise.
    var xml: (([String]) -> String?)?
    /// The origin that the request went to.
    let origin: Origin
    /// Whether the answer itself proves that the server knows the credential and took it for good.
    var isProven = false
    /// Whether the request was one that writes, which 307 and 308 ask for again elsewhere.
    var wrote = true
    /// Whether it has the form of the profile's login, with the field for the password.
    var asksAgain = false
    /// Whether the response to a login is a page that asks for the code of a second factor.
    var asksForCode = false
    /// Whether it is a redirect to where the profile logs in.
    var leadsToLogin = false
    /// Whether the request carried a password, by HTTP authentication.
    var sentPassword = false

    /// The status code of the answer.
    var status: Int { response.status }

    /// Whether the status is 2xx.
    var isSuccess: Bool { (200..<300).contains(status) }

    /// The challenges in it (RFC 9110, section 11.6.1).
    var challenges: [AuthenticateChallenge] {
        AuthenticateChallenge.parse(response.values(of: "WWW-Authenticate"))
    }

    /// Where the answer points to, if that is another origin.
    var foreignRedirect: Redirect? {
        guard let redirect = response.redirect, redirect.origin != origin else { return nil }
        return redirect
    }

    /// The value at a place, as text. `Location` on the same origin is read as path and query.
    func text(at place: Place) -> String? {
        switch place {
        case .json(let pointer):
            return json?[pointer]?.text
        case .header(let name):
            if name.lowercased() == "location", let redirect = response.redirect {
                return redirect.origin == origin ? redirect.target : redirect.url
            }
            return response.values(of: name).first
        case .redirectQuery(let name):
            return response.redirect?.target.queryMember(name)
        case .cookie(let name):
            return response.cookies.only(name)?.value.unprotectedText
        case .field(let name):
            return html?.text(ofField: name)
        case .xml(let path):
            return xml?(path)
        case .identityToken:
            return nil
        case .text:
            let body = (html?.encoding ?? .utf8).decoded(response.body)
            return body.withUnsafeBytes { String(decoding: $0.prefix(Self.textLimit), as: UTF8.self) }
        case .between(let outer, let before, let after):
            guard let found = (setCookies(outer) ?? text(at: outer))?.between(before, after) else { return nil }
            return outer == .text ? html?.plainText(found) ?? found : found
        }
    }

    /// The user name at a place, if a person could see it. JSON's `false` and `0` say that nobody is logged in.
    func name(at place: Place) -> String? {
        if case .json(let pointer) = place {
            switch json?[pointer] {
            case .bool, .integer(0), .number(0): return nil
            default: break
            }
        }
        return text(at: place).flatMap { SafeText.hasInk($0) ? $0.trimmed : nil }
    }

    /// The cookies as they would be set, one to a line, for what only their names say; whole they are at no place.
    private func setCookies(_ place: Place) -> String? {
        guard case .header(let name) = place, name.lowercased() == "set-cookie" else { return nil }
        return response.cookies.map { "\($0.name)=\($0.value.unprotectedText)\n" }.joined()
    }

    /// The largest body that is looked at as text, in bytes.
    private static let textLimit = 1 << 20

    /// The value at a place as it is sent on: without blanks around it, and of a body that is one JSON text that text; `nil` if nothing
    /// is left.
    func value(at place: Place) -> Secret? {
        guard place == .text, let body = secret(at: .text) else { return secret(at: place)?.trimmed }
        let array = Secret(joining: [Secret("["), body, Secret("]")]).withUnsafeBytes { try? JSONReader.read($0) }
        guard let elements = array?.elements, elements.count == 1, let text = elements[0].string else {
            return body.trimmed
        }
        return Secret(text).trimmed
    }

    private func secret(at place: Place) -> Secret? {
        switch place {
        case .cookie(let name): return response.cookies.only(name)?.value
        case .field(let name): return html?.value(ofField: name)
        case .json, .header, .redirectQuery, .xml, .text, .identityToken, .between:
            return text(at: place).map { Secret($0) }
        }
    }

    /// The token at a place: JSON's `false` and `0`, and what nobody can see, are none.
    func token(at place: Place) -> Secret? {
        name(at: place) == nil ? nil : value(at: place)
    }

    /// Whether the status, if one is named, and every place are as the condition has them.
    /// What a busy server answers (408, 429, 5xx but 501) has judged nothing, so only a condition that names its status fits it.
    func matches(_ condition: Condition) -> Bool {
        (condition.status == status || condition.status == nil && !response.saysNothing)
            && condition.places.allSatisfy { holds($0, named: condition.status != nil) }
    }

    /// Of a body that was not read to its end nobody can say what it lacks; nor of one that is no JSON, such as a portal's page, unless the
    /// rule names the status.
    private func holds(_ wanted: Condition.PlacePattern, named: Bool) -> Bool {
        let text = text(at: wanted.place)
        if text?.isEmpty != false, wanted.place.isInBody, response.unread != nil { return false }
        if text == nil, wanted.place.body == .json, json == nil, !named { return false }
        return wanted.pattern.matches(text)
    }

    /// Whether one of them holds; of none, none does.
    func matches(any conditions: [Condition]) -> Bool {
        conditions.contains { matches($0) }
    }
}

extension Secret {
    fileprivate var trimmed: Secret? {
        withUnsafeBytes { bytes in
            let rest = bytes.trimming { " \t\r\n".utf8.contains($0) }
            return rest.isEmpty ? nil : Secret(copying: UnsafeRawBufferPointer(rebasing: rest))
        }
    }
}

extension String {
    /// The text between the first `before` and the next `after`; up to the end if `after` is empty.
    fileprivate func between(_ before: String, _ after: String) -> String? {
        let bytes = Array(utf8)
        guard let start = before.isEmpty ? 0 : bytes.firstRange(of: Array(before.utf8))?.upperBound else { return nil }
        let rest = bytes[start...]
        guard let end = after.isEmpty ? rest.endIndex : rest.firstRange(of: Array(after.utf8))?.lowerBound else {
            return nil
        }
        return String(decoding: rest[..<end], as: UTF8.self)
    }

    /// The first member of this name in the query of a target, decoded (WHATWG URL, section 5.1).
    fileprivate func queryMember(_ name: String) -> String? {
        guard let mark = utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        for pair in utf8[utf8.index(after: mark)...].prefix(while: { $0 != UInt8(ascii: "#") }).split(
            separator: UInt8(ascii: "&"))
        {
            let halves = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let texts = halves.compactMap { FormText.decoded($0, isStrict: false) }
            if let first = texts.first, Array(name.utf8) == first {
                return String(validating: texts.dropFirst().first ?? [], as: UTF8.self)
            }
        }
        return nil
    }
}

extension HTTPResponse {
    /// `Retry-After` in seconds (RFC 9110, section 10.2.3). A date counts from the answer's own `Date`, so that no clock but
    /// the server's matters.
    package var retryAfter: Int? {
        guard let text = values(of: "Retry-After").first else { return nil }
        if let seconds = Int(text) { return seconds >= 0 ? seconds : nil }
        guard let then = HTTPDate(text), let now = values(of: "Date").first.flatMap({ HTTPDate($0) }) else {
            return nil
        }
        return Int(max(then.seconds - now.seconds, 0))
    }
}

/// The parts of an HTML page that rules read.
struct HTMLBody {
    /// Of its forms, then those of no form, each in the order of the page.
    let fields: [PageField]
    /// A piece of HTML as a person reads it: without tags, with its entities decoded.
    let plainText: (String) -> String
    /// Of the whole body.
    var encoding = PageEncoding.utf8

    /// The value of the first field of this name: of a list the chosen or the first one.
    func value(ofField name: String) -> Secret? { field(name)?.value }

    /// The same for a condition, which may ask whether there is such a field at all: of one without a value its type.
    func text(ofField name: String) -> String? {
        guard let field = field(name) else { return nil }
        if let value = field.value, !value.isEmpty { return value.unprotectedText }
        return field.type
    }

    private func field(_ name: String) -> PageField? {
        let fields = fields.filter { $0.name == name }
        return fields.first(where: \.isChosen) ?? fields.first
    }
}
