/// A body of a request that is read while it is sent.
public protocol RequestSource: AnyObject {
    /// In bytes; nothing where only the end will tell.
    var count: Int64? { get }

    /// - Returns: how many bytes were put into `buffer`; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LoginError) -> Int

    /// Goes back to the beginning, to be read once more.
    /// - Returns: whether it can.
    func rewind() -> Bool
}

/// Takes an answer while it arrives.
public protocol ResponseSink: AnyObject {
    /// An answer begins. Another one may have begun before, which has asked for another round of authentication.
    /// - Parameter head: without a body, and without cookies, which are known at the end alone.
    func begin(_ head: HTTPResponse) throws(LoginError)

    func write(_ bytes: UnsafeRawBufferPointer) throws(LoginError)
}

/// How the bodies of one request and of its answer pass through, in pieces: whatever their size, no more than a piece of them
/// is in memory.
public final class Passage {
    public let source: (any RequestSource)?
    public let sink: any ResponseSink

    public init(source: (any RequestSource)? = nil, sink: any ResponseSink) {
        self.source = source
        self.sink = sink
    }
}

extension Passage: Equatable {
    public static func == (left: Passage, right: Passage) -> Bool { left === right }
}
