import CSodium

/// Bytes that must not be seen: a password, a token, a key.
///
/// They lie in one block of libsodium's guarded memory (guard pages, locked, left out of core dumps, zeroed when
/// released), never in a `String` or an array. Copies of the value share the block. Printing, interpolating or
/// mirroring a secret gives a placeholder. Comparison takes the same time wherever two secrets of one length differ.
///
/// See libsodium, "Secure memory": <https://doc.libsodium.org/memory_management>.
public struct Secret: Sendable {
    private let block: GuardedBlock

    /// The number of bytes.
    public var count: Int { block.count }

    /// Whether there are no bytes at all.
    public var isEmpty: Bool { count == 0 }

    /// Copies `bytes` into guarded memory. The caller wipes its own copy.
    package init(copying bytes: UnsafeRawBufferPointer) {
        self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
    }

    /// Copies the bytes of a value that is not itself secret (a separator, a test's canary) or that a library handed
    /// out as text.
    public init(_ text: some StringProtocol) {
        var text = String(text)
        self = text.withUTF8 { Secret(copying: UnsafeRawBufferPointer($0)) }
    }

    /// A secret behind a text that is none, such as the scheme of a header.
    package init(_ start: String, followedBy secret: Secret) {
        let beginning = Array(start.utf8)
        self.init(count: beginning.count + secret.count) { place in
            place.copyBytes(from: beginning)
            secret.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: place[beginning.count...]).copyMemory(from: $0)
            }
        }
    }

    /// Several secrets, one behind the other.
    package init(joining pieces: [Secret]) {
        self.init(count: pieces.reduce(0) { $0 + $1.count }) { place in
            var rest = place
            for piece in pieces {
                piece.withUnsafeBytes { rest.copyMemory(from: $0) }
                rest = UnsafeMutableRawBufferPointer(rebasing: rest[piece.count...])
            }
        }
    }

    /// Makes a secret of `count` bytes, which `fill` writes.
    package init<Failure: Error>(
        count: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let block = count == 0 ? GuardedBlock.empty : GuardedBlock(count: count)
        try fill(block.buffer)
        csodium_mprotect_readonly(block.start)
        self.block = block
    }

    /// Takes over a block of libsodium's with so many bytes at its beginning.
    init(taking start: UnsafeMutableRawPointer, count: Int) {
        csodium_mprotect_readonly(start)
        block = GuardedBlock(start: start, count: count)
    }

    /// Lends the bytes for the time of `body`; they must not be kept.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(block.buffer))
    }

    /// The bytes as text in ordinary memory: for what turned out to be no secret, and for libraries that take nothing
    /// but a `String`.
    package var unprotectedText: String {
        withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension Secret: Equatable {
    public static func == (left: Secret, right: Secret) -> Bool {
        left.count == right.count
            && (left.isEmpty || csodium_memcmp(left.block.start, right.block.start, left.count) == 0)
    }
}

extension Secret {
    /// Opens the library that guards the memory of secrets.
    /// - Returns: what is wrong, in the loader's words; `nil` where there can be secrets.
    package static func memoryProblem() -> String? { csodium_open().map { String(cString: $0) } }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<secret>" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// One allocation of guarded memory, written once and then read-only.
///
/// Unchecked, because the compiler cannot see that nobody writes once a secret is made of it; the pages enforce it.
private final class GuardedBlock: @unchecked Sendable {
    /// For all that have no byte: each block takes pages, and most responses have no secret in them.
    static let empty = GuardedBlock(count: 0)

    let start: UnsafeMutableRawPointer
    let count: Int

    var buffer: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: start, count: count) }

    init(start: UnsafeMutableRawPointer, count: Int) {
        (self.start, self.count) = (start, count)
    }

    convenience init(count: Int) {
        self.init(start: SecretBuilder.allocate(count), count: count)
    }

    deinit {
        csodium_free(start)
    }
}

extension Secret {
    /// So many bytes of the system's randomness (getrandom(2)).
    package static func random(count: Int) -> Secret {
        Secret(count: count) { buffer in
            if let start = buffer.baseAddress { csodium_random(start, buffer.count) }
        }
    }

    /// A one-time code as it is sent: where it has digits alone, the blanks that apps show in and around them are left out.
    package var asOneTimeCode: Secret {
        withUnsafeBytes { bytes in
            guard let text = String(validating: bytes, as: UTF8.self)?.unicodeScalars else { return self }
            let digits = text.filter { !$0.properties.isWhitespace }
            guard digits.count < text.count, digits.allSatisfy({ ("0"..."9").contains($0) }) else { return self }
            return Secret(String(String.UnicodeScalarView(digits)))
        }
    }

    /// Whether there is no control character in it, as a user name and a password of RFC 7617, section 2 have to be.
    package var isFreeOfControls: Bool {
        withUnsafeBytes { $0.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }
    }

    /// Whether there is none but tabs, so that it cannot end a header's line (RFC 9110, section 5.5).
    package var isHeaderSafe: Bool {
        withUnsafeBytes { $0.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == UInt8(ascii: "\t") } }
    }

    /// Whether the bytes are well-formed UTF-8 (RFC 3629).
    package var isUTF8: Bool {
        withUnsafeBytes { bytes in
            var decoder = UTF8()
            var iterator = bytes.makeIterator()
            while true {
                switch decoder.decode(&iterator) {
                case .scalarValue: continue
                case .emptyInput: return true
                case .error: return false
                }
            }
        }
    }

    /// Without the byte order mark that editors and PowerShell write before UTF-8; only the first is one.
    package var withoutByteOrderMark: Secret {
        withUnsafeBytes { bytes in
            let text = bytes.withoutByteOrderMark
            return text.count == bytes.count ? self : Secret(copying: text)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Without the byte order mark of UTF-8; only the first is one.
    package var withoutByteOrderMark: UnsafeRawBufferPointer {
        let hasMark = starts(with: [0xef, 0xbb, 0xbf])
        return hasMark ? UnsafeRawBufferPointer(rebasing: dropFirst(3)) : self
    }
}

extension Secret {
    /// The bytes in base64 with padding (RFC 4648, section 4), again in guarded memory.
    package var base64: Secret { base64(sodium_base64_VARIANT_ORIGINAL) }

    /// The bytes in base64 for URLs, without padding (RFC 4648, section 5), again in guarded memory.
    package var base64URL: Secret { base64(sodium_base64_VARIANT_URLSAFE_NO_PADDING) }

    private func base64(_ variant: Int32) -> Secret {
        let length = csodium_base64_encoded_len(count, variant)
        let terminated = Secret(count: length) { buffer in
            withUnsafeBytes { bytes in
                guard let text = buffer.bindMemory(to: CChar.self).baseAddress,
                    let start = bytes.bindMemory(to: UInt8.self).baseAddress
                else { return }
                _ = csodium_bin2base64(text, length, start, count, variant)
            }
        }
        // Without the NUL that C wants.
        return terminated.withUnsafeBytes { Secret(copying: UnsafeRawBufferPointer(rebasing: $0.dropLast())) }
    }
}
