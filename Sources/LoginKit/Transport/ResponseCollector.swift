import CCurl
import Secrets

/// Collects what libcurl's callbacks deliver, within the limits.
final class ResponseCollector {
    private(set) var head: HeadCollector
    private var body: SecretBuilder?
    private let request: HTTPRequest
    private var sink: (any ResponseSink)? { request.streamedBodies?.sink }
    /// Told of each head before the sink.
    private let whenBegun: (HTTPResponse, CookieJar?) -> Void
    /// Bytes of any body that are read, and of this one.
    private let bodyLimit: Int
    private var limit: Int
    /// Bytes of it that came.
    private var count = 0
    /// Told of the first line, and when nobody needs more of the body.
    let wait: ResponseWait
    private let connection: TLSContext
    /// Whether the sink knows of the answer that is arriving.
    private var hasBegun = false
    /// Whether the request was begun, where that may be once.
    private var isSent = false
    /// Whether something is looked for in the body; `nil` until the last head is whole.
    private var isWanted: Bool?
    /// Why the rest of the body is not read.
    private(set) var unread: LoginFault?
    /// The reason for ending the transfer from here.
    private(set) var fault: LoginFault?

    /// A body that nobody needs is read nevertheless where it is this short, in bytes, and comes this soon: the connection stays open
    /// for the next request, the server sees nobody hang up, and its words can be told.
    private static let (mostUnneeded, patience) = (64 << 10, Duration.seconds(2))
    /// Seconds for which the connection of a request that may go out once may have been idle: few servers close one so soon.
    private static let longestIdle = 1

    /// - Parameters:
    ///   - request: its sink takes the body in the place of memory, without a limit.
    ///   - connection: over which the answer comes.
    ///   - whenBegun: told of each head before the sink.
    init(
        to request: HTTPRequest, at url: ParsedURL, over connection: TLSContext, limits: (head: Int, body: Int),
        whenBegun: @escaping (HTTPResponse, CookieJar?) -> Void, wait: ResponseWait
    ) {
        self.request = request
        self.connection = connection
        (bodyLimit, limit) = (limits.body, limits.body)
        self.whenBegun = whenBegun
        self.wait = wait
        head = HeadCollector(
            limit: limits.head, repeats: request.negotiates, jar: CookieJar(request.cookies, at: url))
        body = SecretBuilder(limit: limits.body)
    }

    /// Whether the response can be judged by what was read of it, or by the head alone: where that is enough, says that the server judges
    /// nothing now, or refuses, though without the words of the body.
    func isJudged(despite fault: NetworkFault) -> Bool {
        guard head.isWhole else { return false }
        let response = HTTPResponse(status: head.status)
        if sink == nil, unread != nil || isWanted == false || response.saysNothing { return true }
        // More than the limit, once it is decoded.
        if case .answerTooLarge = fault, sink == nil, request.bodyNeed != .whole { return true }
        guard fault == .connectionLost, response.isRefusal else { return false }
        return sink.map { hasBegun && $0.breakOff() } ?? true
    }

    /// The body, which is gone from here afterwards.
    func takeBody() -> Secret { body.take()?.finish() ?? Secret("") }

    /// An answer without a body has a head all the same.
    /// - Throws: `brokenResponse` or `connectionLost` for what libcurl lets pass: another protocol unasked, a head that breaks
    ///   off, and a body that may.
    func finish() throws(LoginFault) {
        try checkStatus()
        guard head.isWhole else { throw .network(.brokenResponse("it ends inside its headers")) }
        if wait.isBrokenOff { unread = unread ?? Self.endless }
        if unread == nil, mayHaveBody, head.endsWithConnection, !connection.hasEnded { throw .network(.connectionLost) }
        if let sink { try begin(sink) }
    }

    private static let endless = LoginFault.network(.brokenResponse("its body does not end"))

    private var mayHaveBody: Bool { request.method != "HEAD" && HTTPResponse.mayHaveBody(status: head.status) }

    private func checkStatus() throws(LoginFault) {
        guard head.status >= 200 || head.status == 0 else {
            throw .network(.brokenResponse("unexpected status \(head.status)"))
        }
    }

    private func begin(_ sink: any ResponseSink) throws(LoginFault) {
        if hasBegun { return }
        try checkStatus()
        hasBegun = true
        let response = HTTPResponse(status: head.status, headers: head.fields)
        whenBegun(response, head.jar)
        try sink.begin(response)
    }

