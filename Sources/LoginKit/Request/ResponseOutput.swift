import Glibc
import Secrets

/// The receiver of a response's bytes.
package protocol ResponseReceiver: AnyObject {
    /// The body of an answer begins that is not taken back any more; its head was written where that is wanted.
    func begin(_ head: HTTPResponse) throws(LoginFault)

    func write(_ bytes: UnsafeRawBufferPointer) throws(LoginFault)

    /// The response is complete, with or without a body.
    func finish() throws(LoginFault)

    /// Ends the output, whether a response has come or not.
    func close()
}

extension ResponseReceiver {
    /// Only the body is wanted.
    func begin(_ head: HTTPResponse) throws(LoginFault) {}
}

/// An observer of an arriving response.
package protocol TransferWatcher: AnyObject {
    /// Another body begins.
    /// - Parameter count: in bytes; `nil` if it is not known.
    func expect(_ count: Int64?)

    /// So many bytes more have come.
    func advance(by count: Int)

    /// The response has ended.
    func end()
}

/// Where the answer to a `request` goes: on to the output as it arrives, or held for as long as it may turn out to mean
/// 'logged out'.
package final class ResponseOutput: ResponseSink {
    private let output: any ResponseReceiver
    private let includesHead: Bool
    private let mayConcern: (HTTPResponse) -> Bool
    private let progress: (any TransferWatcher)?
    private var head: HTTPResponse?
    private var held: Secret?
    private var builder: SecretBuilder?
    /// Whether any of this answer was handed on, so that it cannot be taken back.
    private(set) var isShown = false
    /// Whether the body of this answer breaks off.
    private(set) var isCut = false

    package init(
        _ output: any ResponseReceiver, includesHead: Bool, progress: (any TransferWatcher)?,
        mayConcern: @escaping (HTTPResponse) -> Bool
    ) {
        self.output = output
        self.includesHead = includesHead
        self.progress = progress
        self.mayConcern = mayConcern
    }

    func begin(_ head: HTTPResponse) throws(LoginFault) {
        self.head = head
        (held, isCut) = (nil, false)
        progress?.expect(head.contentLength)
        if mayConcern(head), (head.contentLength ?? 0) <= ServiceClient.heldLimit {
            builder = SecretBuilder(limit: ServiceClient.heldLimit)
        } else {
            builder = nil
            try show(head)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(LoginFault) {
        progress?.advance(by: bytes.count)
        guard let room = builder?.room else { return try output.write(bytes) }
        if bytes.count <= room {
            builder?.append(bytes)
        } else {
            try release()
            try output.write(bytes)
        }
    }

    func breakOff() -> Bool {
        isCut = builder != nil && head?.isRefusal == true
        return isCut
    }

    /// Returns the held body, once it is complete; `nil` if it was handed on, or breaks off.
    func heldBody() -> Secret? { isCut ? nil : takeHeld() }

    private func takeHeld() -> Secret? {
        if let builder = builder.take() { held = builder.finish() }
        return held
    }

    /// Hands on what is held: it is the answer that the person gets.
    func release() throws(LoginFault) {
        guard let body = takeHeld(), let head else { return }
        held = nil
        try show(head)
        try body.withUnsafeBytes { (bytes) throws(LoginFault) in try output.write(bytes) }
    }

    /// Ends the output, if a whole answer has come.
    func finish() throws(LoginFault) {
        progress?.end()
        if head != nil, !isCut { try output.finish() }
    }

    /// Frees the terminal's line for what is said next, whether a response has come or not.
    package func close() {
        progress?.end()
        output.close()
    }

    private func show(_ head: HTTPResponse) throws(LoginFault) {
        isShown = true
        if includesHead { try write(head) }
        try output.begin(head)
    }

    private func write(_ head: HTTPResponse) throws(LoginFault) {
        var text = "HTTP/1.1 \(head.status)\r\n"
        for field in head.headers { text += "\(field.name): \(field.value)\r\n" }
        text += "\r\n"
        try Array(text.utf8).lend { (bytes) throws(LoginFault) in try output.write(bytes) }
    }
}
