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

/// An observer of a body on its way, of a response or of a request.
package protocol TransferWatcher: AnyObject {
    /// Another body begins.
    /// - Parameter count: in bytes; `nil` if it is not known.
    func expect(_ count: Int64?)

    /// So many bytes more have come, or gone.
    func advance(by count: Int)

    /// It has ended, or nobody waits for its end any more.
    func end()
}

/// A request's body that is watched while it is sent.
private final class WatchedSource: RequestSource {
    private let source: any RequestSource
    private let watcher: any TransferWatcher

    init(_ source: any RequestSource, _ watcher: any TransferWatcher) {
        (self.source, self.watcher) = (source, watcher)
        watcher.expect(source.count)
    }

    var count: Int64? { source.count }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LoginFault) -> Int? {
        let count = try source.read(into: buffer)
        if let count, count > 0 { watcher.advance(by: count) }
        return count
    }

    func rewind() -> Bool {
        guard source.rewind() else { return false }
        watcher.expect(source.count)
        return true
    }
}

/// Where the answer to a `request` goes: on to the output as it arrives, or held for as long as it may turn out to mean
/// 'logged out'.
package final class ResponseOutput: ResponseSink {
    private let output: any ResponseReceiver
    private let includesHead: Bool
    private let mayConcern: (HTTPResponse) -> Bool
    private let progress: (any TransferWatcher)?
    private let upload: (any TransferWatcher)?
    private var head: HTTPResponse?
    private var held: Secret?
    private var builder: SecretBuilder?
    /// Whether any of this answer was handed on, so that it cannot be taken back.
    private(set) var isShown = false
    /// Whether the body of this answer breaks off.
    private(set) var isCut = false

    /// - Parameters:
    ///   - progress: watches the response.
    ///   - upload: watches a long body of the request, until the response begins.
    package init(
        _ output: any ResponseReceiver, includesHead: Bool, progress: (any TransferWatcher)?,
        upload: (any TransferWatcher)? = nil, mayConcern: @escaping (HTTPResponse) -> Bool
    ) {
        self.output = output
        self.includesHead = includesHead
        (self.progress, self.upload) = (progress, upload)
        self.mayConcern = mayConcern
    }

    /// The body of the request that the response is for.
    func watched(_ source: any RequestSource) -> any RequestSource {
        upload.map { WatchedSource(source, $0) } ?? source
    }

    func begin(_ head: HTTPResponse) throws(LoginFault) {
        self.head = head
        (held, isCut) = (nil, false)
        // A server need not wait for the rest of a body.
        upload?.end()
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
        upload?.end()
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
