import CProcess
import Glibc
import LoginCore

/// Listens where a browser brings the response of an authorization server (RFC 8252, section 7.3).
///
/// It has no thread: whoever waits polls `descriptors`, together with what else is waited for, and has `answer` look at what came.
/// Nothing of it but `serveDone` ever blocks. Connections of other users than this one and root, who forwards ports, are closed
/// unread: another user can read what the browser was started with, and would bring a response of their own. It is closed by
/// `close`, and when it is released.
final class LoopbackListener {
    /// Where it listens; not open where another program has the port.
    let port: LoopbackPort
    private var sockets: [LoopbackSocket]
    private var connections: [LoopbackConnection] = []
    /// The page of `/done`, once there was a response to this login.
    private var ending: LoopbackPage?

    private static let mostAtOnce = 8
    /// Connections that are accepted but not judged yet.
    private static let mostInOneGo = 64
    /// For the browser to come for the last page.
    private static let donePatience = Duration.seconds(2)
    /// Ports that are drawn until both families have the same one.
    private static let mostDraws = 16

    /// Opens the port of a redirect. The host `localhost` is listened on by both families, or by the one that there is.
    /// - Throws: `failure` where there is no family at all.
    init(on redirect: LoopbackRedirect) throws(LoginFault) {
        let families: [LoopbackSocket.Family] =
            switch redirect.host {
            case .ipv4: [.ipv4]
            case .ipv6: [.ipv6]
            case .localhost: [.ipv4, .ipv6]
            }
        sockets = []
        var number = redirect.port ?? 0
        for _ in 1...Self.mostDraws where sockets.isEmpty {
            do throws(LoopbackSocket.Fault) {
                sockets = try Self.sockets(families, port: number)
                number = sockets.first?.port ?? number
            } catch .portTaken {
                if redirect.port != nil { break }
            } catch {
                throw error.loginError
            }
        }
        guard !sockets.isEmpty || redirect.port != nil else { throw LoopbackSocket.Fault.portTaken.loginError }
        port = LoopbackPort(number: number, isOpen: !sockets.isEmpty)
    }

    /// All with the same port.
    private static func sockets(
        _ families: [LoopbackSocket.Family], port: Int
    ) throws(LoopbackSocket.Fault) -> [LoopbackSocket] {
        var sockets: [LoopbackSocket] = []
        for family in families {
            do throws(LoopbackSocket.Fault) {
                sockets.append(try LoopbackSocket(family, port: sockets.first?.port ?? port))
            } catch .familyMissing {
                continue
            }
        }
        guard !sockets.isEmpty else { throw .familyMissing }
        return sockets
    }

    /// The descriptors to poll for input. Connections beyond the limit wait in the kernel.
    var descriptors: [Int32] {
        let mayAccept = connections.count < Self.mostAtOnce
        return (mayAccept ? sockets.map(\.descriptor) : []) + connections.map(\.descriptor)
    }

    /// Whether anybody could still come.
    var isListening: Bool { !sockets.isEmpty }

    /// When the next connection has taken too long.
    var due: ContinuousClock.Instant? { connections.map(\.deadline).min() }

    /// Looks at what came, and answers one request at most; more of them are there at the next call.
    /// - Returns: what the judge says; `nil` if no request is complete.
    func answer(_ judge: AuthorizationJudge) -> AuthorizationResponse? {
        accept()
        var answer: AuthorizationResponse?
        connections.removeAll { connection in
            guard answer == nil else { return false }
            switch connection.advance() {
            case .unfinished: return false
            case .over: return true
            case .malformed:
                answer = reply(.refused(.malformed), on: connection)
                return false
            case .heard(let request):
                answer = reply(judge.judge(request), on: connection, hasBody: request.method != "HEAD")
                return false
            }
        }
        return answer
    }

    /// After the response to this login: serves `/done` alone, for two seconds at most, until somebody has seen it. Returns at once
    /// where no browser brought the response.
    /// - Parameter isOver: asked a few times a second.
    func serveDone(_ judge: AuthorizationJudge, unless isOver: () -> Bool) {
        guard let ending else { return }
        let deadline = ContinuousClock.now + Self.donePatience
        var isShown = false
        while !isShown, deadline > .now, !isOver() {
            accept()
            connections.removeAll { connection in
                switch connection.advance() {
                case .unfinished: return false
                case .over: return true
                case .malformed: connection.answer(.refused(.malformed), hasBody: true)
                case .heard(let request):
                    let isDone = judge.isForDone(request)
                    connection.answer(isDone ? ending : .refused(.path), hasBody: request.method != "HEAD")
                    isShown = isShown || isDone
                }
                return false
            }
            var waiting = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if !isShown { poll(&waiting, nfds_t(waiting.count), 100) }
        }
    }

    /// Listens no more.
    func close() {
        connections = []
        sockets = []
    }

    private func reply(
        _ answer: AuthorizationResponse, on connection: LoopbackConnection, hasBody: Bool = true
    ) -> AuthorizationResponse {
        switch answer {
        case .right, .denied:
            if case .right = answer { ending = .answered } else { ending = .denied }
            connection.answer(.moved, hasBody: hasBody)
        case .refused(let forgery):
            connection.answer(.refused(forgery), hasBody: hasBody)
        case .notAnAddress:
            // Of what is pasted alone.
            break
        }
        return answer
    }

    private func accept() {
        for socket in sockets {
            for _ in 1...Self.mostInOneGo where connections.count < Self.mostAtOnce {
                let descriptor = cprocess_accept(socket.descriptor)
                if descriptor < 0, errno == EINTR || errno == ECONNABORTED { continue }
                guard descriptor >= 0 else { break }
                let connection = LoopbackConnection(descriptor)
                if Self.isOurs(descriptor) { connections.append(connection) }
            }
        }
    }

    private static func isOurs(_ descriptor: Int32) -> Bool {
        var user = uid_t()
        return cprocess_connection_user(descriptor, &user) != 0 && (user == getuid() || user == 0)
    }
}

extension LoopbackSocket.Fault {
    fileprivate var loginError: LoginFault {
        switch self {
        case .familyMissing: .failure(.system(call: "bind", errno: EADDRNOTAVAIL))
        case .portTaken: .failure(.system(call: "bind", errno: EADDRINUSE))
        case .failed(let call, let number): .failure(.system(call: call, errno: number))
        }
    }
}
