import CSodium
import FoundationEssentials
import Secrets

/// Decodes what was read as JSON already.
///
/// Foundation's decoder asks of every type whether it is one of those that it treats in a special way, and each such question
/// looks through all conformances of the program: a tenth of a start of `status`. Of our own forms none is special.
struct JSONForm: Decoder {
    let value: JSONValue
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Decodes these bytes once, and within bounds.
    /// - Throws: `JSONFault`, or what the type throws.
    static func decode<Value: Decodable>(_: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
        try Value(from: JSONForm(value: try JSONReader.read(bytes, mostValues: bytes.count)))
    }

    func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw Misfit() }
        return KeyedDecodingContainer(Members(values: members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw Misfit() }
        return Elements(values: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    /// A value is missing, or of another type than its place wants. Where only its text is not known, as of a case that a newer
    /// authctl has, a `DecodingError` is thrown, which is what enums of the standard library throw.
    struct Misfit: Error {}
}

extension DecodingError {
    /// A value of the right type that this version does not know.
    static var unknownValue: DecodingError {
        .dataCorrupted(Context(codingPath: [], debugDescription: "unknown to this version"))
    }
}

extension JSONForm: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }

    func decode(_: Bool.Type) throws -> Bool {
        guard case .bool(let flag) = value else { throw Misfit() }
        return flag
    }

    func decode(_: String.Type) throws -> String {
        guard case .string(let text) = value else { throw Misfit() }
        return text
    }

    func decode<Value: Decodable>(_: Value.Type) throws -> Value { try Value(from: self) }

    /// Stands for the functions of the protocol for each type of integers, too.
    func decode<Value: Decodable & FixedWidthInteger>(_: Value.Type) throws -> Value {
        guard case .integer(let number) = value, let fitting = Value(exactly: number) else { throw Misfit() }
        return fitting
    }

    func decode(_: Double.Type) throws -> Double { throw Misfit() }
    func decode(_: Float.Type) throws -> Float { throw Misfit() }

}

/// The members of an object. What is asked for one type by name is witnessed by what is asked for any.
private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let values: [String: JSONValue]
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { values.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { values[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try form(key).decodeNil() }

    func decode<Value: Decodable>(_: Value.Type, forKey key: Key) throws -> Value { try Value(from: try form(key)) }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Inner> { try form(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try form(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { throw JSONForm.Misfit() }
    func superDecoder(forKey key: Key) throws -> any Decoder { try form(key) }

    private func form(_ key: Key) throws -> JSONForm {
        guard let value = values[key.stringValue] else { throw JSONForm.Misfit() }
        return JSONForm(value: value)
    }
}

/// The elements of an array, one after the other.
private struct Elements: UnkeyedDecodingContainer {
    let values: [JSONValue]
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex == values.count }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, values[currentIndex] == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_: Value.Type) throws -> Value { try Value(from: try next()) }

    mutating func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type
    ) throws -> KeyedDecodingContainer<Inner> { try next().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try next() }

    private mutating func next() throws -> JSONForm {
        guard !isAtEnd else { throw JSONForm.Misfit() }
        defer { currentIndex += 1 }
        return JSONForm(value: values[currentIndex])
    }
}

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

    /// The members of an object; `nil` for any other text.
    static func members(_ secret: Secret) -> [String: JSONValue]? {
        let value = secret.withUnsafeBytes { try? JSONReader.read($0, mostValues: $0.count) }
        guard case .object(let members)? = value else { return nil }
        return members
    }

    /// - Returns: `nil` if it cannot be written, which for our own types does not happen.
    static func encode(_ value: some Encodable, formatting: JSONEncoder.OutputFormatting = []) -> Secret? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        guard var data = try? encoder.encode(value) else { return nil }
        defer { data.resetBytes(in: 0..<data.count) }
        return data.withUnsafeBytes { Secret(copying: $0) }
    }

    /// The same for a type whose members can all be written.
    static func encodeOwn(_ value: some Encodable) -> Secret {
        guard let secret = encode(value) else { preconditionFailure("\(type(of: value)) cannot be written as JSON") }
        return secret
    }
}

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
