import LoginCore
import Secrets

/// The body of a request that is sent on while it comes in. Its beginning is kept, so that it can be sent again as long as that
/// is all of it.
final class ServedSource: RequestSource {
    /// The largest beginning that is kept, in bytes.
    static let limit = 1 << 20
    /// Milliseconds that more is waited for before the transfer pauses; to go on may take as long again.
    private static let patience = 20

    package let count: Int64?
    private let pipe: BytePipe
    private var beginning = Secret("")
    /// The bytes of the beginning that were read since the last rewind.
    private var place = 0
    /// Collects what is read behind it; `nil` once that was too much.
    private var builder: SecretBuilder?
    private var isPast = false
    /// Whether there was nothing the last time: then nothing is waited for, since an answer may be on its way meanwhile.
    private var isIdle = false

    /// - Parameter count: in bytes; `nil` if only the end will tell.
    init(_ pipe: BytePipe, count: Int64?) {
        (self.pipe, self.count) = (pipe, count)
        builder = SecretBuilder(limit: Self.limit)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LoginFault) -> Int? {
        if place < beginning.count {
            let most = min(buffer.count, beginning.count - place)
            beginning.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[place..<place + most]))
            }
            place += most
            return most
        }
        // The service may have answered: it is heard while the command pauses.
        isIdle = !pipe.isReady(within: isIdle ? 0 : Self.patience)
        if isIdle { return nil }
        guard let read = pipe.read(into: buffer) else { throw .cancelled }
        guard read > 0, !isPast else { return read }
        do throws(SecretBuilder.LimitExceeded) {
            try builder?.append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<read]))
        } catch {
            builder = nil
            (beginning, place, isPast) = (Secret(""), 0, true)
        }
        return read
    }

    func rewind() -> Bool {
        guard !isPast, let more = builder.take()?.finish() else { return false }
        var all = SecretBuilder(limit: Self.limit * 2)
        do throws(SecretBuilder.LimitExceeded) {
            try all.append(beginning)
            try all.append(more)
        } catch {
            return false
        }
        (beginning, place) = (all.finish(), 0)
        builder = SecretBuilder(limit: max(Self.limit - beginning.count, 0))
        return true
    }

    /// All of a body that is not to be longer than what is kept.
    static func all(of pipe: BytePipe) throws(LoginFault) -> Secret {
        var builder = SecretBuilder(limit: limit)
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 1)
        defer { piece.deallocate() }
        while true {
            guard let read = pipe.read(into: piece) else { throw .cancelled }
            if read == 0 { return builder.finish() }
            do throws(SecretBuilder.LimitExceeded) {
                try builder.append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(piece)[..<read]))
            } catch {
                throw .usage(.other("the session adds to this body, which is too long for that; at most 1 MiB is held"))
            }
        }
    }
}
