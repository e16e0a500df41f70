/// A connection on which a request has asked to go on in another protocol (RFC 9110, section 7.8): from then on bytes both ways,
/// without waiting.
package protocol Tunnel: AnyObject {
    /// The head of the answer: 101, or that of a server that goes on in HTTP.
    var response: HTTPResponse { get }

    /// Tells when there is something to read, or room to write.
    var descriptor: Int32 { get }

    /// - Returns: how many bytes were taken; 0 where there is no room now.
    func send(_ bytes: UnsafeRawBufferPointer) throws(LoginFault) -> Int

    /// - Returns: how many bytes came; `nil` if there are none now, 0 at the end.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(LoginFault) -> Int?
}
