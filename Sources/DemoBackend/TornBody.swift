import FlyingSocks

/// A body that breaks off: after its start the connection is closed, although more was announced.
struct TornBody: AsyncBufferedSequence {
    typealias Element = UInt8
    let start: [UInt8]

    func makeAsyncIterator() -> Iterator {
        Iterator(rest: start)
    }

    struct Iterator: AsyncBufferedIteratorProtocol {
        var rest: [UInt8]

        mutating func next() async throws -> UInt8? {
            guard !rest.isEmpty else { throw SocketError.disconnected }
            return rest.removeFirst()
        }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            guard !rest.isEmpty else { throw SocketError.disconnected }
            defer { rest = [] }
            return rest
        }
    }
}
