import Foundation

/// The parameters of an OAuth request (RFC 6749, 3.1 and 3.2): each may stand there once, and an empty one is none.
struct Parameters: Sendable {
    private let values: [String: String]

    /// - Throws: where a parameter is there twice, or is not properly encoded.
    init(formEncoded text: String) throws(OAuthError) {
        var values: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(halves[0]), let value = Self.decoded(halves.count > 1 ? halves[1] : "") else {
                throw OAuthError(.invalidRequest, "The parameters are not properly encoded")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw OAuthError(.invalidRequest, "A parameter is there twice")
            }
        }
        self.values = values
    }

    /// The parameters of a posted form.
    init(postedIn call: Call) throws(OAuthError) {
        guard call.form() != nil else { throw OAuthError(.invalidRequest, "A posted form is needed") }
        try self.init(formEncoded: String(decoding: call.body, as: UTF8.self))
    }

    subscript(name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A parameter that has to be there.
    func required(_ name: String) throws(OAuthError) -> String {
        guard let value = self[name] else { throw OAuthError(.invalidRequest, "\(name) is missing") }
        return value
    }

    /// A number of seconds, or what is usual: how tests ask for a short life (`ttl`) of what is handed out.
    func seconds(_ name: String, usual: TimeInterval) throws(OAuthError) -> TimeInterval {
        guard let text = self[name] else { return usual }
        guard let seconds = TimeInterval(text), (0..<1e9).contains(seconds) else {
            throw OAuthError(.invalidRequest, "\(name) is not a number of seconds")
        }
        return seconds
    }

    /// A text of `application/x-www-form-urlencoded`, decoded; nothing where it is no such text.
    static func decoded(_ text: some StringProtocol) -> String? {
        String(text).replacing("+", with: " ").removingPercentEncoding
    }

    /// What goes behind `?`: names and values, encoded.
    static func encoded(_ pairs: [(name: String, value: String)]) -> String {
        let plain = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        return pairs.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: plain) ?? "")"
        }.joined(separator: "&")
    }
}
