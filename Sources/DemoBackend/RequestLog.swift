import Foundation

/// What the server saw, secrets masked: of credentials their kind, of the query the values that are no secrets.
struct SeenRequest: Encodable, Sendable {
    let method: String
    let path: String
    let query: [String: String]
    /// The account, where the request named one that exists; a name that nobody has could be a mistyped password.
    let who: String?
    let status: Int
    let carried: [String]

    private static let plainQuery: Set<String> = ["ttl", "fault"]

    init(_ call: Call, _ reply: Reply) {
        method = call.method
        path = Self.printable(call.rawPath)
        query = Dictionary(
            call.query.map { name, value in
                (Self.printable(name), Self.plainQuery.contains(name) ? Self.printable(value) : "***")
            }
        ) { first, _ in first }
        who = reply.who
        status = reply.status
        carried = call.carried
    }

    /// One line for people.
    var line: String {
        let asked = query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        let proof = carried.isEmpty ? "nothing" : carried.map { "\($0) ***" }.joined(separator: ", ")
        return "\(method) \(path)\(asked.isEmpty ? "" : "?" + asked)  \(who ?? "-")  (\(proof))  \(status)"
    }

    private static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "?" : $0 }))
    }
}
