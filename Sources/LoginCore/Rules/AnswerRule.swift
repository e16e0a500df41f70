/// How one of a profile's answers is read.
public struct AnswerRule: Equatable, Sendable {
    /// What a refusal looks like; one must hold. Nothing means the default of the request.
    public var refused: [Condition]?
    public var loggedOut: [Condition]?
    public var forbidden: [Condition]?
    /// Where the server's own words are.
    public var message: Place?
    public var username: Place?
    public var token: Place?
    public var refreshToken: Place?
    public var expiry: Expiry?

    /// Where the end of a session is told, and in what unit.
    public enum Expiry: Equatable, Sendable {
        /// A date, or seconds of Unix time.
        case at(Place)
        case inSeconds(Place)
        case inMilliseconds(Place)
    }

    public init() {}

    /// Whether any of it looks into a JSON body.
    public var readsJSON: Bool {
        let conditions = (refused ?? []) + (loggedOut ?? []) + (forbidden ?? [])
        let named: [Place?] = [message, username, token, refreshToken, expiry?.place]
        let places = named.compactMap { $0 } + conditions.flatMap { $0.places.map(\.place) }
        return places.contains { if case .json = $0 { true } else { false } }
    }
}

extension AnswerRule.Expiry {
    /// Where it is told.
    public var place: Place {
        switch self {
        case .at(let place), .inSeconds(let place), .inMilliseconds(let place): place
        }
    }
}

/// A place in an answer: `/json/pointer`, `header:NAME` or `cookie:NAME`.
public enum Place: Hashable, Sendable {
    case json(JSONPointer)
    case header(String)
    case cookie(String)

    /// - Returns: nothing for a text of another form.
    public init?(_ text: String) {
        if let pointer = JSONPointer(text), !text.isEmpty {
            self = .json(pointer)
        } else if text.hasPrefix("header:"), text.utf8.count > 7 {
            self = .header(String(text.dropFirst(7)))
        } else if text.hasPrefix("cookie:"), text.utf8.count > 7 {
            self = .cookie(String(text.dropFirst(7)))
        } else {
            return nil
        }
    }
}

extension Place: CustomStringConvertible {
    /// As a profile writes it, JSON pointers unescaped.
    public var description: String {
        switch self {
        case .json(let pointer): pointer.steps.map { "/" + $0 }.joined()
        case .header(let name): "header:\(name)"
        case .cookie(let name): "cookie:\(name)"
        }
    }
}

/// What an answer may look like: a status, or places that must all hold a text of a certain form.
public struct Condition: Equatable, Sendable {
    public var status: Int?
    public var places: [PlacePattern]

    public struct PlacePattern: Equatable, Sendable {
        public let place: Place
        public let pattern: TextPattern

        public init(place: Place, pattern: TextPattern) {
            self.place = place
            self.pattern = pattern
        }
    }

    public init(status: Int? = nil, places: [PlacePattern] = []) {
        self.status = status
        self.places = places
    }
}

/// A text in which `*` stands for anything; the empty text stands for 'missing or empty'.
public struct TextPattern: Equatable, Sendable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    /// - Parameter value: nothing for a place that the answer does not have.
    public func matches(_ value: String?) -> Bool {
        guard let value, !value.isEmpty else { return text.isEmpty || text == "*" && value != nil }
        let pieces = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
        var rest = Array(value.utf8)[...]
        guard pieces.count > 1 else { return Array(rest) == pieces[0] }
        guard rest.starts(with: pieces[0]) else { return false }
        rest = rest.dropFirst(pieces[0].count)
        for piece in pieces.dropFirst().dropLast() {
            guard let range = rest.firstRange(of: piece) else { return false }
            rest = rest[range.upperBound...]
        }
        let last = pieces[pieces.count - 1]
        return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
    }
}
