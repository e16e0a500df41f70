import Foundation

/// Row 3: a user object posted as JSON, a session cookie, and a protected post that answers 403 when logged out.
///
/// As many real servers do, it sets a cookie on failure too, and its login's body says nothing: only `/users/me` proves
/// a login. The cookie ends with the client's session unless `?ttl=SECONDS` gives it an age.
struct BlogService: Service {
    static let routes = [
        "POST /users/login [?ttl=SECONDS]       JSON name, password; a session cookie stays",
        "GET  /users/me                         403 when logged out",
        "POST /users/logout                     ends the session",
        "POST /posts                            a protected post: 403 when logged out",
        "GET  /posts                            the posts so far, open to anyone",
    ]

    private struct User: Decodable {
        let name: String
        let password: String
    }
    private struct Post: Encodable {
        let id: Int
        let author: String
        let post: String
    }
    private struct Posts: Encodable {
        let count: Int
        let posts: [Post]
    }
    private struct Session {
        let account: Account
        let end: Date
    }

    private var sessions: [String: Session] = [:]
    private var posts: [Post] = []

    mutating func answer(_ call: Call, door: inout Doorkeeper) -> Reply? {
        if call.isFor("POST", "/users/login") { return login(call, door: &door) }
        if call.isFor("GET", "/users/me") { return me(call) }
        if call.isFor("POST", "/users/logout") { return logout(call) }
        if call.isFor("POST", "/posts") { return publish(call) }
        if call.isFor("GET", "/posts") { return .json(200, Posts(count: posts.count, posts: posts)) }
        return nil
    }

    func living(at now: Date) -> [String: Int] { ["blog": sessions.values.count { $0.end > now }] }

    private mutating func login(_ call: Call, door: inout Doorkeeper) -> Reply {
        guard let user = call.json(User.self), let lifetime = call.lifetime(usual: 24 * 3600) else {
            return .json(400, ErrorWords(error: "a JSON object with name and password is needed"))
        }
        let who = Doorkeeper.account(named: user.name)?.name
        switch door.judge(name: user.name, password: user.password) {
        case .refused:
            return .json(401, ErrorWords(error: "invalid user name or password"), who: who)
                .with("Set-Cookie", "session=anonymous; Path=/; HttpOnly; SameSite=Lax")
        case .turnedAway(let away): return .trouble(away, who: who)
        case .accepted(let account):
            let session = Token.fresh("session")
            sessions[session] = Session(account: account, end: call.now + lifetime)
            let age = call.query["ttl"] == nil ? "" : "; Max-Age=\(Int(lifetime))"
            return .text(200, "the body of this answer says nothing", who: who)
                .with("Set-Cookie", "session=\(session); Path=/; HttpOnly; SameSite=Lax\(age)")
        }
    }

    private func me(_ call: Call) -> Reply {
        guard let account = loggedIn(call) else { return loggedOut }
        if account.trait == .suspended { return .trouble(Doorkeeper.suspended, who: account.name) }
        return .json(200, ["name": account.name], who: account.name)
    }

    private mutating func logout(_ call: Call) -> Reply {
        let who = loggedIn(call)?.name
        if let session = call.cookie("session") { sessions[session] = nil }
        return Reply(status: 204, who: who)
            .with("Set-Cookie", "session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0")
    }

    private mutating func publish(_ call: Call) -> Reply {
        guard let account = loggedIn(call), account.trait != .suspended else { return loggedOut }
        let post = Post(id: posts.count + 1, author: account.name, post: String(decoding: call.body, as: UTF8.self))
        posts.append(post)
        return .json(201, post, who: account.name)
    }

    private func loggedIn(_ call: Call) -> Account? {
        guard let value = call.cookie("session"), let session = sessions[value], session.end > call.now else {
            return nil
        }
        return session.account
    }

    private var loggedOut: Reply {
        .json(403, ErrorWords(error: "log in first"))
    }
}
