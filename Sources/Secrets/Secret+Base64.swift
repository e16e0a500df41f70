internal import CSodium

extension Secret {
    /// The bytes in base64 with padding (RFC 4648, section 4), again in guarded memory.
    public var base64: Secret {
        let length = sodium_base64_encoded_len(count, sodium_base64_VARIANT_ORIGINAL)
        let terminated = Secret(count: length) { buffer in
            withUnsafeBytes { bytes in
                guard let text = buffer.bindMemory(to: CChar.self).baseAddress,
                    let start = bytes.bindMemory(to: UInt8.self).baseAddress
                else { return }
                _ = sodium_bin2base64(text, length, start, count, sodium_base64_VARIANT_ORIGINAL)
            }
        }
        // Without the NUL that C wants.
        return terminated.withUnsafeBytes { Secret(copying: UnsafeRawBufferPointer(rebasing: $0.dropLast())) }
    }
}
