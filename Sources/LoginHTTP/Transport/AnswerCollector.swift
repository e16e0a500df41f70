internal import CCurl
internal import LoginCore
internal import Secrets

/// What libcurl's callbacks bring, within the limits.
final class AnswerCollector {
    private var head: HeadCollector
    private var body: SecretBuilder?
    private let limits: (head: Int, body: Int)
    /// Which limit was passed, when the transfer was ended for it.
    private(set) var fault: NetworkFault?

    init(headerLimit: Int, bodyLimit: Int) {
        limits = (headerLimit, bodyLimit)
        head = HeadCollector(limit: headerLimit)
        body = SecretBuilder(limit: bodyLimit)
    }

    var fields: [HTTPResponseField] { head.fields }
    var cookieCount: Int { head.cookieCount }

    /// The body, which is gone from here afterwards.
    func takeBody() -> Secret { body.take()?.finish() ?? Secret("") }

    private func receiveHead(_ line: UnsafeRawBufferPointer) -> Bool {
        do throws(HeadCollector.TooLarge) {
            if try head.append(line) { body = SecretBuilder(limit: limits.body) }
            return true
        } catch {
            fault = .answerTooLarge(limit: limits.head)
            return false
        }
    }

    private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do throws(SecretBuilder.LimitExceeded) {
            try body?.append(bytes)
            return true
        } catch {
            fault = .answerTooLarge(limit: limits.body)
            return false
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
