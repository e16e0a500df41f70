import LoginCore

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
        do throws(JSONFault) {
            guard case .object(let members) = try JSONReader.read(bytes) else { return }
            if case .integer(let id)? = members["id"] {
                self = .answer(id: id, result: members["error"] == nil ? members["result"] : nil)
            } else if case .string(let method)? = members["method"], case .object(let event)? = members["params"] {
                let session: String? = if case .string(let name)? = members["sessionId"] { name } else { nil }
                self = Self.event(method, event, session)
            }
        } catch {
            return
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
