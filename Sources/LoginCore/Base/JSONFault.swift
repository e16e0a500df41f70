/// A text that is not accepted as JSON.
package enum JSONFault: Error, Equatable, Sendable {
    /// It is none, or no array and no object.
    case malformed
    /// It would be JSON in another encoding than UTF-8, or begins with a byte order mark (RFC 8259, section 8.1).
    case otherEncoding
    /// An object has two members of one name (RFC 8259, section 4).
    case repeatedMember
    /// A comma with nothing behind it.
    case trailingComma
    /// It is nested too deeply, or has too many values.
    case tooMuch
}
