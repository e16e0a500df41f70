import Glibc
import Secrets

/// A request of the person's own on its way: sent once or more, and its answer handed on.
package struct OutgoingRequest {
    let message: HTTPRequest
    let body: RequestContent
    package let output: ResponseOutput
    /// The URL of the page whose form is sent; `nil` for a request that comes from no page.
    let page: String?
    /// Says something about it, unless the person wants quiet.
    package let say: (String) -> Void
    /// The size of the pieces in which a body is copied, in bytes; `nil` for the usual.
    var pieceSize: Int?
    /// Whether the head may be sent ahead of a long body, see `probe`.
    var mayProbe = true

    package init(
        message: HTTPRequest, body: RequestContent, output: ResponseOutput, page: String? = nil,
        say: @escaping (String) -> Void = { _ in }
    ) {
        (self.message, self.body, self.output, self.page, self.say) = (message, body, output, page, say)
    }

    /// - Parameter session: `nil` if none is sent.
    package func send(
        over service: Service, with session: Session?, username: String
    ) throws(LoginFault) -> Service.Relayed {
        service.result.proved = nil
        let relayed = try sendOnce(over: service, with: session, username: username)
        guard !output.isShown, try service.learnsCSRF(from: relayed, body: output.heldBody()) else { return relayed }
        // Without the value the service has done nothing: this is the same request, not another one.
        guard body.isRepeatable else {
            try handOn()
            throw .failure(.bodyNotRepeatable)
        }
        let next = try service.proved(relayed, after: session, username: username)
        return try sendOnce(over: service, with: next, username: username)
    }

    private func sendOnce(
        over service: Service, with session: Session?, username: String
    ) throws(LoginFault) -> Service.Relayed {
        var request = message
        var bodies = StreamedBodies(sink: output)
        switch body {
        case .none: break
        case .kept(let bytes): request.body = bytes
        case .streamed(let source, _):
            guard source.rewind() else { throw .failure(.bodyNotRepeatable) }
            bodies = StreamedBodies(source: output.watched(source), sink: output)
        }
        var session = session
        if let page { session = try service.fill(&request, fromPage: page, with: session, username: username) }
        if let pieceSize { bodies.pieceSize = pieceSize }
        request.streamedBodies = bodies
        do {
            return try service.relay(request, with: session, username: username)
        } catch {
            if output.isShown, case .network = error { sayIncomplete() }
            throw error
        }
    }

    /// Asks as an anonymous client for the head alone, so that a long body is not sent only to be refused.
    func probe(over service: Service, space: VerifiedSpace?) throws(LoginFault) -> RelayJudgement {
        let headers = message.headers.filter { !$0.name.lowercased().hasPrefix("content-") }
        let head = HTTPRequest(method: "HEAD", url: message.url, headers: headers)
        let relayed = try service.relay(head, with: nil, username: "")
        return try service.judge(relayed, body: nil, space: space)
    }

    /// Judges what the response says about the session.
    func judge(
        _ relayed: Service.Relayed, by service: Service, space: VerifiedSpace?
    ) throws(LoginFault) -> RelayJudgement {
        let held = output.heldBody()
        if held == nil && output.isShown && !relayed.response.isRefusal { return .passed }
        return try service.judge(relayed, body: held, space: space)
    }

    /// Whether a session is sent before the server has asked for it.
    func sendsAhead(_ carried: CarriedSession) throws(LoginFault) -> Bool {
        guard let session = carried.session else { return true }
        for url in [page, message.url].compactMap(\.self) {
            guard try carried.service.mayBeSentAhead(session, to: url, in: carried.space) else { return false }
        }
        return true
    }

    /// Refuses to send it once more where that cannot be.
    func checkRepeatable() throws(LoginFault) {
        // What was shown already cannot be taken back, and two answers are none.
        guard !output.isShown else { throw .loginRequired(LoginNeed(why: .sessionRefused)) }
        guard body.isRepeatable else { throw .failure(.bodyNotRepeatable) }
    }

    /// The server wants a login to another realm than the one of the session.
    func otherRealm(_ realm: String, than space: VerifiedSpace?) -> LoginFault {
        let url = String(message.url.prefix { $0 != "?" })
        return .loginRequired(LoginNeed(why: .otherRealm(realm, of: url, login: space?.realm ?? "")))
    }

    /// Hands on what is held of the answer.
    package func handOn() throws(LoginFault) {
        try output.release()
        if output.isCut { sayIncomplete() }
        try output.finish()
    }

    private func sayIncomplete() { say("the response above is incomplete") }
}

/// The body of a request.
package enum RequestContent {
    case none
    /// Can be sent again.
    case kept(Secret)
    case streamed(any RequestSource, isRepeatable: Bool)

    /// Whether it can be sent once more; one that is read as it is sent then begins again.
    var isRepeatable: Bool {
        switch self {
        case .none, .kept: true
        case .streamed(let source, let isRepeatable): isRepeatable && source.rewind()
        }
    }

    /// Whether it is too long to be sent in vain.
    var isLong: Bool { if case .streamed = self { true } else { false } }
}

/// A body that is read from a file while it is sent.
package final class FileSource: RequestSource {
    package let count: Int64?
    private let descriptor: Descriptor
    private let state: FileState

    /// - Parameters:
    ///   - descriptor: of a regular file, at its beginning; closed with this.
    ///   - state: in which it was found.
    package init(_ descriptor: Int32, _ state: FileState) {
        self.descriptor = Descriptor(descriptor)
        self.state = state
        count = state.size
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(LoginFault) -> Int? {
        try readSome(descriptor.number, into: buffer, within: nil)
    }

    /// A file that has changed is another body.
    package func rewind() -> Bool {
        FileState(descriptor.number) == state && lseek(descriptor.number, 0, SEEK_SET) == 0
    }
}

/// The facts that show whether a regular file has changed.
package struct FileState: Equatable {
    /// In bytes.
    package let size: Int64
    private let changed: [Int]

    /// - Returns: `nil` for what is no regular file.
    package init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        size = Int64(status.st_size)
        changed = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }
}

/// A body from a pipe that turned out longer than what is kept of it: it can be sent once.
package final class PipeSource: RequestSource {
    package let count: Int64? = nil
    private let beginning: Secret
    private let descriptor: Descriptor
    private let patience: Int?
    private var done = 0
    /// Whether anything that is not kept was read.
    private var isPast = false

    /// - Parameters:
    ///   - descriptor: closed with this.
    ///   - patience: how long one wait may take, in seconds; `nil` for as long as it takes.
    package init(_ beginning: Secret, then descriptor: Int32, patience: Int?) {
        self.beginning = beginning
        self.descriptor = Descriptor(descriptor)
        self.patience = patience
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(LoginFault) -> Int? {
        guard done < beginning.count else {
            isPast = true
            return try readSome(descriptor.number, into: buffer, within: patience)
        }
        let piece = min(buffer.count, beginning.count - done)
        beginning.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[done..<done + piece])) }
        done += piece
        return piece
    }

    package func rewind() -> Bool {
        if isPast { return false }
        done = 0
        return true
    }
}

/// - Returns: 0 at the end.
private func readSome(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, within seconds: Int?
) throws(LoginFault) -> Int {
    let count = buffer.readSome(from: descriptor, within: seconds)
    if count < 0, errno == ETIMEDOUT, let seconds {
        throw .failure("nothing came from the pipe of the body for \(seconds) seconds")
    }
    guard count >= 0 else { throw .failure(.system(call: "read", errno: errno)) }
    return count
}
