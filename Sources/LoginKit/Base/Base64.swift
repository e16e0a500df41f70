import CSodium
import Secrets

/// Base64 (RFC 4648, section 4) between the texts of a JSON document and guarded memory.
enum Base64 {
    static func encode(_ secret: Secret) -> String {
        secret.base64.unprotectedText
    }

    /// - Returns: `nil` for anything but complete, padded base64.
    static func decode(_ text: String) -> Secret? {
        let padding = text.utf8.suffix(2).count { $0 == UInt8(ascii: "=") }
        guard text.utf8.count % 4 == 0, text.utf8.count / 4 * 3 >= padding else { return nil }
        var valid = false
        let secret = Secret(count: text.utf8.count / 4 * 3 - padding) { buffer in
            guard let start = buffer.bindMemory(to: UInt8.self).baseAddress else { return }
            var count = 0
            let result = csodium_base642bin(
                start, buffer.count, text, text.utf8.count, nil, &count, nil, sodium_base64_VARIANT_ORIGINAL)
            valid = result == 0 && count == buffer.count
        }
        return valid ? secret : nil
    }
}
