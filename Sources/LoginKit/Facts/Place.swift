import Secrets

/// A place in a response: `/json/pointer`, `header:NAME`, `cookie:NAME`, `form:NAME` or `text`.
package indirect enum Place: Hashable, Sendable {
    case json(JSONPointer)
    case header(String)
    /// A member of the query of the header `Location`, decoded.
    case redirectQuery(String)
    case cookie(String)
    /// A field of a form of an HTML page.
    case field(String)
    /// The text of the first element at this path of names from the root on, whatever their namespaces.
    case xml([String])
    /// A claim of the id_token (OpenID Connect Core 1.0, section 2); only where a grant says who has logged in.
    case identityToken(String)
    /// The body as text, the first MiB of it.
    case text
    /// The text between two others there; up to the end if `after` is empty.
    case between(Place, before: String, after: String)

    /// - Returns: `nil` for a text of another form.
    init?(_ text: String) {
        if let pointer = JSONPointer(text), !text.isEmpty {
            self = .json(pointer)
        } else if let name = text.dropping("header:Location?") {
            self = .redirectQuery(name)
        } else if let path = text.dropping("xml:/")?.split(separator: "/", omittingEmptySubsequences: false),
            path.allSatisfy({ !$0.isEmpty })
        {
            self = .xml(path.map(String.init))
        } else if let name = text.dropping("header:") {
            self = .header(name)
        } else if let name = text.dropping("cookie:") {
            self = .cookie(name)
        } else if let name = text.dropping("form:") {
            self = .field(name)
        } else if let claim = text.dropping("id-token:") {
            self = .identityToken(claim)
        } else if text == "text" {
            self = .text
        } else {
            return nil
        }
    }

    /// A kind of body that has to be read first.
    enum Body { case json, xml, html }

    /// Whether it is in the body of a response.
    var isInBody: Bool { body != nil || self == .text }

    /// The kind of body that has it; `nil` where that is not in the body, or any body will do.
    var body: Body? {
        switch self {
        case .json: .json
        case .xml: .xml
        case .field, .between(.text, _, _): .html
        case .between(let place, _, _): place.body
        case .header, .redirectQuery, .cookie, .identityToken, .text: nil
        }
    }
}

extension Place: CustomStringConvertible {
    /// As a profile writes it, JSON pointers unescaped.
    package var description: String {
        switch self {
        case .json(let pointer): pointer.steps.map { "/" + $0 }.joined()
        case .header(let name): "header:\(name)"
        case .cookie(let name): "cookie:\(name)"
        case .redirectQuery(let name): "header:Location?\(name)"
        case .xml(let path): "xml:/" + path.joined(separator: "/")
        case .field(let name): "form:\(name)"
        case .identityToken(let claim): "id-token:\(claim)"
        case .text: "text"
        case .between(let place, let before, let after): "\(place), between \"\(before)\" and \"\(after)\""
        }
    }
}

extension String {
    /// The text after a prefix, if it has any.
    fileprivate func dropping(_ prefix: String) -> String? {
        hasPrefix(prefix) && utf8.count > prefix.utf8.count ? String(dropFirst(prefix.count)) : nil
    }
}
