// Its header is what names the constants of sockets, too.
import CProcess
import Glibc

/// The two ways of the Chrome DevTools Protocol, each a socket: a pipe could be opened by any other process of the user through
/// `/proc/PID/fd`, and a socket cannot. Each message is JSON with a NUL at its end.
final class DevToolsChannel {
    private let reading: Descriptor
    private let writing: Descriptor
    private var pending: [UInt8] = []
    /// Up to here no NUL is in `pending`.
    private var searched = 0
    private var lastID: Int64 = 0

    /// The browser has ended, or does not keep to the protocol.
    enum Fault: Error { case ended, broken }

    /// Makes both ways.
    /// - Returns: nothing where the system gives no sockets; the browser's ends are the caller's to close.
    static func make() -> (channel: DevToolsChannel, reads: Int32, writes: Int32)? {
        var down: [Int32] = [-1, -1], up: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &down) == 0 else { return nil }
        guard socketpair(AF_UNIX, kind, 0, &up) == 0 else {
            close(down[0])
            close(down[1])
            return nil
        }
        return (DevToolsChannel(reading: up[0], writing: down[0]), down[1], up[1])
    }

    init(reading: Int32, writing: Int32) {
        self.reading = Descriptor(reading)
        self.writing = Descriptor(writing)
    }

    /// Readable when there is more, for poll(2).
    var descriptor: Int32 { reading.number }

    /// Sends a command.
    /// - Returns: its number, which its answer has.
    func send(_ command: DevToolsCommand, to session: String? = nil) throws(Fault) -> Int64 {
        lastID += 1
        var message = JSONText()
        message.add("id", lastID)
        message.add("method", command.method)
        message.add("params", command.parameters)
        if let session { message.add("sessionId", session) }
        var rest = Array(message.finished.utf8)[...] + [0]
        while !rest.isEmpty {
            var ready = pollfd(fd: writing.number, events: Int16(POLLOUT), revents: 0)
            guard poll(&ready, 1, Self.patience) > 0 else { throw .broken }
            let sent = rest.withUnsafeBytes { Glibc.send(writing.number, $0.baseAddress, $0.count, Self.flags) }
            if sent < 0, errno == EAGAIN || errno == EINTR { continue }
            guard sent > 0 else { throw .ended }
            rest = rest.dropFirst(sent)
        }
        return lastID
    }

    /// Raises no signal, and does not wait.
    private static let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)

    /// In milliseconds, for the browser to take a command that is a few hundred bytes long.
    private static let patience: Int32 = 2000
    /// In bytes.
    private static let mostAtOnce = 1 << 20

    /// Returns the messages that have arrived, without waiting.
    func received() throws(Fault) -> [DevToolsMessage] {
        var messages: [DevToolsMessage] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        var budget = Self.mostAtOnce
        while true {
            let got = chunk.withUnsafeMutableBytes { recv(reading.number, $0.baseAddress, $0.count, Self.flags) }
            if got < 0, errno == EINTR { continue }
            if got < 0, errno == EAGAIN { return messages }
            guard got > 0 else {
                // What it said last counts.
                if messages.isEmpty { throw .ended }
                return messages
            }
            pending += chunk[..<got]
            messages += try whole()
            // Whoever writes without end must not keep the caller from its deadline.
            budget -= got
            if budget <= 0 { return messages }
        }
    }

    /// Takes the whole messages out of what has come.
    private func whole() throws(Fault) -> [DevToolsMessage] {
        var messages: [DevToolsMessage] = [], start = 0
        while let end = pending[searched...].firstIndex(of: 0) {
            messages.append(
                pending.withUnsafeBytes { DevToolsMessage(UnsafeRawBufferPointer(rebasing: $0[start..<end])) })
            (start, searched) = (end + 1, end + 1)
        }
        pending.removeSubrange(..<start)
        searched = pending.count
        guard searched <= DevToolsMessage.longest else { throw .broken }
        return messages
    }
}

