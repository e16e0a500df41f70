import Secrets

/// One request of a command on its way: out with the session, and once more, the same, with a refreshed one if the answer means
/// that there was none.
struct ServedRequest {
    let call: ServerCall
    let session: ServedSession
    let service: Service
    let profile: Profile
    let endpoint: ServiceEndpoint
    let headers: ServedHeaders
    /// Whether its head may be sent ahead of a long body.
    var mayProbe = true
    /// Whether what the service answers to GET may be shown to whoever asked for a WebSocket.
    var mayShowPlain = true

    func relay(_ answer: ServedResponse) throws(LoginFault) {
        let lent = try session.lend()
        let outgoing = try outgoing(to: answer)
        _ = try session.send(outgoing, with: lent, over: service) { answer.hidden = $0 }
        try outgoing.handOn()
        session.settle()
    }

    private func outgoing(to answer: ServedResponse) throws(LoginFault) -> OutgoingRequest {
        var message = HTTPRequest(
            method: call.head.method, url: endpoint.origin.description + call.target,
            headers: headers.sent(call.head.fields))
        // libcurl's own, which the command has not asked for.
        for name in ["Accept", "Accept-Encoding"] where !call.head.fields.contains(where: { $0.hasName(name) }) {
            message.withoutHeaders.append(name)
        }
        var outgoing = OutgoingRequest(
            message: message, body: try content(),
            output: ResponseOutput(answer, includesHead: false, progress: nil, mayConcern: profile.mayConcern))
        // What is copied on at once should still be in the processor's cache.
        outgoing.pieceSize = 256 << 10
        outgoing.mayProbe = mayProbe
        return outgoing
    }

    private func content() throws(LoginFault) -> RequestContent {
        guard call.head.contentLength != 0, call.head.method != "HEAD" else { return .none }
        let isShort = call.head.contentLength.map { $0 <= ServedSource.limit } ?? false
        if isShort || !profile.sessionRule.form.isEmpty || !profile.sessionRule.json.isEmpty {
            return .kept(try ServedSource.all(of: call.body))
        }
        return .streamed(ServedSource(call.body, count: call.head.contentLength), isRepeatable: true)
    }
}

/// The body of a request that is sent on while it comes in. Its beginning is kept, so that it can be sent again as long as that
/// is all of it.
final class ServedSource: RequestSource {
    /// The largest beginning that is kept, in bytes.
    static let limit = 1 << 20
    /// Milliseconds that more is waited for before the transfer pauses; to go on may take as long again.
    private static let patience = 20

    let count: Int64?
    private let pipe: BytePipe
    private var beginning = Secret("")
    /// The bytes of the beginning that were read since the last rewind.
    private var place = 0
    /// Collects what is read behind it; `nil` once that was too much.
    private var builder: SecretBuilder?
    /// Whether there was nothing the last time: then nothing is waited for, since an answer may be on its way meanwhile.
    private var isIdle = false

    /// - Parameter count: in bytes; `nil` if only the end will tell.
    init(_ pipe: BytePipe, count: Int64?) {
        (self.pipe, self.count) = (pipe, count)
        builder = SecretBuilder(limit: Self.limit)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LoginFault) -> Int? {
        if place < beginning.count {
            let most = min(buffer.count, beginning.count - place)
            beginning.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[place..<place + most]))
            }
            place += most
            return most
        }
        // The service may have answered: it is heard while the command pauses.
        isIdle = !pipe.isReady(within: isIdle ? 0 : Self.patience)
        if isIdle { return nil }
        guard let read = pipe.read(into: buffer) else { throw .cancelled }
        if builder?.append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<read])) == false {
            builder = nil
            (beginning, place) = (Secret(""), 0)
        }
        return read
    }

    func rewind() -> Bool {
        guard let more = builder.take()?.finish() else { return false }
        (beginning, place) = (Secret(joining: [beginning, more]), 0)
        builder = SecretBuilder(limit: max(Self.limit - beginning.count, 0))
        return true
    }

    /// All of a body that is not to be longer than what is kept.
    static func all(of pipe: BytePipe) throws(LoginFault) -> Secret {
        var builder = SecretBuilder(limit: limit)
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 1)
        defer { piece.deallocate() }
        while true {
            guard let read = pipe.read(into: piece) else { throw .cancelled }
            let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(piece)[..<read])
            guard builder.append(bytes), !bytes.isEmpty else { break }
        }
        guard let body = builder.finish() else {
            throw .usage("the session adds to this body, which is too long for that; at most 1 MiB is held")
        }
        return body
    }
}
