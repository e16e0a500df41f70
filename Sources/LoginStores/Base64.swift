internal import CSodium
internal import Secrets

/// Base64 (RFC 4648, section 4) straight between text and guarded memory.
enum Base64 {
    static func encode(_ secret: Secret) -> String {
        let capacity = sodium_base64_encoded_len(secret.count, sodium_base64_VARIANT_ORIGINAL)
        return String(unsafeUninitializedCapacity: capacity) { text in
            text.withMemoryRebound(to: CChar.self) { text in
                guard let start = text.baseAddress else { return }
                secret.withBytes {
                    _ = sodium_bin2base64(start, capacity, $0, secret.count, sodium_base64_VARIANT_ORIGINAL)
                }
            }
            // Without the NUL.
            return capacity - 1
        }
    }

    /// - Returns: nothing for anything but complete, padded base64.
    static func decode(_ text: String) -> Secret? {
        let padding = text.utf8.suffix(2).count { $0 == UInt8(ascii: "=") }
        guard text.utf8.count % 4 == 0, text.utf8.count / 4 * 3 >= padding else { return nil }
        var valid = false
        let secret = Secret(count: text.utf8.count / 4 * 3 - padding) { buffer in
            guard let start = buffer.bindMemory(to: UInt8.self).baseAddress else { return }
            var count = 0
            let result = sodium_base642bin(
                start, buffer.count, text, text.utf8.count, nil, &count, nil, sodium_base64_VARIANT_ORIGINAL)
            valid = result == 0 && count == buffer.count
        }
        return valid ? secret : nil
    }
}
