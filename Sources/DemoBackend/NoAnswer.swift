import FlyingFox
import FlyingSocks

/// Closes the connection before a byte of an answer is sent. What FlyingFox offers for that is a change of protocol that
/// fails.
struct NoAnswer: WSHandler {
    func makeFrames(for client: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
        throw SocketError.disconnected
    }
}
