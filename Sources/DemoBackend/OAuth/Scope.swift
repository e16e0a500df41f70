import Foundation

/// A list of scope tokens (RFC 6749, 3.3), in the order in which they were asked for.
struct Scope: Sendable {
    let tokens: [String]

    /// What the demo knows, and what a person reads about it.
    static let known = [
        ("openid", "see who you are"), ("notes:read", "read your notes"), ("notes:write", "write notes"),
        ("watch", "watch television"),
    ]
    static let all = Scope(known.map(\.0).joined(separator: " "))
    /// What is meant where none is asked for.
    static let usual = Scope("notes:read")

    init(_ text: String) {
        tokens = text.split(separator: " ").map(String.init)
    }

    var text: String { tokens.joined(separator: " ") }

    func contains(_ token: String) -> Bool { tokens.contains(token) }

    /// The scope that a request asks for, or the usual one.
    /// - Throws: where it goes beyond this scope.
    func asked(in parameters: Parameters, usual: Scope) throws(OAuthError) -> Scope {
        let asked = parameters["scope"].map(Scope.init) ?? usual
        guard asked.tokens.allSatisfy(contains) else {
            throw OAuthError(.invalidScope, "This scope is unknown, or more than the client may ask for")
        }
        return asked
    }
}
