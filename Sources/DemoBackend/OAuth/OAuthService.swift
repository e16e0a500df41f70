import Foundation

/// A browser login, a device login, and a login with nothing configured: an authorization server, and two services that
/// take its access tokens.
struct OAuthService: Service {
    static let routes = AuthorizationServer.routes + NotesService.routes + TelevisionService.routes

    private var server = AuthorizationServer()
    private var notes = NotesService()
    private let television = TelevisionService()

    mutating func answer(_ call: Call, door: inout Doorkeeper) -> Reply? {
        server.answer(call, door: &door) ?? notes.answer(call, server.tokens) ?? television.answer(call, server.tokens)
    }

    func living(at now: Date) -> [String: Int] {
        ["grants": server.tokens.living(at: now), "clients": server.clients.registeredCount]
    }

    mutating func expire(_ call: Call, youngest: TimeInterval) {
        if let token = call.bearer { server.tokens.expire(access: token, youngest: youngest, now: call.now) }
    }
}
