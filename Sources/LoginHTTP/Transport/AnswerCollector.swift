internal import CCurl
internal import LoginCore
internal import Secrets

/// What libcurl's callbacks bring, within the limits.
final class AnswerCollector {
    private var head: HeadCollector
    private var body: SecretBuilder?
    private let sink: (any ResponseSink)?
    private let limits: (head: Int, body: Int)
    private var status = 0
    /// Whether the sink knows of the answer that is arriving.
    private var hasBegun = false
    /// Why the transfer was ended from here.
    private(set) var fault: LoginError?

    /// - Parameter sink: takes the body in the place of memory, without a limit.
    init(headerLimit: Int, bodyLimit: Int, sink: (any ResponseSink)? = nil) {
        limits = (headerLimit, bodyLimit)
        self.sink = sink
        head = HeadCollector(limit: headerLimit)
        body = SecretBuilder(limit: bodyLimit)
    }

    var fields: [HTTPResponseField] { head.fields }
    var cookieCount: Int { head.cookieCount }

    /// The body, which is gone from here afterwards.
    func takeBody() -> Secret { body.take()?.finish() ?? Secret("") }

    /// An answer without a body has a head all the same.
    /// - Throws: `brokenAnswer` for what libcurl lets pass: a length that it cannot hold, and another protocol unasked.
    func finish() throws(LoginError) {
        let lengths = head.fields.filter { $0.name.lowercased() == "content-length" }
        guard lengths.allSatisfy({ Int64($0.value) != nil }) else {
            throw .network(.brokenAnswer("its Content-Length is no number of bytes"))
        }
        guard status >= 200 || status == 0 else {
            throw .network(.brokenAnswer("it has status \(status), which was not asked for"))
        }
        if let sink { try begin(sink) }
    }

    private func begin(_ sink: any ResponseSink) throws(LoginError) {
        if hasBegun { return }
        hasBegun = true
        try sink.begin(HTTPResponse(status: status, headers: head.fields))
    }

    private func receiveHead(_ line: UnsafeRawBufferPointer) -> Bool {
        do throws(HeadCollector.TooLarge) {
            if try head.append(line) {
                body = SecretBuilder(limit: limits.body)
                (status, hasBegun) = (Self.status(of: line), false)
            }
            return true
        } catch {
            fault = .network(.answerTooLarge(limit: limits.head))
            return false
        }
    }

    /// `HTTP/1.1 200 OK`: libcurl has read it before.
    private static func status(of line: UnsafeRawBufferPointer) -> Int {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        return words.count > 1 ? Int(String(decoding: words[1].prefix(3), as: UTF8.self)) ?? 0 : 0
    }

    private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do throws(LoginError) {
            if let sink {
                try begin(sink)
                try sink.write(bytes)
            } else {
                try keep(bytes)
            }
            return true
        } catch {
            fault = error
            return false
        }
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) throws(LoginError) {
        do throws(SecretBuilder.LimitExceeded) {
            try body?.append(bytes)
        } catch {
            throw .network(.answerTooLarge(limit: limits.body))
        }
    }

    /// For CURLOPT_HEADERFUNCTION.
    static let headCallback: curl_write_callback = { bytes, size, count, context in
        lend(bytes, size * count, context) { $0.receiveHead($1) }
    }

    /// For CURLOPT_WRITEFUNCTION.
    static let bodyCallback: curl_write_callback = { bytes, size, count, context in
        lend(bytes, size * count, context) { $0.receiveBody($1) }
    }

    /// - Returns: how many bytes were taken; libcurl ends the transfer if it is less than there were.
    private static func lend(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
        to receive: (AnswerCollector, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard let context else { return 0 }
        let collector = Unmanaged<AnswerCollector>.fromOpaque(context).takeUnretainedValue()
        return receive(collector, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : -1
    }
}