/// The commands of the Chrome DevTools Protocol that are ever sent to a browser.
enum DevToolsCommand {
    /// Get the browser's product and its user agent.
    case version
    /// Report its pages from now on.
    case discover
    /// Open a session to a page.
    case attach(page: String)
    /// Get the cookies that it would send to one URL. `Storage.getCookies` would bring those of every origin.
    case cookies(url: String)
    /// Pause each request of a page's scripts to this origin.
    case pause(Origin)
    /// Send a paused request, unchanged.
    case proceed(request: String)
    case close

    var method: String {
        switch self {
        case .version: "Browser.getVersion"
        case .discover: "Target.setDiscoverTargets"
        case .attach: "Target.attachToTarget"
        case .cookies: "Network.getCookies"
        case .pause: "Fetch.enable"
        case .proceed: "Fetch.continueRequest"
        case .close: "Browser.close"
        }
    }

    var parameters: JSONText {
        var parameters = JSONText()
        switch self {
        case .version, .close: break
        case .discover: parameters.add("discover", true)
        case .attach(let page):
            parameters.add("targetId", page)
            parameters.add("flatten", true)
        case .cookies(let url): parameters.add("urls", [url])
        case .pause(let origin):
            // Of scripts alone: a form that is sent may have a password in it.
            let patterns = ["XHR", "Fetch"].map { kind in
                var pattern = JSONText()
                pattern.add("urlPattern", "\(origin)/*")
                pattern.add("resourceType", kind)
                pattern.add("requestStage", "Request")
                return pattern
            }
            parameters.add("patterns", patterns)
        case .proceed(let request): parameters.add("requestId", request)
        }
        return parameters
    }
}

/// A message of the Chrome DevTools Protocol, as far as it is of use here; everything else is passed over.
enum DevToolsMessage: Equatable {
    /// The answer to a command, by its number; nothing for an error.
    case answer(id: Int64, result: JSONValue?)
    /// A page was opened, or its URL or title changed.
    case page(id: String, url: String)
    /// The session with a page was opened.
    case attached(session: String, page: String)
    /// A page waits to send a request.
    case paused(session: String, request: String, url: String, headers: [String: JSONValue])
    /// A page has been closed.
    case closed(id: String)
    /// Something else.
    case other

    /// In bytes.
    static let longest = 8 << 20

    /// Reads one message, without the NUL at its end. What cannot be read is passed over, too: a page chooses its own title.
    init(_ bytes: UnsafeRawBufferPointer) {
        self = .other
        guard let members = JSONReader.members(bytes) else { return }
        if case .integer(let id)? = members["id"] {
            self = .answer(id: id, result: members["error"] == nil ? members["result"] : nil)
        } else if case .string(let method)? = members["method"], case .object(let event)? = members["params"] {
            let session: String? = if case .string(let name)? = members["sessionId"] { name } else { nil }
            self = Self.event(method, event, session)
        }
    }

    private static func event(
        _ method: String, _ event: [String: JSONValue], _ session: String?
    ) -> DevToolsMessage {
        switch method {
        case "Target.targetCreated", "Target.targetInfoChanged":
            guard case .object(let info)? = event["targetInfo"], info["type"] == .string("page"),
                case .string(let id)? = info["targetId"], case .string(let url)? = info["url"]
            else { return .other }
            return .page(id: id, url: url)
        case "Target.targetDestroyed":
            guard case .string(let id)? = event["targetId"] else { return .other }
            return .closed(id: id)
        case "Target.attachedToTarget":
            guard case .string(let session)? = event["sessionId"], case .object(let info)? = event["targetInfo"],
                case .string(let page)? = info["targetId"]
            else { return .other }
            return .attached(session: session, page: page)
        case "Fetch.requestPaused":
            guard let session, case .string(let id)? = event["requestId"],
                case .object(let request)? = event["request"],
                case .string(let url)? = request["url"], case .object(let headers)? = request["headers"]
            else { return .other }
            return .paused(session: session, request: id, url: url, headers: headers)
        default: return .other
        }
    }
}
