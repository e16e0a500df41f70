/// A request to authctl as a credential helper that is refused.
package enum HelperRequestFault: Error, Equatable, Sendable {
    /// In bytes.
    case tooLong(limit: Int)
    /// A line without `=`.
    case noEqualsSign
    /// A carriage return or a NUL, or one of those and a line end in percent-encoding.
    case controlCharacter
    /// An attribute occurs twice, so two readers could understand it differently.
    case repeated(attribute: String)
    case missing(attribute: String)
    case notUTF8(attribute: String)
    case notAURL
    /// docker's helpers read one flat object.
    case notJSON
    /// The input did not go on, and did not end.
    case tookTooLong(seconds: Int)
    case unreadable(errno: Int32)
}
