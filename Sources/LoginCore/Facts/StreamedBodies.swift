/// A body of a request that is read while it is sent.
package protocol RequestSource: AnyObject {
    /// In bytes; `nil` if only the end will tell.
    var count: Int64? { get }

    /// - Returns: how many bytes were put into `buffer`; 0 at the end, nothing where more is yet to come: to be asked again.
    /// - Throws: why the rest of it cannot be had; the request ends there.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LoginFault) -> Int?

    /// Goes back to the beginning, to be read once more.
    /// - Returns: whether it can.
    func rewind() -> Bool
}

/// Takes an answer while it arrives.
package protocol ResponseSink: AnyObject {
    /// An answer begins. Another one may have begun before, which has asked for another round of authentication.
    /// - Parameter head: without a body, and without cookies, which are known at the end alone.
    func begin(_ head: HTTPResponse) throws(LoginFault)

    /// Takes the next piece of its body.
    /// - Throws: why it cannot be taken; the transfer ends there.
    func write(_ bytes: UnsafeRawBufferPointer) throws(LoginFault)

    /// The body breaks off.
    /// - Returns: whether the head is enough to go on with. What there is of the body is then passed on as incomplete, if at all.
    func breakOff() -> Bool
}

extension ResponseSink {
    package func breakOff() -> Bool { false }
}

/// Streams the bodies of one request and of its response: whatever their size, no more than a piece of them is in
/// memory.
package final class StreamedBodies {
    /// The source of the request's body; `nil` if there is none, or it is in memory.
    package let source: (any RequestSource)?
    /// Where the answer goes.
    package let sink: any ResponseSink
    /// The size of one read, in bytes: large, for fewer system calls.
    package var pieceSize = 512 << 10

    /// For one request; sending it once more, the sink is told that an answer begins.
    package init(source: (any RequestSource)? = nil, sink: any ResponseSink) {
        self.source = source
        self.sink = sink
    }
}

extension StreamedBodies: Equatable {
    package static func == (left: StreamedBodies, right: StreamedBodies) -> Bool { left === right }
}
