import CSodium

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
