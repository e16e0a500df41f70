import FoundationEssentials
import Secrets

/// JSON between our types and guarded memory. What the library makes of it on the way is short-lived, and wiped by the
/// program's `free`.
enum SecretJSON {
    /// - Returns: `nil` if the bytes are not what `Value` is made of.
    static func decode<Value: Decodable>(_: Value.Type, from secret: Secret) -> Value? {
        secret.withUnsafeBytes { buffer in
            // An error's words may repeat a part of the secret.
            try? JSONForm.decode(Value.self, from: buffer)
        }
    }

    /// - Throws: what the encoder throws, which for our own types does not happen.
    static func encode(
        _ value: some Encodable, formatting: JSONEncoder.OutputFormatting = []
    ) throws(EncodingError) -> Secret {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        do {
            var data = try encoder.encode(value)
            defer { data.resetBytes(in: 0..<data.count) }
            return data.withUnsafeBytes { Secret(copying: $0) }
        } catch {
            throw EncodingError()
        }
    }

    /// The same for a type whose members can all be written.
    static func encodeOwn(_ value: some Encodable) -> Secret {
        do throws(EncodingError) {
            return try encode(value)
        } catch {
            preconditionFailure("\(type(of: value)) cannot be written as JSON")
        }
    }

    struct EncodingError: Error {}
}
