import CCurl
import Secrets

/// Collects what libcurl's callbacks deliver, within the limits.
final class ResponseCollector {
    private(set) var head: HeadCollector
    private var body: SecretBuilder?
    private let sink: (any ResponseSink)?
    /// Told of each head before the sink.
    private let whenBegun: (HTTPResponse, _ cookieNames: [String]) -> Void
    private let bodyLimit: Int
    /// Told of the first line.
    let wait: ResponseWait
    private let connection: TLSContext
    /// Whether the sink knows of the answer that is arriving.
    private var hasBegun = false
    /// The reason for ending the transfer from here.
    private(set) var fault: LoginFault?

    /// - Parameters:
    ///   - connection: over which the answer comes.
    ///   - sink: takes the body in the place of memory, without a limit.
    ///   - whenBegun: told of each head before the sink.
    ///   - repeats: as for `HeadCollector`.
    init(
        over connection: TLSContext, limits: (head: Int, body: Int), sink: (any ResponseSink)?,
        whenBegun: @escaping (HTTPResponse, _ cookieNames: [String]) -> Void, repeats: Bool, wait: ResponseWait
    ) {
        self.connection = connection
        bodyLimit = limits.body
        self.sink = sink
        self.whenBegun = whenBegun
        self.wait = wait
        head = HeadCollector(limit: limits.head, repeats: repeats)
        body = SecretBuilder(limit: limits.body)
    }

    /// Whether the head alone, which is whole, says that the server judges nothing now, whatever has become of the body.
    var judgesNothing: Bool { sink == nil && head.isWhole && HTTPResponse(status: head.status).saysNothing }
    /// Whether the head alone, which is whole, says that the server refuses: what its body would have said is not needed.
    var refusesByHead: Bool {
        guard head.isWhole, HTTPResponse(status: head.status).isRefusal else { return false }
        return sink.map { hasBegun && $0.breakOff() } ?? true
    }
    /// Whether any part of a response arrived.
    var hasBegunHead: Bool { head.status > 0 }

    /// The body, which is gone from here afterwards.
    func takeBody() -> Secret { body.take()?.finish() ?? Secret("") }

    /// An answer without a body has a head all the same.
    /// - Parameter method: HEAD has no body to be cut.
    /// - Throws: `brokenResponse` or `connectionLost` for what libcurl lets pass: another protocol unasked, a head that breaks
    ///   off, and a body that may.
    func finish(_ method: String) throws(LoginFault) {
        try checkStatus()
        guard head.isWhole else { throw .network(.brokenResponse("it ends inside its headers")) }
        if method != "HEAD", head.endsWithConnection, !connection.hasEnded { throw .network(.connectionLost) }
        if let sink { try begin(sink) }
    }

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
        whenBegun(response, head.cookieNames)
        try sink.begin(response)
    }

    private func receiveHead(_ line: UnsafeRawBufferPointer) throws(LoginFault) {
        wait.end()
        if try head.append(line) {
            body = SecretBuilder(limit: bodyLimit)
            hasBegun = false
            connection.answerBegins()
        }
        // Its body may be long in coming, as that of events is.
        if let sink, head.isLast { try begin(sink) }
    }

    private func receiveBody(_ bytes: UnsafeRawBufferPointer) throws(LoginFault) {
        if let sink {
            try begin(sink)
            return try sink.write(bytes)
        }
        guard body?.append(bytes) != false else { throw .network(.answerTooLarge(limit: bodyLimit)) }
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