    private func receiveHead(_ line: UnsafeRawBufferPointer) throws(LoginFault) {
        wait.end()
        if try head.append(line) {
            (limit, count, isWanted, unread, hasBegun) = (bodyLimit, 0, nil, nil, false)
            body = SecretBuilder(limit: limit)
            connection.answerBegins()
        }
        guard head.isLast else { return }
        // Its body may be long in coming, as that of events is.
        if let sink { try begin(sink) } else { limitBody() }
    }

    /// Decides how much of the body is read, once its head is whole; called again it does nothing.
    private func limitBody() {
        guard isWanted == nil, mayHaveBody else { return }
        let response = HTTPResponse(status: head.status, headers: head.fields)
        let isWanted = request.bodyNeed.wants(bodyOf: response)
        self.isWanted = isWanted
        if isWanted {
            if request.bodyNeed != .whole, response.isPage { limit = min(limit, HTMLFormReader.limit) }
        } else if response.isStream {
            leave(Self.endless)
        } else {
            limit = min(limit, Self.mostUnneeded)
            if response.contentLength ?? 0 > limit { return leave(.network(.answerTooLarge(limit: limit))) }
            wait.breakOff(after: Self.patience)
        }
    }

    /// Reads no more of the body.
    private func leave(_ reason: LoginFault) {
        unread = reason
        wait.breakOff(after: .zero)
    }

    private func receiveBody(_ bytes: UnsafeRawBufferPointer) throws(LoginFault) {
        if let sink {
            try begin(sink)
            return try sink.write(bytes)
        }
        // Of a 401 that might have been followed by another round of authentication, libcurl hands on the body of the last one alone.
        limitBody()
        guard unread == nil else { return }
        let room = limit - count
        count += bytes.count
        _ = body?.append(UnsafeRawBufferPointer(rebasing: bytes.prefix(room)))
        guard bytes.count > room else { return }
        let fault = LoginFault.network(.answerTooLarge(limit: limit))
        if request.bodyNeed == .whole { throw fault }
        leave(fault)
    }

    /// Has libcurl give up what it would begin anew on another connection; see CURLOPT_PREREQFUNCTION(3).
    func sendOnce(by handle: CurlHandle) throws(LoginFault) {
        try handle.set(CURLOPT_MAXAGE_CONN, Self.longestIdle)
        try handle.check(ccurl_setopt_prerequest(handle.raw, Self.begin), CURLOPT_PREREQFUNCTION)
        try handle.set(CURLOPT_PREREQDATA, pointer: Unmanaged.passUnretained(self).toOpaque())
    }

    private static let begin: curl_prereq_callback = { context, _, _, _, _ in
        guard let context else { return CURL_PREREQFUNC_ABORT }
        let collector = Unmanaged<ResponseCollector>.fromOpaque(context).takeUnretainedValue()
        if collector.isSent {
            let isOwn = collector.request.streamedBodies != nil
            collector.fault = .network(isOwn ? .unanswered(.connectionLost) : .connectionLost)
            return CURL_PREREQFUNC_ABORT
        }
        collector.isSent = true
        return CURL_PREREQFUNC_OK
    }

    /// For CURLOPT_HEADERFUNCTION.
    static let headCallback: curl_write_callback = { bytes, size, count, context in
        lend(bytes, size * count, context) { (collector, line) throws(LoginFault) in
            try collector.receiveHead(line)
        }
    }

    /// For CURLOPT_WRITEFUNCTION.
    static let bodyCallback: curl_write_callback = { bytes, size, count, context in
        lend(bytes, size * count, context) { (collector, bytes) throws(LoginFault) in
            try collector.receiveBody(bytes)
        }
    }

    /// - Returns: how many bytes there were, or -1, at which libcurl ends the transfer.
    private static func lend(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
        to receive: (ResponseCollector, UnsafeRawBufferPointer) throws(LoginFault) -> Void
    ) -> Int {
        guard let context else { return 0 }
        let collector = Unmanaged<ResponseCollector>.fromOpaque(context).takeUnretainedValue()
        do {
            try receive(collector, UnsafeRawBufferPointer(start: bytes, count: count))
            return count
        } catch {
            collector.fault = error
            return -1
        }
    }
}
