/// Notes, for whoever has an access token with the right scope. A client finds out everything else by itself, from the
/// challenge on (RFC 9728).
struct NotesService: Sendable {
    static let path = "/notes"
    static let routes = [
        "GET  /.well-known/oauth-protected-resource/notes  metadata (RFC 9728)",
        "GET  /notes/me                         Bearer token with the scope notes:read",
        "GET  /notes                            the same; POST needs notes:write, or is 403 insufficient_scope",
    ]

    private struct Note: Encodable {
        let id: Int
        let author: String
        let note: String
    }
    private struct Notes: Encodable {
        let count: Int
        let notes: [Note]
    }

    private static let metadata = "/.well-known/oauth-protected-resource" + path
    private var notes: [Note] = []

    mutating func answer(_ call: Call, _ tokens: TokenFamilies) -> Reply? {
        if call.isFor("GET", Self.metadata) { return .json(200, ProtectedResourceMetadata(origin: call.origin)) }
        let isRead = call.isFor("GET", Self.path) || call.isFor("GET", Self.path + "/me")
        guard isRead || call.isFor("POST", Self.path) else { return nil }
        let protection = BearerProtection(
            path: Self.path,
            challenge: [
                (name: "resource_metadata", value: call.origin + Self.metadata), (name: "scope", value: "notes:read"),
            ])
        switch protection.admit(call, tokens, scope: isRead ? "notes:read" : "notes:write") {
        case .refused(let reply): return reply
        case .admitted(let account): return answer(call, to: account, isRead: isRead)
        }
    }

    private mutating func answer(_ call: Call, to account: Account, isRead: Bool) -> Reply {
        if call.path == Self.path + "/me" { return .json(200, ["name": account.name], who: account.name) }
        guard isRead else {
            let note = Note(
                id: notes.count + 1, author: account.name, note: String(decoding: call.body, as: UTF8.self))
            notes.append(note)
            return .json(201, note, who: account.name)
        }
        let own = notes.filter { $0.author == account.name }
        return .json(200, Notes(count: own.count, notes: own), who: account.name)
    }
}
