import Glibc

extension Secret {
    /// The text in another encoding; both are named as iconv(3) has it.
    /// - Parameter replacement: for text whose beginning cannot be converted; of how many bytes, and what takes their place. `nil` ends
    ///   the conversion.
    /// - Returns: `nil` where it has ended so, and where the system does not know an encoding.
    package func converted(
        from source: String, to target: String,
        replacing replacement: (UnsafeRawBufferPointer) -> (count: Int, text: String)?
    ) -> Secret? {
        guard let converter = iconv_open(target, source), converter != iconv_t(bitPattern: -1) else { return nil }
        defer { iconv_close(converter) }
        // No byte becomes more than four.
        var builder = SecretBuilder(limit: 8 * count + 64)
        return withUnsafeBytes { bytes -> Bool in
            var rest = bytes
            while !rest.isEmpty {
                // In pieces: before each fault, glibc reads as far ahead as it may.
                let piece = min(rest.count, 256)
                var isWhole = true, left = piece
                _ = builder.append(upTo: min(4 * piece + 8, builder.room)) { place in
                    var input = UnsafeMutablePointer(mutating: rest.bindMemory(to: CChar.self).baseAddress)
                    var output = place.bindMemory(to: CChar.self).baseAddress
                    var room = place.count
                    let status = iconv(converter, &input, &left, &output, &room)
                    // A character may go on in the next piece.
                    isWhole = status != -1 || errno == EINVAL && piece < rest.count
                    return place.count - room
                }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece - left))
                guard !isWhole else { continue }
                guard let (count, text) = replacement(rest), text.utf8.count <= builder.room else { return false }
                builder.append(text)
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return true
        } ? builder.finish() : nil
    }
}
